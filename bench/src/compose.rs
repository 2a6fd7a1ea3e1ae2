//! Measures composing 5,000 messages of 200 bytes, against reading the same rows with one bare
//! statement.

use std::path::Path;

use ambit::{Location, Request};
use rusqlite::Connection;

use super::{Line, caller, conversation, engine, median, micros};

/// Reads the same rows: texts with the columns needed to order and label them.
const BARE: &str = "SELECT p.position, p.tokens, i.role, i.author, i.turn, c.text, c.key
    FROM place p
    JOIN item i ON i.vault = p.vault AND i.item = p.item
    LEFT JOIN content c ON c.vault = i.vault AND c.content = i.content
    WHERE p.vault = 1 AND p.scope = 1 AND p.to_seq = 0 ORDER BY p.position";

pub fn run(folder: &Path) -> Vec<Line> {
    let (engine, location) = engine(folder, "compose.db");
    let me = caller();
    engine.append_json(&me, &conversation(5_000, 200, 1)).expect("appended");
    let Location::Sqlite(path) = location else { panic!("expected a file") };
    let bare = Connection::open(path).expect("a database");
    let request = Request { budget: Some(2_000_000), ..Request::default() };
    let (mut through, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..40 {
        through.push(micros(|| {
            let composition = engine.compose(&me, &request).expect("composed");
            assert_eq!(composition.messages.len(), 5_000);
        }));
        plain.push(micros(|| {
            let mut statement = bare.prepare_cached(BARE).expect("prepared");
            let rows = statement.query_map([], |row| {
                Ok((
                    row.get::<_, i64>(0)?,
                    row.get::<_, i64>(1)?,
                    row.get::<_, String>(2)?,
                    row.get::<_, i64>(3)?,
                    row.get::<_, i64>(4)?,
                    row.get::<_, Vec<u8>>(5)?,
                    row.get::<_, [u8; 32]>(6)?,
                ))
            });
            assert_eq!(rows.expect("rows").count(), 5_000);
        }));
    }
    let (through, plain) = (median(&mut through), median(&mut plain));
    let detail = format!("{:.1} ms against {:.1} ms", through / 1e3, plain / 1e3);
    vec![
        Line::at_most("compose 5,000 messages / bare read", through / plain, 3.0, &detail),
        Line::below_ms("compose 5,000 messages", through / 1e3, 25.0),
    ]
}
