//! The checks of `doctor` for a server and Ambit's schema on it.

use super::Postgres;
use super::migrate::quoted;
use super::session::text_of;
use crate::{Finding, Level, Result, size};

/// The oldest supported server version.
const VERSION_MIN: i64 = 150_000;

/// The age in seconds from which on an open transaction is reported: it keeps the server from
/// vacuuming.
const OLD_SECONDS: i64 = 60;

const TABLES: &str = "SELECT c.relname::text, pg_total_relation_size(c.oid)::text
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p')
ORDER BY pg_total_relation_size(c.oid) DESC, c.relname";

const HOLDERS: &str = "SELECT a.pid::text, COALESCE(a.usename::text, ''), COALESCE(a.state, ''),
    CAST(EXTRACT(EPOCH FROM now() - a.xact_start) AS BIGINT)::text,
    CAST(bool_or(NOT l.granted) AS INTEGER)::text
FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND a.pid <> pg_backend_pid() AND a.xact_start IS NOT NULL
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
GROUP BY a.pid, a.usename, a.state, a.xact_start ORDER BY a.xact_start";

pub(super) fn health(store: &Postgres) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let number = setting(store, "server_version_num")?.parse().unwrap_or(0);
    findings.push(Finding::at(
        if number >= VERSION_MIN { Level::Ok } else { Level::Bad },
        "version",
        format!("PostgreSQL {}", setting(store, "server_version")?),
        "upgrade the server to 15 or later",
    ));
    let version = store.ask("SELECT version::text FROM schema_version")?;
    let schema = &store.pool.address.schema;
    findings.push(Finding::ok("schema", format!("{} in {schema:?}", first(&version))));
    findings.push(durability(store)?);
    findings.push(sizes(store)?);
    findings.push(locks(store)?);
    findings.push(write(store));
    Ok(findings)
}

/// Returns the size of the whole schema.
pub(super) fn bytes_on_disk(store: &Postgres) -> Result<i64> {
    Ok(tables(store)?.iter().map(|(_, bytes)| bytes).sum())
}

/// Vacuums the tables and updates the planner's statistics.
pub(super) fn vacuum(store: &Postgres) -> Result<()> {
    let mut taken = store.pool.take(store.wait)?;
    for (table, _) in tables(store)? {
        taken.session()?.plain(&format!("VACUUM (ANALYZE) {}", quoted(&table)))?;
    }
    taken.give_back();
    Ok(())
}

fn tables(store: &Postgres) -> Result<Vec<(String, i64)>> {
    let rows = store.ask(TABLES)?;
    let column = |row: &Vec<Option<String>>, at: usize| row.get(at).cloned().flatten();
    let pair = |row| Some((column(row, 0)?, column(row, 1)?.parse().ok()?));
    Ok(rows.iter().filter_map(pair).collect())
}

fn first(rows: &[Vec<Option<String>>]) -> String {
    rows.first().and_then(|row| row.first().cloned().flatten()).unwrap_or_default()
}

fn setting(store: &Postgres, name: &str) -> Result<String> {
    Ok(first(&store.ask(&format!("SELECT current_setting('{name}')"))?))
}

fn durability(store: &Postgres) -> Result<Finding> {
    let names = ["fsync", "synchronous_commit", "full_page_writes"];
    let mut shown = Vec::new();
    let mut unsafe_ones = Vec::new();
    for name in names {
        let value = setting(store, name)?;
        if value == "off" {
            unsafe_ones.push(name);
        }
        shown.push(format!("{name} {value}"));
    }
    let advice = format!("turn on {}: acknowledged writes may be lost", unsafe_ones.join(", "));
    let level = if unsafe_ones.is_empty() { Level::Ok } else { Level::Bad };
    Ok(Finding::at(level, "durability", shown.join(", "), advice))
}

fn sizes(store: &Postgres) -> Result<Finding> {
    let tables = tables(store)?;
    let all: i64 = tables.iter().map(|(_, bytes)| bytes).sum();
    let largest = tables.iter().take(4).map(|(name, bytes)| format!("{name} {}", size(*bytes)));
    let largest = largest.collect::<Vec<_>>().join(", ");
    Ok(Finding::ok("size", format!("{} in {} tables: {largest}, …", size(all), tables.len())))
}

fn locks(store: &Postgres) -> Result<Finding> {
    let rows = store.ask(HOLDERS)?;
    let column = |row: &Vec<Option<String>>, at: usize| row.get(at).cloned().flatten();
    let mut open = Vec::new();
    let mut level = Level::Ok;
    for row in &rows {
        let [pid, user, state] = [0, 1, 2].map(|at| column(row, at).unwrap_or_default());
        let seconds = column(row, 3).and_then(|it| it.parse().ok()).unwrap_or(0);
        let waits = column(row, 4).is_some_and(|it| it == "1");
        if seconds > OLD_SECONDS {
            level = Level::Warn;
        }
        let waits = if waits { ", waits" } else { "" };
        open.push(format!("{pid} ({user}, {state}, {seconds} s{waits})"));
    }
    let found = match open.is_empty() {
        true => "nobody else is in a transaction".to_string(),
        false => format!("in a transaction: {}", open.join(", ")),
    };
    let advice = "see what it does in pg_stat_activity; pg_terminate_backend(PID) ends it";
    Ok(Finding::at(level, "locks", found, advice))
}

/// Writes a row, reads it, and rolls back.
fn write(store: &Postgres) -> Finding {
    let attempt = || -> Result<bool> {
        let mut taken = store.pool.take(store.wait)?;
        let session = taken.session()?;
        // On an error, the session is dropped and closed, which rolls back.
        session.plain("BEGIN")?;
        let (vault, scope) = (-1i64, 0i64);
        session.ask(text_of("setting_set"), &[&vault, &scope, &"doctor", &"here"])?;
        let rows = session.ask(text_of("settings"), &[&vault, &scope])?;
        session.plain("ROLLBACK")?;
        let found = rows.first().map(|row| row.get::<_, String>(2));
        taken.give_back();
        Ok(found.as_deref() == Some("here"))
    };
    match attempt() {
        Ok(true) => Finding::ok("write", "a written row can be read"),
        Ok(false) => {
            Finding::bad("write", "a written row is read back differently", "check the server")
        }
        Err(error) => {
            let advice = "check the role's rights on the schema, and the server's disk";
            Finding::bad("write", error.to_string(), advice)
        }
    }
}
