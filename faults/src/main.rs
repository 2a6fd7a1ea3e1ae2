//! `cargo xtask faults [NAME...] [--rounds N]`: injects faults and checks that nothing is lost.
//! Each suite has its own file and an entry in [`SUITES`]. It runs the real program or the library
//! on real files and a real server, and returns rows of one table.

mod broken;
mod clock;
mod delegated;
mod full;
mod growth;
mod kill;
mod load;
mod migrations;
mod processes;
mod restart;
mod rng;
mod sync;
mod table;
mod testbed;
mod torn;
mod trace;
mod wal;

use std::process::ExitCode;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use table::Row;
use testbed::Testbed;
use xtask::Outcome;

struct Suite {
    name: &'static str,
    help: &'static str,
    /// The number of rounds without `--rounds`.
    rounds: u64,
    /// Whether CI runs it, with `rounds` rounds. The others repeat tests of CI or take long.
    ci: bool,
    run: fn(&Testbed, u64, &ProgressBar) -> Result<Vec<Row>, String>,
}

const SUITES: &[Suite] = &[
    Suite {
        name: "sync",
        help: "trace system calls: a write is synced before it is acknowledged",
        rounds: 40,
        ci: true,
        run: sync::run,
    },
    Suite {
        name: "kill",
        help: "kill 1 to 4 writers with SIGKILL, through program and library",
        rounds: 200,
        ci: true,
        run: kill::run,
    },
    Suite {
        name: "torn",
        help: "cut or corrupt the file and its write-ahead log at every 512 bytes",
        rounds: 1,
        ci: true,
        run: torn::run,
    },
    Suite {
        name: "full",
        help: "fill the disk, then free it again",
        rounds: 3,
        ci: true,
        run: full::run,
    },
    Suite {
        name: "processes",
        help: "run 16 writing processes, 4 long readers and a checkpointer",
        rounds: 500,
        ci: true,
        run: processes::run,
    },
    Suite {
        name: "restart",
        help: "restart PostgreSQL without warning every 2 s under load",
        rounds: 5,
        ci: true,
        run: restart::run,
    },
    Suite {
        name: "terminate",
        help: "terminate random connections to PostgreSQL under load",
        rounds: 100,
        ci: true,
        run: restart::terminate,
    },
    Suite {
        name: "clock",
        help: "set the clock an hour back, a day forward, and stop it",
        rounds: 10,
        ci: true,
        run: clock::run,
    },
    Suite {
        name: "migrations",
        help: "kill the upgrade of old stores at system calls (with --rounds 2 at every one); open \
               a store that is too new",
        rounds: 1,
        ci: true,
        run: migrations::run,
    },
    Suite {
        name: "growth",
        help: "compare bytes on disk with text, and twice the work with once",
        // Enough for several segments of the index in each half; the first segment is a jump in
        // size.
        rounds: 4_000,
        ci: true,
        run: growth::run,
    },
    Suite {
        name: "broken",
        help: "break a program and a server on purpose: sync, kill and restart must report it",
        rounds: 1,
        ci: true,
        run: broken::run,
    },
    Suite {
        name: "million",
        help: "compare cost at many events with cost at few; rebuild; verify; on both databases",
        rounds: 100_000,
        ci: false,
        run: delegated::million,
    },
    Suite {
        name: "invariants",
        help: "run random scripts of several actors beside a second model, on three stores",
        rounds: 200,
        ci: false,
        run: delegated::invariants,
    },
    Suite {
        name: "frames",
        help: "run random scripts and check 26 invariants of frames and views, on three stores",
        rounds: 600,
        ci: false,
        run: delegated::frames,
    },
    Suite {
        name: "determinism",
        help: "compare rows with the log, and exports across databases",
        rounds: 1,
        ci: false,
        run: delegated::determinism,
    },
];

fn help() -> String {
    let mut text = String::from(
        "Usage: cargo xtask faults [NAME...] [--rounds N]\n       cargo xtask faults --bounded\n\n\
         Inject faults and check that no acknowledged write is lost. Runs all suites by default;\n\
         with --bounded, those that CI runs.\n\n",
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
        return run_selected(|suite| suite.ci, None);
    }
    let (names, rounds) = parse(arguments)?;
    run_selected(|suite| names.is_empty() || names.contains(&suite.name), rounds)
}

fn run_selected(wanted: impl Fn(&Suite) -> bool, rounds: Option<u64>) -> Outcome {
    let testbed = Testbed::prepare()?;
    let mut rows = Vec::new();
    for suite in SUITES.iter().filter(|suite| wanted(suite)) {
        let rounds = rounds.unwrap_or(suite.rounds);
        let bar = bar(suite.name);
        let begun = Instant::now();
        let done = (suite.run)(&testbed, rounds, &bar);
        bar.finish_and_clear();
        let suite_rows = done.unwrap_or_else(|why| vec![Row::failed(suite.name, why)]);
        for row in &suite_rows {
            println!("{row}");
        }
        println!("    {} took {:.1} s", suite.name, begun.elapsed().as_secs_f64());
        rows.extend(suite_rows);
    }
    println!("\n{}", table::table(&rows));
    match rows.iter().filter(|row| row.verdict.is_err()).count() {
        0 => Ok(()),
        failed => Err(format!("faults: {failed} of {} lines FAILED", rows.len())),
    }
}

/// Parses the names of suites and the number of rounds.
fn parse(arguments: &[String]) -> Result<(Vec<&str>, Option<u64>), String> {
    let mut names = Vec::new();
    let mut rounds = None;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "--rounds" {
            let value = words.next().map_or("", String::as_str);
            let number = value.parse().ok().filter(|rounds| *rounds > 0);
            rounds = Some(number.ok_or_else(|| {
                format!("invalid value {value:?} for --rounds: expected a whole number above 0")
            })?);
        } else if SUITES.iter().any(|suite| suite.name == word) {
            names.push(word.as_str());
        } else {
            return Err(format!("unknown suite {word:?}\n\n{}", help()));
        }
    }
    Ok((names, rounds))
}

/// Creates a progress bar on standard error.
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
    fn suites_are_selected_by_name() {
        assert_eq!(parse(&words("kill --rounds 7 sync")), Ok((vec!["kill", "sync"], Some(7))));
        assert_eq!(parse(&[]), Ok((vec![], None)));
        for wrong in ["dance", "kill --rounds", "--rounds none", "--rounds 0"] {
            assert!(parse(&words(wrong)).is_err(), "{wrong}");
        }
        assert!(SUITES.iter().all(|suite| help().contains(suite.help)));
    }
}
