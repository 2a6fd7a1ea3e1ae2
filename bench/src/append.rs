//! A durable append of 1 kB through the engine, against a bare insert into SQLite.

use std::path::Path;

use rusqlite::Connection;

use super::{Line, caller, engine, median, micros, text};

/// The insert to compare with.
pub const INSERT: &str = "INSERT INTO message (body) VALUES (?1)";

pub fn run(folder: &Path) -> Vec<Line> {
    let (engine, _) = engine(folder, "append.db");
    let bare = bare(&folder.join("bare.db"));
    let me = caller();
    let (mut through, mut plain) = (Vec::new(), Vec::new());
    // The two take turns, so that other load on the machine affects both alike.
    for round in 0..1_000u64 {
        let body = text(1_000, round);
        through.push(micros(|| drop(engine.append_text(&me, "user", &body).expect("appended"))));
        plain.push(micros(|| {
            bare.execute(INSERT, [&body]).expect("inserted");
        }));
    }
    let (through, plain) = (median(&mut through), median(&mut plain));
    let detail = format!("{through:.0} µs against {plain:.0} µs");
    vec![Line::at_most("append of 1 kB / bare insert", through / plain, 2.0, &detail)]
}

/// Opens a database with one table and the durability of a store.
pub fn bare(path: &Path) -> Connection {
    let bare = Connection::open(path).expect("a database");
    bare.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).expect("WAL");
    bare.pragma_update(None, "synchronous", "FULL").expect("FULL");
    bare.execute_batch("CREATE TABLE message (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT")
        .expect("a table");
    bare
}
