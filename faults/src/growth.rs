//! `growth`: appends messages and notes. The size on disk is a small multiple of the text, and
//! twice the work takes about twice the bytes.

use ambit_store::{Postgres, PostgresOptions};
use indicatif::ProgressBar;

use super::table::Row;
use super::testbed::{Database, Place, Testbed, describe};

/// Bytes of a message and of a note.
const MESSAGE_BYTES: usize = 400;
const NOTE_BYTES: usize = 100;

/// The largest allowed ratios of the bytes for twice the work, and of bytes on disk to text.
const TWICE_MAX: f64 = 2.2;
const TIMES_MAX: f64 = 12.0;

pub fn run(testbed: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(rounds * 3 * Database::ALL.len() as u64);
    let mut rows = Vec::new();
    for database in Database::ALL {
        let mut row = Row::new(format!("growth, {}", database.name()));
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
    let empty = Work::run(testbed, database, "growth_0", 0, bar)?;
    let once = Work::run(testbed, database, "growth_1", row.rounds, bar)?;
    let twice = Work::run(testbed, database, "growth_2", row.rounds * 2, bar)?;
    row.acknowledged = once.written + twice.written;
    row.found = once.found + twice.found;
    // The size of an empty store does not count as growth.
    let (one, two) = (once.bytes - empty.bytes, twice.bytes - empty.bytes);
    let (times, ratio) = (one as f64 / once.text as f64, two as f64 / one as f64);
    row.note(format!(
        "{times:.2} bytes per byte of text ({:.1} MB for {:.1}); twice the work {ratio:.2} ×",
        one as f64 / 1e6,
        once.text as f64 / 1e6
    ));
    if ratio > TWICE_MAX {
        row.fault(format!("twice the work took {ratio:.2} × the bytes, more than {TWICE_MAX}"));
    }
    if times > TIMES_MAX {
        row.fault(format!("{times:.2} bytes per byte of text, more than {TIMES_MAX}"));
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
    /// Writes `count` messages, each followed by a note.
    fn run(
        testbed: &Testbed,
        database: Database,
        name: &str,
        count: u64,
        bar: &ProgressBar,
    ) -> Result<Work, String> {
        let place = testbed.place_apart(database, name)?;
        let engine = place.engine()?;
        let me = place.caller("writer");
        let mut work = Work { written: 0, found: 0, text: 0, bytes: 0 };
        for number in 1..=count {
            let message = words(MESSAGE_BYTES, number);
            let note = words(NOTE_BYTES, number);
            engine.append_text(&me, "user", &message).map_err(describe)?;
            engine.note(&me, &note).map_err(describe)?;
            work.text += (message.len() + note.len()) as u64;
            work.written += 2;
            bar.inc(1);
        }
        place.check(&engine)?;
        let found = engine.where_am_i(&me).map_err(describe)?;
        work.found = u64::try_from(found.messages + found.notes).unwrap_or(0);
        // Closing the last connection checkpoints the log.
        drop(engine);
        work.bytes = bytes(&place)?;
        Ok(work)
    }
}

/// Returns a text that does not repeat.
fn words(bytes: usize, number: u64) -> String {
    let mut rng = super::rng::Rng::new(number);
    let mut text = format!("{number}");
    while text.len() < bytes {
        text += &format!(" {:x}", rng.next() >> 40);
    }
    text
}

/// Returns the bytes on disk of a place that is alone in its store.
fn bytes(place: &Place) -> Result<u64, String> {
    if let Some(path) = place.file() {
        let folder = path.parent().unwrap_or(path);
        let files = std::fs::read_dir(folder).map_err(describe)?.flatten();
        return Ok(files.filter_map(|file| Some(file.metadata().ok()?.len())).sum());
    }
    let options = PostgresOptions::default();
    let (store, _) = Postgres::create(&place.store(), &|_| None, &options).map_err(describe)?;
    store.ask("VACUUM").map_err(describe)?;
    let sum = "SELECT CAST(SUM(pg_total_relation_size(oid)) AS TEXT) FROM pg_class
               WHERE relkind = 'r' AND relnamespace = CAST(current_schema AS regnamespace)";
    let rows = store.ask(sum).map_err(describe)?;
    let text = rows.into_iter().flatten().flatten().next().unwrap_or_default();
    text.parse().map_err(|_| format!("cannot read the size: the server returned {text:?}"))
}
