//! `processes`: sixteen processes write, four read for long, one checkpoints the write-ahead log.
//! No process gets a busy error, everything is stored once, and the log stays bounded.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use ambit_store::{Postgres, PostgresOptions};
use indicatif::ProgressBar;
use rusqlite::Connection;

use super::load::{Ack, LastNumbers, Load, Shape, compare, last_numbers};
use super::table::Row;
use super::testbed::{Database, Place, Testbed, describe};

const WRITERS: usize = 16;
const READERS: usize = 4;

/// How long a reader holds a snapshot.
const SNAPSHOT: Duration = Duration::from_secs(1);

/// The largest allowed log: from 64 MiB on writers wait for readers; the rest is a margin.
const LOG_BYTES_MAX: u64 = 96 << 20;

/// How often the log is checkpointed.
const CHECKPOINT_EVERY: Duration = Duration::from_millis(100);

/// How often the size of the log is read.
const POLL: Duration = Duration::from_millis(2);

pub fn run(testbed: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(rounds * WRITERS as u64 * Database::ALL.len() as u64);
    let mut rows = Vec::new();
    for database in Database::ALL {
        let mut row = Row::new(format!("processes, {}", database.name()));
        row.rounds = rounds;
        if let Err(why) = on(testbed, database, &mut row, bar) {
            row.fault(why);
        }
        rows.push(row);
    }
    Ok(rows)
}

fn on(
    testbed: &Testbed,
    database: Database,
    row: &mut Row,
    bar: &ProgressBar,
) -> Result<(), String> {
    let place = testbed.place(database, "processes")?;
    let stop = AtomicBool::new(false);
    let shape = Shape::Processes { processes: WRITERS, threads: 1 };
    let count = row.rounds.to_string();
    let begun = Instant::now();
    let mut acks = Vec::new();
    let (mut readings, mut longest_reading, mut peak) = (0, SNAPSHOT, 0);
    std::thread::scope(|scope| -> Result<(), String> {
        let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(|| read(&place, &stop))).collect();
        let checkpointer = scope.spawn(|| checkpoint(&place, &stop));
        let written = Load::start(&place, shape, &LastNumbers::new(), &["--count", &count])
            .and_then(Load::finish);
        stop.store(true, Relaxed);
        for reader in readers {
            let durations = reader.join().map_err(|_| "a reader panicked")??;
            readings += durations.len();
            longest_reading = durations.into_iter().fold(longest_reading, Duration::max);
        }
        peak = checkpointer.join().map_err(|_| "the checkpointer panicked")??;
        acks = written?;
        Ok(())
    })?;
    let took = begun.elapsed();
    bar.inc(acks.len() as u64);
    row.took(longest_wait(&acks));
    let engine = place.engine()?;
    let tally = compare(&last_numbers(&LastNumbers::new(), &acks)?, &place.texts(&engine)?);
    row.acknowledged = tally.acknowledged;
    row.found = tally.found;
    row.doubled = tally.doubled;
    let rate = tally.acknowledged as f64 / took.as_secs_f64();
    let sizes = format!("log at most {}", mebibytes(peak));
    let rates = format!("{rate:.0}/s, {readings} readings, {longest_reading:.1?} the longest");
    row.note(match database {
        Database::Sqlite => format!("{rates}, {sizes}"),
        Database::Postgres => rates,
    });
    if tally.acknowledged != row.rounds * WRITERS as u64 {
        row.fault("a writer did not write all its texts");
    }
    if peak > LOG_BYTES_MAX {
        row.fault(sizes);
    }
    if let Some(wrong) = tally.wrong {
        row.fault(wrong);
    }
    place.check(&engine)
}

/// Verifies the store and holds a snapshot, again and again. Returns the duration of each `verify`.
fn read(place: &Place, stop: &AtomicBool) -> Result<Vec<Duration>, String> {
    let engine = place.engine()?;
    let mut durations = Vec::new();
    while !stop.load(Relaxed) {
        let begun = Instant::now();
        place.check(&engine).map_err(|why| format!("a reader: {why}"))?;
        durations.push(begun.elapsed());
        match place.file() {
            Some(path) => hold(path, stop)?,
            None => hold_on_server(place)?,
        }
    }
    Ok(durations)
}

/// Holds a snapshot, which keeps SQLite from checkpointing the log beyond it.
fn hold(path: &Path, stop: &AtomicBool) -> Result<(), String> {
    let mut connection = Connection::open(path).map_err(describe)?;
    let snapshot = connection.transaction().map_err(describe)?;
    let count = || snapshot.query_row("SELECT COUNT(*) FROM event", [], |row| row.get::<_, i64>(0));
    let (begun, first) = (Instant::now(), count().map_err(describe)?);
    while begun.elapsed() < SNAPSHOT && !stop.load(Relaxed) {
        std::thread::sleep(POLL);
    }
    match count().map_err(describe)? == first {
        true => Ok(()),
        false => Err("a snapshot changed while a reader held it".into()),
    }
}

/// Holds a snapshot, which keeps the server from vacuuming rows that it shows.
fn hold_on_server(place: &Place) -> Result<(), String> {
    let options = PostgresOptions::default();
    let store = Postgres::open(&place.store(), &|_| None, &options).map_err(describe)?;
    let (seconds, store) = (SNAPSHOT.as_secs_f64(), store.ok_or("the server has no store")?);
    let text =
        format!("SELECT CAST(COUNT(*) AS TEXT) FROM event, (SELECT pg_sleep({seconds})) AS pause");
    store.ask(&text).map(drop).map_err(describe)
}

/// Checkpoints SQLite's log as far as readers allow. Returns the largest size of the log.
fn checkpoint(place: &Place, stop: &AtomicBool) -> Result<u64, String> {
    let mut peak = 0;
    let Some(path) = place.file() else {
        return Ok(peak);
    };
    let connection = Connection::open(path).map_err(describe)?;
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    let mut last = Instant::now();
    while !stop.load(Relaxed) {
        peak = peak.max(std::fs::metadata(&name).map_or(0, |it| it.len()));
        if last.elapsed() > CHECKPOINT_EVERY {
            last = Instant::now();
            connection.query_row("PRAGMA wal_checkpoint", [], |_| Ok(())).map_err(describe)?;
        }
        std::thread::sleep(POLL);
    }
    Ok(peak)
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / 1_048_576.0)
}

/// Returns the longest time between two acknowledgements of a writer.
fn longest_wait(acks: &[Ack]) -> Duration {
    let mut last: HashMap<&str, Instant> = HashMap::new();
    let mut longest = Duration::ZERO;
    for (at, text) in acks {
        let writer = text.rsplit_once(' ').map_or("", |(writer, _)| writer);
        if let Some(before) = last.insert(writer, *at) {
            longest = longest.max(at.duration_since(before));
        }
    }
    longest
}
