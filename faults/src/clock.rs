//! `clock`: clocks an hour back, a day forward, stopped, and moved while a process runs. Events are
//! ordered by sequence, no time goes backwards, ids are unique, and `verify` passes.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::ProgressBar;

use super::load::{LastNumbers, Load, Shape, compare, last_numbers};
use super::table::Row;
use super::testbed::{Database, Place, Testbed, describe};
use xtask::postgres::apt;

/// Clocks in libfaketime's notation. A time without a sign is a stopped clock.
const CLOCKS: [&str; 5] = ["+0", "-1h", "+1d", "2031-01-01 00:00:00", "-3d"];

/// How long a process writes under each clock.
const WORK: Duration = Duration::from_millis(150);

pub fn run(testbed: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    let library = library()?;
    bar.set_length(rounds * Database::ALL.len() as u64);
    let mut rows = Vec::new();
    for database in Database::ALL {
        let mut row = Row::new(format!("clock, {}", database.name()));
        if let Err(why) = on(testbed, database, &library, rounds, &mut row, bar) {
            row.fault(why);
        }
        rows.push(row);
    }
    Ok(rows)
}

fn on(
    testbed: &Testbed,
    database: Database,
    library: &Path,
    rounds: u64,
    row: &mut Row,
    bar: &ProgressBar,
) -> Result<(), String> {
    let place = testbed.place(database, "clock")?;
    let mut scopes = 0;
    for round in 1..=rounds {
        row.rounds += 1;
        bar.inc(1);
        let clock = CLOCKS[round as usize % CLOCKS.len()];
        let scope = format!("scope-{round}");
        let steps: [&[&str]; 5] = [
            &["scope", &scope, "-m", "there"],
            &["append", "--role", "user", "elsewhere"],
            &["note", "-m", "seen"],
            &["goto", "main", "-m", "and back"],
            &["where"],
        ];
        for step in steps {
            let faked = place.with(&faketime(library, "FAKETIME", clock));
            faked
                .output(&[step, &["--as", "walker"]].concat())
                .map_err(|why| format!("with the clock {clock:?}: {why}"))?;
        }
        scopes += 1;
    }
    move_while_running(testbed, &place, library, row)?;
    judge(&place, scopes)
}

/// Moves the clock while a process writes.
fn move_while_running(
    testbed: &Testbed,
    place: &Place,
    library: &Path,
    row: &mut Row,
) -> Result<(), String> {
    let file = testbed.folder("clocks")?.join("now");
    let set = |clock: &str| std::fs::write(&file, format!("{clock}\n")).map_err(describe);
    set(CLOCKS[0])?;
    let path = file.display().to_string();
    let faked = place.with(&faketime(library, "FAKETIME_TIMESTAMP_FILE", &path));
    let none = LastNumbers::new();
    let load = Load::start(&faked, Shape::Threads { writers: 2 }, &none, &[])?;
    for clock in CLOCKS {
        set(clock)?;
        std::thread::sleep(WORK);
    }
    let last = last_numbers(&none, &load.kill()?)?;
    let engine = place.engine()?;
    let tally = compare(&last, &place.texts(&engine)?);
    row.acknowledged = tally.acknowledged;
    row.found = tally.found;
    row.doubled = tally.doubled;
    tally.wrong.map_or(Ok(()), Err)
}

fn judge(place: &Place, scopes: usize) -> Result<(), String> {
    let engine = place.engine()?;
    let me = place.caller("reader");
    let log = engine.log(&me, Some(0), 1_000_000).map_err(describe)?;
    for (number, pair) in (1..).zip(log.events.windows(2)) {
        if pair[0].seq != number || pair[1].seq != number + 1 {
            return Err(format!("event {} follows {}", pair[1].seq, pair[0].seq));
        }
        if pair[1].time < pair[0].time {
            return Err(format!("time {} follows {}", pair[1].time, pair[0].time));
        }
    }
    let first = log.events.first().map(|event| event.time.clone()).unwrap_or_default();
    let last = log.events.last().map(|event| event.time.clone()).unwrap_or_default();
    let listed = engine.scopes(&me).map_err(describe)?.scopes;
    let ids: HashSet<&str> = listed.iter().map(|scope| scope.id.as_str()).collect();
    if listed.len() != scopes + 1 || ids.len() != listed.len() {
        return Err(format!(
            "expected {} scopes with unique ids, found {} with {} ids",
            scopes + 1,
            listed.len(),
            ids.len()
        ));
    }
    if let Some(scope) = listed.iter().find(|it| it.created_at < first || it.created_at > last) {
        return Err(format!(
            "scope {} was created at {}, outside the log",
            scope.name, scope.created_at
        ));
    }
    let hashes: HashSet<&str> = log.events.iter().map(|event| event.hash.as_str()).collect();
    if hashes.len() != log.events.len() {
        return Err("two events have the same hash".into());
    }
    place.check(&engine)
}

/// Returns the environment that gives a program another clock, as a value or as a file that holds
/// it. The monotonic clock stays real, so that waits end.
fn faketime<'a>(library: &'a Path, name: &'a str, value: &'a str) -> [(&'a str, &'a OsStr); 4] {
    [
        ("LD_PRELOAD", library.as_os_str()),
        (name, value.as_ref()),
        ("FAKETIME_NO_CACHE", "1".as_ref()),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".as_ref()),
    ]
}

/// Returns the path of libfaketime; installs it if it is missing.
fn library() -> Result<PathBuf, String> {
    if let Some(path) = find() {
        return Ok(path);
    }
    apt(&["libfaketime"])
        .map_err(|why| format!("did not run: cannot install libfaketime: {why}"))?;
    find().ok_or_else(|| "did not run: cannot find libfaketime".to_string())
}

fn find() -> Option<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib").ok()?.flatten();
    let files = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"));
    files.into_iter().find(|file| file.is_file())
}
