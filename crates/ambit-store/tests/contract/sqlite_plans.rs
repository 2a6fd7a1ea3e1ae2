//! The statements: each is used, each can be prepared, and none scans a growing table.

use std::collections::BTreeSet;
use std::path::Path;

use ambit_store::{Options, Sqlite};
use tempfile::TempDir;

const FILES: [&str; 3] = [
    include_str!("../../src/sql/read.sql"),
    include_str!("../../src/sql/write.sql"),
    include_str!("../../src/sql/tables.sql"),
];

/// Returns the text of every Rust file of the crate.
fn sources(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text += &sources(&path);
        } else if path.extension().is_some_and(|it| it == "rs") {
            text += &std::fs::read_to_string(path).unwrap();
        }
    }
    text
}

fn names() -> Vec<&'static str> {
    let lines = FILES.iter().flat_map(|file| file.lines());
    lines.filter_map(|line| line.strip_prefix("-- name: ")).map(str::trim).collect()
}

fn plans() -> Vec<(&'static str, Vec<String>)> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ambit.db");
    Sqlite::create(&path, &Options::default()).unwrap().plans().unwrap()
}

/// A query plan prepares the statement: an error in any of them fails here.
#[test]
fn every_statement_is_prepared_once() {
    let names = names();
    let distinct: BTreeSet<_> = names.iter().copied().collect();
    assert_eq!(distinct.len(), names.len(), "no name stands for two statements");
    let prepared: BTreeSet<_> = plans().into_iter().map(|(name, _)| name).collect();
    assert_eq!(prepared, distinct);
}

#[test]
fn every_statement_is_used() {
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    for name in names() {
        assert!(sources.contains(&format!("\"{name}\"")), "{name} is unused");
    }
}

/// Returns whether a statement may read all of a table, or all rows of a vault.
fn exempt(name: &str) -> bool {
    match name {
        // Verify and rebuild read whole tables on purpose.
        _ if name.starts_with("all_") => true,
        // These list all vaults, or all scopes of a vault, on purpose.
        "vaults" | "scopes" => true,
        // Scans an index backwards and stops at the first row.
        "vault_last" => true,
        _ => false,
    }
}

#[test]
fn no_statement_scans_a_growing_table() {
    for (name, lines) in plans() {
        for line in lines.iter().filter(|_| !exempt(name)) {
            // A derived table holds only rows that the statement itself selected.
            let derived = line.starts_with("SCAN sub") || line.starts_with("SCAN (subquery");
            let scan = line.starts_with("SCAN ") && !derived;
            assert!(!scan, "{name}: {line}");
            // An index scan by the vault alone reads all rows of the vault.
            assert!(!line.ends_with("(vault=?)"), "{name}: {line}");
        }
    }
}

/// A statement that every command runs must use all columns of its index.
#[test]
fn the_busiest_statements_use_their_index_fully() {
    let plans = plans();
    let table = [
        ("key_expire", "key_time (vault=? AND time<?)"),
        ("notes", "(vault=? AND scope=? AND position>? AND position<?)"),
        ("notes_before", "note_seq (vault=? AND scope=? AND seq<?)"),
        ("messages", "(vault=? AND scope=? AND to_seq=? AND position>? AND position<?)"),
        ("place_at", "place_sum (vault=? AND scope=? AND sum>?)"),
        ("sum_before", "(vault=? AND scope=? AND to_seq=? AND position<?)"),
        ("notes_by_hash", "note_hash (vault=? AND hash>? AND hash<?)"),
        ("notes_by_hash", "place_item (vault=? AND item=?"),
        ("content_equal", "content_digest (vault=? AND digest=?)"),
        ("presence_active", "presence_active (vault=? AND actor=? AND entered_seq>?)"),
        ("presence", "(vault=? AND scope=? AND actor=?)"),
        ("presence_others_boundary", "(vault=? AND scope=?)"),
        ("turn_position", "place_item (vault=? AND item=?"),
        ("stream_last", "(vault=? AND frame=?)"),
        ("events", "(vault=? AND seq>?)"),
        ("text_use", "item_content (vault=? AND content=?)"),
        ("text_use", "turn_shape (vault=? AND shape=?)"),
        ("bags", "(vault=? AND content>? AND content<?)"),
        ("bag_next", "(vault=? AND content>?)"),
        ("postings", "(vault=? AND part=?)"),
        ("segment_last", "(vault=? AND part=?)"),
        ("items_with", "item_content (vault=? AND content=?)"),
        ("bearer", "(vault=? AND scope=? AND to_seq=? AND position<?)"),
        ("bearer", "place_item (vault=? AND item=?"),
        ("item_places", "place_item (vault=? AND item=?"),
        ("objects_in", "place_object (vault=? AND scope=? AND item>?)"),
        ("hidden_after", "(vault=? AND scope=? AND to_seq=? AND position>?)"),
        ("shown_last", "(vault=? AND scope=? AND to_seq=? AND position>? AND position<?)"),
        ("shown_first", "(vault=? AND scope=? AND to_seq=? AND position>? AND position<?)"),
        ("places_close", "(vault=? AND scope=? AND to_seq=? AND position>?)"),
    ];
    for (name, expected) in table {
        let (_, lines) = plans.iter().find(|(found, _)| *found == name).unwrap();
        assert!(lines.iter().any(|line| line.contains(expected)), "{name}: {lines:#?}");
        if ["place_at", "sum_before", "notes", "stream_last", "messages"].contains(&name) {
            let sorts = lines.iter().any(|line| line.contains("TEMP B-TREE"));
            assert!(!sorts, "{name} sorts what an index has in order: {lines:#?}");
        }
    }
}
