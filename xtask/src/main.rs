//! The project's tools: `cargo xtask <verb>`. Each verb has its own file and an entry in [`VERBS`].

mod behaviours;
mod ci;
mod conformance;
mod docs;
mod fuzz;
mod source;
mod test;
mod tidy;

use std::process::ExitCode;

use xtask::process::{self, cargo, command};
use xtask::{Outcome, postgres};

struct Verb {
    name: &'static str,
    usage: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Outcome,
}

const VERBS: &[Verb] = &[
    Verb {
        name: "ci",
        usage: "ci",
        help: "run all of CI and stop at the first failure",
        run: ci::run,
    },
    Verb {
        name: "test",
        usage: "test [ARGUMENT...]",
        help: "run all tests with a private PostgreSQL server; arguments go to the runner",
        run: test::run,
    },
    Verb {
        name: "postgres",
        usage: "postgres",
        help: "start a private PostgreSQL server and print its address; Ctrl-C stops it",
        run: postgres::run,
    },
    Verb {
        name: "faults",
        usage: "faults [NAME...] [--rounds N]",
        help: "inject kills, torn files, full disks and wrong clocks; see `faults --help`",
        run: faults,
    },
    Verb {
        name: "fuzz",
        usage: "fuzz [TARGET...] [--seconds N]",
        help: "fuzz every parser",
        run: fuzz::run,
    },
    Verb {
        name: "conformance",
        usage: "conformance [PART...]",
        help: "run independent MCP clients against `ambit mcp`: python, inspector, suite",
        run: conformance::run,
    },
    Verb {
        name: "tidy",
        usage: "tidy",
        help: "check dependencies, lengths, dead files, leftovers and words",
        run: tidy::run,
    },
    Verb {
        name: "docs",
        usage: "docs [--check]",
        help: "generate pages of docs/; with --check, fail if one is stale",
        run: docs::run,
    },
    Verb {
        name: "bench",
        usage: "bench [NAME...]",
        help: "measure the engine against the bare database; see `bench store --help`",
        run: bench,
    },
];

fn help() -> String {
    let mut text = String::from("Usage: cargo xtask <verb> [ARGUMENT...]\n\nVerbs:\n");
    for verb in VERBS {
        text.push_str(&format!("  {:<30} {}\n", verb.usage, verb.help));
    }
    text + "\nExample: cargo xtask test -p ambit-store keys\n"
}

fn run(arguments: &[String]) -> Outcome {
    match arguments.split_first() {
        None => Err(format!("no verb given\n\n{}", help())),
        Some((word, _)) if matches!(word.as_str(), "help" | "--help" | "-h") => {
            print!("{}", help());
            Ok(())
        }
        Some((word, rest)) => match VERBS.iter().find(|verb| verb.name == word) {
            Some(verb) => (verb.run)(rest),
            None => Err(format!("unknown verb {word:?}\n\n{}", help())),
        },
    }
}

/// Runs the fault suites. They are a separate program, because they need the database drivers.
fn faults(arguments: &[String]) -> Outcome {
    let mut faults = command(&process::built(&["--bin", "faults"])?.to_string_lossy());
    faults.args(arguments);
    process::run(faults)
}

/// Runs the benches, a separate program, as a release build.
fn bench(names: &[String]) -> Outcome {
    process::run(cargo(&["build", "--release", "--locked", "--package", "ambit-cli"]))?;
    let mut bench = cargo(&["run", "--release", "--locked", "--package", "bench", "--"]);
    bench.args(names);
    process::run(bench)
}

fn main() -> ExitCode {
    xtask::main_with(run)
}

#[cfg(test)]
mod tests {
    use super::{VERBS, help, run};

    #[test]
    fn help_lists_every_verb() {
        let text = help();
        assert!(VERBS.iter().all(|verb| text.contains(verb.usage) && text.contains(verb.help)));
    }

    #[test]
    fn an_unknown_verb_is_refused_with_the_list() {
        let error = run(&["dance".to_string()]).unwrap_err();
        assert!(error.contains("\"dance\"") && error.contains("tidy"), "{error}");
    }
}
