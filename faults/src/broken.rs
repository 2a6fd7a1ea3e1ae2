//! `broken`: tests of the suites. A program or a server that is broken on purpose must be found by
//! the suite that is there for it.

use indicatif::ProgressBar;

use super::ground::Ground;
use super::table::Row;
use super::{kill, restart, sync};

type Run = fn(&Ground, u64, &ProgressBar) -> Result<Vec<Row>, String>;

/// What is broken, the suite that must find it, which of its lines must fail, and within how many
/// rounds.
struct Broken {
    name: &'static str,
    ground: fn() -> Result<Ground, String>,
    suite: Run,
    lines: &'static [&'static str],
    rounds: u64,
}

const BROKEN: [Broken; 3] = [
    // A kill loses nothing that was not synced, because the operating system has it; a trace shows
    // that nobody waited for the disk.
    Broken {
        name: "unsynced",
        ground: Ground::unsynced,
        suite: sync::run,
        lines: &["sync, SQLite, writers: 1", "sync, SQLite, writers: 4", "sync, PostgreSQL"],
        rounds: 20,
    },
    Broken {
        name: "early",
        ground: Ground::early,
        suite: kill::run,
        lines: &["kill, SQLite", "kill, PostgreSQL"],
        rounds: 20,
    },
    Broken {
        name: "early",
        ground: Ground::early,
        suite: restart::run,
        lines: &["restart"],
        rounds: 3,
    },
];

pub fn run(_: &Ground, _: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(BROKEN.len() as u64);
    let mut rows = Vec::new();
    for broken in &BROKEN {
        let ground = (broken.ground)()?;
        let found = (broken.suite)(&ground, broken.rounds, &ProgressBar::hidden())?;
        for line in broken.lines {
            let seen = found.iter().find(|row| row.name.starts_with(line));
            rows.push(judge(format!("broken, {}: {line}", broken.name), seen));
        }
        bar.inc(1);
    }
    Ok(rows)
}

/// A line of a suite must have failed, and not for want of something to run.
fn judge(name: String, seen: Option<&Row>) -> Row {
    let mut row = Row::new(name);
    match seen.map(|seen| (seen, &seen.verdict)) {
        Some((seen, Err(why))) if !why.starts_with("did not run") => {
            row.rounds = seen.rounds;
            row.acknowledged = seen.acknowledged;
            row.found = seen.found;
            row.note(format!("found, as it must be: {why}"));
        }
        Some((_, Err(why))) => row.fault(why),
        Some((_, Ok(_))) => row.fault("what is broken was not found"),
        None => row.fault("there is no such line"),
    }
    row
}
