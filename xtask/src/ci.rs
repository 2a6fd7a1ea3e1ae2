//! `cargo xtask ci`: runs all of CI in order and stops at the first failure.

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
    /// Another verb of xtask, in this process.
    Verb(fn() -> Outcome),
    /// An optional tool: its cargo subcommand and arguments. If it is not installed, a line says
    /// so.
    Tool { name: &'static str, arguments: &'static [&'static str] },
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
    Step { name: "tidy", run: Run::Verb(|| tidy::run(&[])) },
    Step { name: "build", run: Run::Cargo(&["build", "--workspace", "--locked"]) },
    Step { name: "tests", run: Run::Verb(test::run_all) },
    Step { name: "doc tests", run: Run::Cargo(&["test", "--doc", "--workspace", "--locked"]) },
    Step { name: "docs", run: Run::Verb(|| docs::run(&["--check".to_string()])) },
    Step {
        name: "licences, bans and sources",
        run: Run::Tool {
            name: "deny",
            arguments: &["deny", "check", "licenses", "bans", "sources"],
        },
    },
];

/// The bounded parts of long suites.
const SLOW: &[Step] = &[
    Step { name: "conformance", run: Run::Verb(conformance::run_bounded) },
    Step { name: "faults", run: Run::Verb(|| faults(&["--bounded".to_string()])) },
    Step { name: "fuzz", run: Run::Verb(fuzz::run_bounded) },
];

pub fn run(arguments: &[String]) -> Outcome {
    if let Some(word) = arguments.first() {
        return Err(format!("unexpected argument {word:?}: ci takes none"));
    }
    let begun = Instant::now();
    let steps: Vec<&Step> = STEPS.iter().chain(SLOW).collect();
    for (number, step) in (1..).zip(&steps) {
        println!("==> {number}/{}: {}", steps.len(), step.name);
        let from = Instant::now();
        step.run().map_err(|why| {
            let took = begun.elapsed().as_secs();
            format!("ci: FAILED at step {number} ({}) after {took} s: {why}", step.name)
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
            Run::Verb(verb) => verb(),
            Run::Tool { name, arguments } if has(name) => process::run(cargo(arguments)),
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
    fn step_names_are_unique() {
        let mut names: Vec<&str> = STEPS.iter().chain(SLOW).map(|step| step.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn cargo_steps_use_the_lock_file() {
        for step in STEPS {
            if let Run::Cargo(arguments) = step.run {
                assert!(arguments[0] == "fmt" || arguments.contains(&"--locked"), "{arguments:?}");
            }
        }
    }
}
