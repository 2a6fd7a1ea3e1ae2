//! The SQL statements, parsed from files that all databases share. Each database's own file
//! overrides the statements that differ.

use std::collections::HashMap;

/// The schema migrations, oldest first. Never edited once released.
pub const MIGRATIONS: &[&str] = &[
    include_str!("sql/migrations/0001.sql"),
    include_str!("sql/migrations/0002.sql"),
    include_str!("sql/migrations/0003.sql"),
    include_str!("sql/migrations/0004.sql"),
    include_str!("sql/migrations/0005.sql"),
    include_str!("sql/migrations/0006.sql"),
    include_str!("sql/migrations/0007.sql"),
    include_str!("sql/migrations/0008.sql"),
    include_str!("sql/migrations/0009.sql"),
];

const FILES: [&str; 3] =
    [include_str!("sql/read.sql"), include_str!("sql/write.sql"), include_str!("sql/tables.sql")];

fn parse(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    file.split("-- name: ").skip(1).filter_map(|part| {
        let (name, rest) = part.split_once('\n')?;
        let text = rest.split(';').next()?;
        Some((name.trim(), text.trim()))
    })
}

/// Returns all statements by name, in one database's dialect. The database's own file comes last:
/// its statements override the shared ones.
pub fn statements(own: &'static str, dialect: fn(&str) -> String) -> HashMap<&'static str, String> {
    let named = FILES.into_iter().chain([own]).flat_map(parse);
    named.map(|(name, text)| (name, dialect(text))).collect()
}

/// Returns the table that a statement reads first.
pub fn table_of(statement: &str) -> &'static str {
    let text = FILES.iter().flat_map(|file| parse(file)).find(|(name, _)| *name == statement);
    let from = text.and_then(|(_, text)| text.split_once("FROM ")).map_or("", |(_, rest)| rest);
    from.split_whitespace().next().unwrap_or("a table")
}
