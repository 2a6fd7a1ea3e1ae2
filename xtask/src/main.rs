//! The house's own tools: `cargo xtask <verb>`. Each verb has a file of its own and a line in
//! [`VERBS`].

mod behaviours;
#[expect(clippy::expect_used, reason = "a bench that cannot go on has only its message")]
mod bench;
mod ci;
mod conformance;
mod docs;
mod faults;
mod fuzz;
mod postgres;
mod process;
mod source;
mod test;
mod tidy;
mod tree;

use std::process::ExitCode;

/// What a verb answers: nothing, or in one line why it failed.
type Outcome = Result<(), String>;

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
        run: faults::run,
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
        run: bench::run,
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

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
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
