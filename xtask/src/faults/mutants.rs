//! `mutants`: tests of the tests. The program is built with a fault on purpose, and the suite
//! that is there for it must fail.

use indicatif::ProgressBar;

use super::ground::Ground;
use super::table::Row;
use super::{kill, restart, sync};

type Run = fn(&Ground, u64, &ProgressBar) -> Result<Vec<Row>, String>;

/// A fault, the suite that must find it, which of its lines must fail, and within how many rounds.
struct Mutant {
    name: &'static str,
    suite: Run,
    lines: &'static [&'static str],
    rounds: u64,
}

const MUTANTS: [Mutant; 3] = [
    // A kill alone does not lose what was not synced, for the operating system has it; a trace
    // shows that nobody waited for the disk.
    Mutant {
        name: "unsynced",
        suite: sync::run,
        lines: &["sync, SQLite, writers: 1", "sync, SQLite, writers: 4", "sync, PostgreSQL"],
        rounds: 20,
    },
    // But a server that goes down loses what it keeps to itself.
    Mutant { name: "unsynced", suite: restart::run, lines: &["restart"], rounds: 3 },
    Mutant { name: "ack-early", suite: kill::run, lines: &["kill, SQLite", "kill, P"], rounds: 20 },
];

pub fn run(_: &Ground, _: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(MUTANTS.len() as u64);
    let mut rows = Vec::new();
    for mutant in &MUTANTS {
        let ground = Ground::broken(mutant.name)?;
        let found = (mutant.suite)(&ground, mutant.rounds, &ProgressBar::hidden())?;
        for line in mutant.lines {
            let seen = found.iter().find(|row| row.name.starts_with(line));
            let mut row = Row::new(format!("mutants, {}: {line}", mutant.name));
            match seen.map(|seen| (seen, &seen.verdict)) {
                Some((seen, Err(why))) if !why.starts_with("did not run") => {
                    row.rounds = seen.rounds;
                    row.acknowledged = seen.acknowledged;
                    row.found = seen.found;
                    row.note(format!("found, as it must be: {why}"));
                }
                Some((_, Err(why))) => row.fault(why),
                Some((_, Ok(_))) => row.fault("a broken program was not found out"),
                None => row.fault("there is no such line"),
            }
            rows.push(row);
        }
        bar.inc(1);
    }
    Ok(rows)
}
