//! The house's own tools: `cargo xtask <verb>`. Each verb has a file of its own and a line in
//! [`VERBS`].

mod behaviours;
mod ci;
mod conformance;
mod docs;
mod fuzz;
mod source;
mod test;
mod tidy;

use std::process::ExitCode;

use xtask::process::{self, cargo};
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
        help: "all of CI, stopping at the first failure",
        run: ci::run,
    },
    Verb {
        name: "test",
        usage: "test [ARGUMENT...]",
        help: "all tests, with a private PostgreSQL server; arguments are the runner's",
        run: test::run,
    },
    Verb {
        name: "postgres",
        usage: "postgres",
        help: "such a server to use by hand, until Ctrl-C; prints its address",
        run: postgres::run,
    },
    Verb {
        name: "faults",
        usage: "faults [NAME...] [--rounds N]",
        help: "kills, torn files, full disks, moved clocks: nothing acknowledged may be lost",
        run: faults,
    },
    Verb {
        name: "fuzz",
        usage: "fuzz [TARGET...] [--seconds N]",
        help: "made-up input for everything that reads what others wrote",
        run: fuzz::run,
    },
    Verb {
        name: "conformance",
        usage: "conformance [PART...]",
        help: "MCP clients of others against `ambit mcp`: python, inspector, suite",
        run: conformance::run,
    },
    Verb {
        name: "tidy",
        usage: "tidy",
        help: "layers, lengths, dead files, leftovers and words",
        run: tidy::run,
    },
    Verb {
        name: "docs",
        usage: "docs [--check]",
        help: "make the made pages of docs/; with --check, fail where one is stale",
        run: docs::run,
    },
    Verb {
        name: "bench",
        usage: "bench [NAME...]",
        help: "what the engine costs, as ratios against what it stands on; `bench store --help`",
        run: bench,
    },
];

fn help() -> String {
    let mut text = String::from("Usage: cargo xtask <verb>\n\nVerbs:\n");
    for verb in VERBS {
        text.push_str(&format!("  {:<30} {}\n", verb.usage, verb.help));
    }
    text
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
            None => Err(format!("there is no verb {word:?}\n\n{}", help())),
        },
    }
}

/// The fault suites are a program of their own: they need the databases' drivers.
fn faults(arguments: &[String]) -> Outcome {
    let mut faults = cargo(&["run", "--quiet", "--locked", "--package", "faults", "--"]);
    faults.args(arguments);
    process::run(faults)
}

/// The benches are a program of their own. An unoptimised build is not worth measuring.
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
