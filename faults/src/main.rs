//! `cargo xtask faults [NAME...] [--rounds N]`: what must not happen, tried on purpose. Each suite
//! has a file of its own and a line in [`SUITES`]; each drives the real program or the library on
//! real files and a real server, and answers with rows of one table.

mod chance;
mod clock;
mod existing;
mod full;
mod ground;
mod growth;
mod kill;
mod load;
mod migrations;
mod processes;
mod restart;
mod sync;
mod table;
mod torn;
mod trace;
mod wal;

use std::process::ExitCode;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use ground::Ground;
use table::Row;
use xtask::Outcome;

struct Suite {
    name: &'static str,
    help: &'static str,
    /// How many rounds are run where nobody says.
    rounds: u64,
    /// Whether CI runs it, with that many: the others run what CI runs anyway, or take long.
    ci: bool,
    run: fn(&Ground, u64, &ProgressBar) -> Result<Vec<Row>, String>,
}

const SUITES: &[Suite] = &[
    Suite {
        name: "sync",
        help: "what is said was synced before, as the operating system saw it",
        rounds: 100,
        ci: true,
        run: sync::run,
    },
    Suite {
        name: "kill",
        help: "kill -9 of 1 to 4 writers, through program and library",
        rounds: 200,
        ci: true,
        run: kill::run,
    },
    Suite {
        name: "torn",
        help: "file and write-ahead log cut or garbled at every 512 bytes",
        rounds: 1,
        ci: true,
        run: torn::run,
    },
    Suite {
        name: "full",
        help: "a disk that is full, and has room again",
        rounds: 3,
        ci: true,
        run: full::run,
    },
    Suite {
        name: "processes",
        help: "16 processes that write, 4 that read for long, and a checkpointer",
        rounds: 500,
        ci: true,
        run: processes::run,
    },
    Suite {
        name: "restart",
        help: "PostgreSQL restarted at once every 2 s under load",
        rounds: 5,
        ci: true,
        run: restart::run,
    },
    Suite {
        name: "terminate",
        help: "connections to PostgreSQL ended at random under load",
        rounds: 100,
        ci: true,
        run: restart::terminate,
    },
    Suite {
        name: "clock",
        help: "clocks an hour back, a day forward, standing still",
        rounds: 10,
        ci: true,
        run: clock::run,
    },
    Suite {
        name: "migrations",
        help: "old stores, killed at every system call of their upgrade (between oldest and \
               newest at every third, unless --rounds 2); stores too new",
        rounds: 1,
        ci: true,
        run: migrations::run,
    },
    Suite {
        name: "growth",
        help: "bytes on disk against text, and twice the work",
        // Several segments of the index in either half: the first one is a step.
        rounds: 4_000,
        ci: true,
        run: growth::run,
    },
    Suite {
        name: "million",
        help: "cost at many events against that at few, rebuild, verify, on both databases",
        rounds: 100_000,
        ci: false,
        run: existing::million,
    },
    Suite {
        name: "invariants",
        help: "random scripts of several actors beside a second model, on three stores",
        rounds: 200,
        ci: false,
        run: existing::invariants,
    },
    Suite {
        name: "attention",
        help: "random scripts of attention: its 26 invariants after every step, on three stores",
        rounds: 600,
        ci: false,
        run: existing::attention,
    },
    Suite {
        name: "determinism",
        help: "rows from the log, exports across databases",
        rounds: 1,
        ci: false,
        run: existing::determinism,
    },
];

fn help() -> String {
    let mut text = String::from(
        "Usage: cargo xtask faults [NAME...] [--rounds N]\n       cargo xtask faults --bounded\n\n\
         Without a name all are run; with --bounded, those that CI runs.\n\n",
    );
    for suite in SUITES {
        text += &format!("  {:<12} {} (rounds: {})\n", suite.name, suite.help, suite.rounds);
    }
    text + "\nExamples:\n  cargo xtask faults\n  cargo xtask faults kill --rounds 5000\n"
}

fn main() -> ExitCode {
    xtask::main_with(run)
}

fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|word| word == "--help" || word == "-h") {
        print!("{}", help());
        return Ok(());
    }
    if matches!(arguments, [word] if word == "--bounded") {
        return run_those(|suite| suite.ci, None);
    }
    let (names, rounds) = parse(arguments)?;
    run_those(|suite| names.is_empty() || names.contains(&suite.name), rounds)
}

fn run_those(wanted: impl Fn(&Suite) -> bool, rounds: Option<u64>) -> Outcome {
    let ground = Ground::prepare()?;
    let mut rows = Vec::new();
    for suite in SUITES.iter().filter(|suite| wanted(suite)) {
        let rounds = rounds.unwrap_or(suite.rounds);
        let bar = bar(suite.name);
        let begun = Instant::now();
        let done = (suite.run)(&ground, rounds, &bar);
        bar.finish_and_clear();
        let some = done.unwrap_or_else(|why| vec![Row::failed(suite.name, why)]);
        for row in &some {
            println!("{row}");
        }
        println!("    {} took {:.1} s", suite.name, begun.elapsed().as_secs_f64());
        rows.extend(some);
    }
    println!("\n{}", table::table(&rows));
    match rows.iter().filter(|row| row.verdict.is_err()).count() {
        0 => Ok(()),
        failed => Err(format!("faults: {failed} of {} lines FAILED", rows.len())),
    }
}

/// The suites named, and the rounds where they are given.
fn parse(arguments: &[String]) -> Result<(Vec<&str>, Option<u64>), String> {
    let mut names = Vec::new();
    let mut rounds = None;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "--rounds" {
            let number = words.next().and_then(|number| number.parse().ok());
            rounds = Some(number.filter(|rounds| *rounds > 0).ok_or("--rounds takes a number")?);
        } else if SUITES.iter().any(|suite| suite.name == word) {
            names.push(word.as_str());
        } else {
            return Err(format!("there is no suite {word:?}\n\n{}", help()));
        }
    }
    Ok((names, rounds))
}

/// A bar on standard error, where that is a terminal.
fn bar(name: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(0).with_message(name);
    if let Ok(style) = ProgressStyle::with_template("{msg:12} {wide_bar} {pos}/{len} {elapsed}") {
        bar.set_style(style);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::{SUITES, help, parse};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_string).collect()
    }

    #[test]
    fn suites_are_chosen_by_name() {
        assert_eq!(parse(&words("kill --rounds 7 sync")), Ok((vec!["kill", "sync"], Some(7))));
        assert_eq!(parse(&[]), Ok((vec![], None)));
        for wrong in ["dance", "kill --rounds", "--rounds none", "--rounds 0"] {
            assert!(parse(&words(wrong)).is_err(), "{wrong}");
        }
        assert!(SUITES.iter().all(|suite| help().contains(suite.help)));
    }
}
