//! Measures appends by threads of one process to one SQLite file, against one thread that inserts
//! the same bytes into one table.

use std::path::Path;

use ambit::{Caller, Engine};
use rusqlite::Connection;

use super::database::Database;
use super::figure::{Figure, grouped};
use super::throughput::{ROUNDS, steps_per_second, unique};
use crate::{append, median, text};

/// Bytes of a message's text.
const BYTES: usize = 1_000;

/// The number of threads, and whether each has its own actor.
const CASES: [(usize, bool); 5] = [(1, true), (8, true), (32, true), (8, false), (32, false)];

pub fn run(folder: &Path) -> Vec<Figure> {
    eprintln!("writers on SQLite …");
    let opened = Database::Sqlite(folder.to_path_buf()).open("writers");
    let bare = folder.join("bare.db");
    drop(append::bare(&bare));
    let mut plain = Vec::new();
    let mut rates = vec![Vec::new(); CASES.len()];
    for _ in 0..ROUNDS {
        plain.push(steps_per_second(1, |_| insert(&bare)));
        for ((threads, own), rates) in CASES.iter().zip(&mut rates) {
            rates.push(steps_per_second(*threads, |number| {
                appends(&opened.engine, "default", number, *own)
            }));
        }
    }
    let plain = median(&mut plain);
    let rates: Vec<f64> = rates.iter_mut().map(|rates| median(rates)).collect();
    let mut figures = vec![Figure::unbounded(
        "SQLite: bare insert of 1 kB, 1 thread",
        format!("{}/s", grouped(plain as u64)),
    )];
    for ((threads, own), rate) in CASES.iter().zip(&rates) {
        let commits = commits(folder, *threads, *own);
        let what = format!("SQLite: append of 1 kB, {}", who(*threads, *own));
        let measured = format!(
            "{}/s: {:.2} × the bare insert, {:.2} × one thread, {commits:.2} commits each",
            grouped(*rate as u64),
            rate / plain,
            rate / rates[0],
        );
        figures.push(match threads {
            32 => Figure::at_least(what, rate / rates[0], 2.5, measured),
            _ => Figure::unbounded(what, measured),
        });
        if *threads == 32 {
            let what = format!("SQLite: commits for an append, {}", who(*threads, *own));
            figures.push(Figure::at_most(what, commits, 0.125, format!("{commits:.3}")));
        }
    }
    figures
}

pub fn who(threads: usize, own: bool) -> String {
    match (threads, own) {
        (1, _) => "1 thread".into(),
        (_, true) => format!("{threads} threads, an actor each"),
        (_, false) => format!("{threads} threads of one actor"),
    }
}

/// Returns a step that appends a new text.
pub fn appends<'a>(
    engine: &'a Engine,
    vault: &str,
    number: usize,
    own: bool,
) -> impl FnMut() + use<'a> {
    let actor = if own { format!("actor-{number}") } else { "actor".to_string() };
    let caller = Caller { vault: vault.to_string(), ..Caller::new(actor) };
    move || {
        engine.append_text(&caller, "user", &text(BYTES, unique())).expect("appended");
    }
}

fn insert(path: &Path) -> impl FnMut() + use<> {
    let bare = Connection::open(path).expect("a database");
    bare.pragma_update(None, "synchronous", "FULL").expect("FULL");
    move || {
        let mut statement = bare.prepare_cached(append::INSERT).expect("prepared");
        statement.execute([text(BYTES, unique())]).expect("inserted");
    }
}

/// Returns the commits per append, counted in the write-ahead log of a new store. An open reader
/// keeps SQLite from restarting the log.
fn commits(folder: &Path, threads: usize, own: bool) -> f64 {
    let name = format!("commits-{threads}-{own}");
    let opened = Database::Sqlite(folder.to_path_buf()).open(&name);
    let path = folder.join(format!("{name}.db"));
    let reader = Connection::open(&path).expect("a database");
    reader.execute_batch("BEGIN; PRAGMA user_version; SELECT COUNT(*) FROM vault").expect("held");
    let log = folder.join(format!("{name}.db-wal"));
    let (before, from) = (commit_frames(&log), unique());
    steps_per_second(threads, |number| appends(&opened.engine, "default", number, own));
    (commit_frames(&log) - before) as f64 / (unique() - from - 1) as f64
}

/// Returns how many frames of a write-ahead log end a transaction.
fn commit_frames(path: &Path) -> u64 {
    let log = std::fs::read(path).unwrap_or_default();
    let word = |at: usize| log.get(at..at + 4).map_or(0, be);
    let (page, salt) = (word(8) as usize, log.get(16..24));
    let mut count = 0;
    let mut at = 32;
    while page > 0 && log.get(at + 8..at + 16) == salt && at + 24 + page <= log.len() {
        count += u64::from(word(at + 4) > 0);
        at += 24 + page;
    }
    count
}

fn be(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}
