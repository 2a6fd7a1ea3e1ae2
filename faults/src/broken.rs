//! `broken`: tests the suites. Each suite must report a program or a server that is broken on
//! purpose.

use indicatif::ProgressBar;

use super::table::Row;
use super::testbed::Testbed;
use super::{kill, restart, sync};

type Run = fn(&Testbed, u64, &ProgressBar) -> Result<Vec<Row>, String>;

/// A broken program or server, the suite that must find it, the lines of the suite that must fail,
/// and the number of rounds.
struct Broken {
    name: &'static str,
    testbed: fn() -> Result<Testbed, String>,
    suite: Run,
    lines: &'static [&'static str],
    rounds: u64,
}

const BROKEN: [Broken; 3] = [
    // A kill does not lose unsynced writes, because the operating system holds them; only a trace
    // shows the missing sync.
    Broken {
        name: "unsynced",
        testbed: Testbed::unsynced,
        suite: sync::run,
        lines: &["sync, SQLite, writers: 1", "sync, SQLite, writers: 4", "sync, PostgreSQL"],
        rounds: 20,
    },
    Broken {
        name: "early",
        testbed: Testbed::early,
        suite: kill::run,
        lines: &["kill, SQLite", "kill, PostgreSQL"],
        rounds: 20,
    },
    Broken {
        name: "early",
        testbed: Testbed::early,
        suite: restart::run,
        lines: &["restart"],
        rounds: 3,
    },
];

pub fn run(_: &Testbed, _: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(BROKEN.len() as u64);
    let mut rows = Vec::new();
    for broken in &BROKEN {
        let testbed = (broken.testbed)()?;
        let found = (broken.suite)(&testbed, broken.rounds, &ProgressBar::hidden())?;
        for line in broken.lines {
            let line_row = found.iter().find(|row| row.name.starts_with(line));
            rows.push(judge(format!("broken, {}: {line}", broken.name), line_row));
        }
        bar.inc(1);
    }
    Ok(rows)
}

/// Expects a line of a suite to have failed for another reason than a missing tool.
fn judge(name: String, failed: Option<&Row>) -> Row {
    let mut row = Row::new(name);
    match failed.map(|failed| (failed, &failed.verdict)) {
        Some((failed, Err(why))) if !why.starts_with("did not run") => {
            row.rounds = failed.rounds;
            row.acknowledged = failed.acknowledged;
            row.found = failed.found;
            row.note(format!("reported as expected: {why}"));
        }
        Some((_, Err(why))) => row.fault(why),
        Some((_, Ok(_))) => row.fault("the suite did not report it"),
        None => row.fault("the suite has no such line"),
    }
    row
}
