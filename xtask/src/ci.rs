//! `cargo xtask ci`: all of CI, in order, stopping at the first failure.

use std::time::Instant;

use xtask::Outcome;
use xtask::process::{self, cargo, has};

use crate::{conformance, docs, faults, fuzz, test, tidy};

struct Step {
    name: &'static str,
    run: Run,
}

enum Run {
    /// Cargo, with these arguments.
    Cargo(&'static [&'static str]),
    /// One of our own verbs, within this process.
    Own(fn() -> Outcome),
    /// A tool that not every machine has: its cargo subcommand, and what to run with it. Without
    /// it a line says that it was not run.
    Tool { name: &'static str, with: &'static [&'static str] },
}

const STEPS: &[Step] = &[
    Step { name: "fetch", run: Run::Cargo(&["fetch", "--locked"]) },
    Step { name: "format", run: Run::Cargo(&["fmt", "--all", "--check"]) },
    Step {
        name: "clippy",
        run: Run::Cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "-D",
            "warnings",
        ]),
    },
    Step { name: "tidy", run: Run::Own(|| tidy::run(&[])) },
    Step { name: "build", run: Run::Cargo(&["build", "--workspace", "--locked"]) },
    Step { name: "tests", run: Run::Own(test::run_all) },
    Step {
        name: "examples in the docs",
        run: Run::Cargo(&["test", "--doc", "--workspace", "--locked"]),
    },
    Step { name: "docs", run: Run::Own(|| docs::run(&["--check".to_string()])) },
    Step {
        name: "licences, bans and sources",
        run: Run::Tool { name: "deny", with: &["deny", "check", "licenses", "bans", "sources"] },
    },
];

/// The bounded part of suites that take long in full. Each is a step like those above.
const SLOW: &[Step] = &[
    Step { name: "conformance", run: Run::Own(conformance::run_bounded) },
    Step { name: "faults", run: Run::Own(|| faults(&["--bounded".to_string()])) },
    Step { name: "fuzz", run: Run::Own(fuzz::run_bounded) },
];

pub fn run(arguments: &[String]) -> Outcome {
    if let Some(word) = arguments.first() {
        return Err(format!("ci takes no arguments, not {word:?}"));
    }
    let begun = Instant::now();
    let steps: Vec<&Step> = STEPS.iter().chain(SLOW).collect();
    for (number, step) in (1..).zip(&steps) {
        println!("==> {number}/{}: {}", steps.len(), step.name);
        let from = Instant::now();
        step.run().map_err(|why| {
            let took = begun.elapsed().as_secs();
            format!("ci: FAILED at step {number}, {}, after {took} s: {why}", step.name)
        })?;
        println!("    {} done in {:.1} s", step.name, from.elapsed().as_secs_f64());
    }
    println!("ci: all {} steps passed in {} s", steps.len(), begun.elapsed().as_secs());
    Ok(())
}

impl Step {
    fn run(&self) -> Outcome {
        match &self.run {
            Run::Cargo(arguments) => process::run(cargo(arguments)),
            Run::Own(verb) => verb(),
            Run::Tool { name, with } if has(name) => process::run(cargo(with)),
            Run::Tool { name, .. } => {
                println!("    not run: cargo-{name} is not installed");
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Run, SLOW, STEPS};

    #[test]
    fn every_step_has_a_name_of_its_own() {
        let mut names: Vec<&str> = STEPS.iter().chain(SLOW).map(|step| step.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn what_cargo_resolves_is_locked() {
        for step in STEPS {
            if let Run::Cargo(arguments) = step.run {
                assert!(arguments[0] == "fmt" || arguments.contains(&"--locked"), "{arguments:?}");
            }
        }
    }
}
