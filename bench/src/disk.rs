//! Measures bytes on disk for 10,000 messages of 1 kB with 1,000 notes, against the text itself.

use std::path::Path;

use ambit::Location;
use rusqlite::Connection;

use super::{Line, caller, engine, text};

pub fn run(folder: &Path) -> Vec<Line> {
    let (engine, location) = engine(folder, "disk.db");
    let me = caller();
    let mut bytes = 0;
    for note in 0..1_000u64 {
        let mut lines = String::new();
        for message in 0..10 {
            let body = text(1_000, note * 10 + message);
            bytes += body.len();
            lines += &format!("{{\"role\":\"user\",\"content\":\"{body}\"}}\n");
        }
        engine.append_json(&me, &lines).expect("appended");
        let note = text(80, 1_000_000 + note);
        bytes += note.len();
        engine.note(&me, &note).expect("noted");
    }
    let Location::Sqlite(path) = location else { panic!("expected a file") };
    let connection = Connection::open(&path).expect("a database");
    connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        .expect("checkpointed");
    let size = std::fs::metadata(&path).expect("a file").len() as f64;
    let detail = format!("{:.1} MB for {:.1} MB of text", size / 1e6, bytes as f64 / 1e6);
    let what = "bytes on disk / text (10,000 messages, 1,000 notes)";
    vec![Line::at_most(what, size / bytes as f64, 4.0, &detail)]
}
