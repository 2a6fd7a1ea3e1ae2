//! `processes`: sixteen processes write, four read for long, one folds the write-ahead log. Nobody
//! is told that the store is busy, all is stored once, and the log stays bounded.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use ambit_store::{Postgres, PostgresOptions};
use indicatif::ProgressBar;
use rusqlite::Connection;

use super::ground::{Base, Ground, Place, said};
use super::load::{Load, Numbers, Said, Shape, compare, numbers};
use super::table::Row;

const WRITERS: usize = 16;
const READERS: usize = 4;

/// How long a reader looks at one moment of the store.
const SNAPSHOT: Duration = Duration::from_secs(1);

/// How large the log may get: 64 MiB, from where on readers are waited for, and some to spare.
const LOG_BYTES_MAX: u64 = 96 << 20;

/// How often the log is folded.
const FOLD: Duration = Duration::from_millis(100);

/// How often its size is looked at.
const LOOK: Duration = Duration::from_millis(2);

pub fn run(ground: &Ground, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(rounds * WRITERS as u64 * Base::ALL.len() as u64);
    let mut rows = Vec::new();
    for base in Base::ALL {
        let mut row = Row::new(format!("processes, {}", base.name()));
        row.rounds = rounds;
        if let Err(why) = on(ground, base, &mut row, bar) {
            row.fault(why);
        }
        rows.push(row);
    }
    Ok(rows)
}

fn on(ground: &Ground, base: Base, row: &mut Row, bar: &ProgressBar) -> Result<(), String> {
    let place = ground.place(base, "processes")?;
    let stop = AtomicBool::new(false);
    let shape = Shape::Processes { processes: WRITERS, threads: 1 };
    let count = row.rounds.to_string();
    let begun = Instant::now();
    let mut told = Vec::new();
    let (mut readings, mut longest_look, mut peak) = (0, SNAPSHOT, 0);
    std::thread::scope(|scope| -> Result<(), String> {
        let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(|| read(&place, &stop))).collect();
        let folder = scope.spawn(|| fold(&place, &stop));
        let written = Load::start(&place, shape, &Numbers::new(), &["--count", &count])
            .and_then(Load::finish);
        stop.store(true, Relaxed);
        for reader in readers {
            let looks = reader.join().map_err(|_| "a reader panicked")??;
            readings += looks.len();
            longest_look = looks.into_iter().fold(longest_look, Duration::max);
        }
        peak = folder.join().map_err(|_| "the checkpointer panicked")??;
        told = written?;
        Ok(())
    })?;
    let took = begun.elapsed();
    bar.inc(told.len() as u64);
    row.took(longest(&told));
    let engine = place.engine()?;
    let tally = compare(&numbers(&Numbers::new(), &told)?, &place.texts(&engine)?);
    row.acknowledged = tally.acknowledged;
    row.found = tally.found;
    row.doubled = tally.doubled;
    let rate = tally.acknowledged as f64 / took.as_secs_f64();
    let sizes = format!("log at most {}", mebibytes(peak));
    let looks = format!("{rate:.0}/s, {readings} readings, {longest_look:.1?} the longest");
    row.note(match base {
        Base::Sqlite => format!("{looks}, {sizes}"),
        Base::Postgres => looks,
    });
    if tally.acknowledged != row.rounds * WRITERS as u64 {
        row.fault("not all was written");
    }
    if peak > LOG_BYTES_MAX {
        row.fault(sizes);
    }
    if let Some(wrong) = tally.wrong {
        row.fault(wrong);
    }
    place.check(&engine)
}

/// Reads again and again, each time at one moment for long. Answers how long.
fn read(place: &Place, stop: &AtomicBool) -> Result<Vec<Duration>, String> {
    let engine = place.engine()?;
    let mut looks = Vec::new();
    while !stop.load(Relaxed) {
        let begun = Instant::now();
        place.check(&engine).map_err(|why| format!("a reader: {why}"))?;
        looks.push(begun.elapsed());
        match place.file() {
            Some(path) => hold(path, stop)?,
            None => hold_on_server(place)?,
        }
    }
    Ok(looks)
}

/// Keeps SQLite's log from being folded beyond this moment.
fn hold(path: &Path, stop: &AtomicBool) -> Result<(), String> {
    let mut connection = Connection::open(path).map_err(said)?;
    let moment = connection.transaction().map_err(said)?;
    let count = || moment.query_row("SELECT COUNT(*) FROM event", [], |row| row.get::<_, i64>(0));
    let (begun, first) = (Instant::now(), count().map_err(said)?);
    while begun.elapsed() < SNAPSHOT && !stop.load(Relaxed) {
        std::thread::sleep(LOOK);
    }
    match count().map_err(said)? == first {
        true => Ok(()),
        false => Err("a reader saw the store change within one moment".into()),
    }
}

/// Keeps a server from clearing away what was there at this moment.
fn hold_on_server(place: &Place) -> Result<(), String> {
    let options = PostgresOptions::default();
    let store = Postgres::open(&place.store(), &|_| None, &options).map_err(said)?;
    let (seconds, store) = (SNAPSHOT.as_secs_f64(), store.ok_or("no store on the server")?);
    let text =
        format!("SELECT CAST(COUNT(*) AS TEXT) FROM event, (SELECT pg_sleep({seconds})) AS moment");
    store.ask(&text).map(drop).map_err(said)
}

/// Folds SQLite's log as far as readers let it. Answers how large it got.
fn fold(place: &Place, stop: &AtomicBool) -> Result<u64, String> {
    let mut peak = 0;
    let Some(path) = place.file() else {
        return Ok(peak);
    };
    let connection = Connection::open(path).map_err(said)?;
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    let mut folded = Instant::now();
    while !stop.load(Relaxed) {
        peak = peak.max(std::fs::metadata(&name).map_or(0, |it| it.len()));
        if folded.elapsed() > FOLD {
            folded = Instant::now();
            connection.query_row("PRAGMA wal_checkpoint", [], |_| Ok(())).map_err(said)?;
        }
        std::thread::sleep(LOOK);
    }
    Ok(peak)
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / 1_048_576.0)
}

/// The longest time that a writer waited between two words.
fn longest(told: &[Said]) -> Duration {
    let mut last: HashMap<&str, Instant> = HashMap::new();
    let mut longest = Duration::ZERO;
    for (at, text) in told {
        let writer = text.rsplit_once(' ').map_or("", |(writer, _)| writer);
        if let Some(before) = last.insert(writer, *at) {
            longest = longest.max(at.duration_since(before));
        }
    }
    longest
}
