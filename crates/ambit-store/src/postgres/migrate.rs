//! Migrates the schema on a server: the same migrations as for SQLite, under a lock.

use super::session::{Session, WRITE};
use crate::{Error, MIGRATIONS, Result};

/// Storage settings of tables whose rows change with every command: free space on each page lets
/// an update stay on the same page.
const ROOM: [&str; 5] = [
    "ALTER TABLE vault SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, \
     autovacuum_vacuum_threshold = 500)",
    "ALTER TABLE scope SET (fillfactor = 50)",
    "ALTER TABLE actor SET (fillfactor = 50)",
    "ALTER TABLE presence SET (fillfactor = 50)",
    "ALTER TABLE frame SET (fillfactor = 50)",
];

/// The comment before a change that applies to SQLite only.
const NOT_FOR_SERVERS: &str = "-- SQLite alone:";

/// Returns the statements of a migration with PostgreSQL's type names. Text is compared byte by
/// byte, as in every store.
fn dialect(migration: &str) -> Vec<String> {
    if migration.starts_with(NOT_FOR_SERVERS) {
        return Vec::new();
    }
    let code = migration.lines().filter(|line| !line.trim_start().starts_with("--"));
    let code: String = code.map(|line| format!("{line}\n")).collect();
    let code = code
        .replace(") STRICT, WITHOUT ROWID;", ");")
        .replace(") STRICT;", ");")
        .replace("INTEGER", "BIGINT")
        .replace("BLOB", "BYTEA")
        .replace(" TEXT", " TEXT COLLATE \"C\"");
    let statements = code.split(';').map(str::trim).filter(|text| !text.is_empty());
    statements.map(str::to_string).collect()
}

/// Returns the version of a schema, or `None` if it does not exist.
pub(super) fn version(session: &Session, schema: &str) -> Result<Option<i64>> {
    // Read from the catalogue's tables: `to_regclass` answers from the connection's cache, which
    // is outdated after waiting for another process to create the schema.
    let there = session.ask(
        "SELECT 1 FROM pg_tables
         WHERE schemaname = $1::text AND tablename = 'schema_version'",
        &[&schema],
    )?;
    if there.is_empty() {
        return Ok(None);
    }
    let rows =
        session.ask(&format!("SELECT version FROM {}.schema_version", quoted(schema)), &[])?;
    let found: Option<i64> = rows.first().map(|row| row.get(0));
    let known = MIGRATIONS.len() as i64;
    match found {
        Some(found) if found > known => Err(Error::Newer { found, known }),
        Some(found) => Ok(Some(found)),
        None => Err(Error::Damaged("the table schema_version is empty".into())),
    }
}

/// Migrates the schema in one transaction, statement by statement. Another process that does the
/// same waits, and then finds it done.
pub(super) fn migrate(session: &mut Session, schema: &str) -> Result<()> {
    session.begin(WRITE)?;
    session.ask("SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))", &[&lock(schema)])?;
    let found = version(session, schema)?;
    if found.is_none() {
        let schema = quoted(schema);
        session.plain(&format!("CREATE SCHEMA IF NOT EXISTS {schema}"))?;
        session
            .plain(&format!("CREATE TABLE {schema}.schema_version (version BIGINT NOT NULL)"))?;
        session.plain("INSERT INTO schema_version (version) VALUES (0)")?;
    }
    let found = found.unwrap_or(0);
    if found < MIGRATIONS.len() as i64 {
        for migration in MIGRATIONS.iter().skip(found as usize) {
            dialect(migration).iter().try_for_each(|statement| session.plain(statement))?;
        }
        ROOM.iter().try_for_each(|statement| session.plain(statement))?;
        session.plain(&format!("UPDATE schema_version SET version = {}", MIGRATIONS.len()))?;
    }
    session.plain("COMMIT")
}

/// Returns the name of the lock for changing the schema and for creating vaults in it.
pub(super) fn lock(schema: &str) -> String {
    format!("ambit {schema}")
}

/// Quotes a name for a statement.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::{MIGRATIONS, dialect};

    #[test]
    fn nothing_of_sqlite_is_left_in_what_a_server_is_told() {
        for migration in MIGRATIONS {
            for text in dialect(migration) {
                for word in ["STRICT", "ROWID", "INTEGER", "BLOB", "--", ";"] {
                    assert!(!text.contains(word), "{word} in {text}");
                }
            }
        }
    }
}
