//! `growth`: notes over messages. What lies on disk is a small multiple of the text, and twice the
//! work takes about twice the bytes.

use ambit_store::{Postgres, PostgresOptions};
use indicatif::ProgressBar;

use super::ground::{Base, Ground, Place, said};
use super::table::Row;

/// A message, and a note, without its number.
const MESSAGE: usize = 400;
const NOTE: usize = 100;

/// What twice the work may take, and how often the text may lie on disk.
const TWICE_MAX: f64 = 2.2;
const TIMES_MAX: f64 = 12.0;

pub fn run(ground: &Ground, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(rounds * 3 * Base::ALL.len() as u64);
    let mut rows = Vec::new();
    for base in Base::ALL {
        let mut row = Row::new(format!("growth, {}", base.name()));
        row.rounds = rounds;
        if let Err(why) = on(ground, base, &mut row, bar) {
            row.fault(why);
        }
        rows.push(row);
    }
    Ok(rows)
}

fn on(ground: &Ground, base: Base, row: &mut Row, bar: &ProgressBar) -> Result<(), String> {
    let empty = Work::done(ground, base, "growth_0", 0, bar)?;
    let once = Work::done(ground, base, "growth_1", row.rounds, bar)?;
    let twice = Work::done(ground, base, "growth_2", row.rounds * 2, bar)?;
    row.acknowledged = once.written + twice.written;
    row.found = once.found + twice.found;
    // What an empty store takes is no growth.
    let (one, two) = (once.bytes - empty.bytes, twice.bytes - empty.bytes);
    let (times, ratio) = (one as f64 / once.text as f64, two as f64 / one as f64);
    row.note(format!(
        "{times:.2} bytes for each of text ({:.1} MB for {:.1}); twice the work {ratio:.2} ×",
        one as f64 / 1e6,
        once.text as f64 / 1e6
    ));
    if ratio > TWICE_MAX {
        row.fault(format!("twice the work took {ratio:.2} × the bytes"));
    }
    if times > TIMES_MAX {
        row.fault(format!("{times:.2} bytes for each of text"));
    }
    Ok(())
}

struct Work {
    written: u64,
    found: u64,
    text: u64,
    bytes: u64,
}

impl Work {
    /// So many messages, and after each a note.
    fn done(
        ground: &Ground,
        base: Base,
        name: &str,
        count: u64,
        bar: &ProgressBar,
    ) -> Result<Work, String> {
        let place = ground.place_apart(base, name)?;
        let engine = place.engine()?;
        let me = place.caller("writer");
        let mut work = Work { written: 0, found: 0, text: 0, bytes: 0 };
        for number in 1..=count {
            let message = words(MESSAGE, number);
            let note = words(NOTE, number);
            engine.append_text(&me, "user", &message).map_err(said)?;
            engine.note(&me, &note).map_err(said)?;
            work.text += (message.len() + note.len()) as u64;
            work.written += 2;
            bar.inc(1);
        }
        place.check(&engine)?;
        let found = engine.where_am_i(&me).map_err(said)?;
        work.found = u64::try_from(found.messages + found.notes).unwrap_or(0);
        // Who leaves last folds the log.
        drop(engine);
        work.bytes = bytes(&place)?;
        Ok(work)
    }
}

/// Text that does not repeat.
fn words(bytes: usize, number: u64) -> String {
    let mut chance = super::chance::Chance::new(number);
    let mut text = format!("{number}");
    while text.len() < bytes {
        text += &format!(" {:x}", chance.next() >> 40);
    }
    text
}

/// All that a place takes up, alone in its store.
fn bytes(place: &Place) -> Result<u64, String> {
    if let Some(path) = place.file() {
        let folder = path.parent().unwrap_or(path);
        let files = std::fs::read_dir(folder).map_err(said)?.flatten();
        return Ok(files.filter_map(|file| Some(file.metadata().ok()?.len())).sum());
    }
    let options = PostgresOptions::default();
    let (store, _) = Postgres::create(&place.store(), &|_| None, &options).map_err(said)?;
    store.ask("VACUUM").map_err(said)?;
    let sum = "SELECT CAST(SUM(pg_total_relation_size(oid)) AS TEXT) FROM pg_class
               WHERE relkind = 'r' AND relnamespace = CAST(current_schema AS regnamespace)";
    let rows = store.ask(sum).map_err(said)?;
    let text = rows.into_iter().flatten().flatten().next().unwrap_or_default();
    text.parse().map_err(|_| format!("the server gave {text:?} as a size"))
}
