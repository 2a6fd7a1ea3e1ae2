//! The embedded store: one SQLite file. This module frames transactions; what is said in them is
//! shared with the other database and stands in `tables`.

mod link;
mod open;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use ambit_core::{Answer, Ask, Millis, VaultState};
use rusqlite::{Connection, Row, TransactionBehavior};

use crate::statements::statements;
use crate::tables::{self, Job, Outcome, Reader, Recent, Writers};
use crate::{Decide, Import, Result, SCRUB_WAIT_MS, Snapshot, Store, VaultInfo};

/// SQLite numbers its parameters `?1`, not `$1`, and locks the file instead of rows.
static SQL: LazyLock<HashMap<&'static str, String>> =
    LazyLock::new(|| statements(OWN, |text| text.replace('$', "?").replace(" FOR UPDATE", "")));

const OWN: &str = include_str!("../sql/sqlite.sql");

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long to wait for another process's lock.
    pub wait_ms: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { wait_ms: 30_000 }
    }
}

/// How many connections are kept open while nobody uses them.
const IDLE_MAX: usize = 8;

/// A store in a SQLite file.
pub struct Sqlite {
    path: PathBuf,
    wait_ms: u64,
    /// Connections at rest. Who reads or writes takes one, or opens one more.
    idle: Mutex<Vec<Connection>>,
    /// Writers of this process queue here, and only the first of them for the file's own lock:
    /// SQLite has those who wait for that look again at intervals.
    writing: Mutex<()>,
    writers: Writers,
}

impl Sqlite {
    /// Opens a store that is there, bringing its schema up to date.
    pub fn open(path: &Path, options: &Options) -> Result<Sqlite> {
        Sqlite::over(path, options, false)
    }

    /// Opens a store, creating it where there is none.
    pub fn create(path: &Path, options: &Options) -> Result<Sqlite> {
        Sqlite::over(path, options, true)
    }

    fn over(path: &Path, options: &Options, create: bool) -> Result<Sqlite> {
        let connection = open::open(path, options.wait_ms, create)?;
        Ok(Sqlite {
            path: path.to_path_buf(),
            wait_ms: options.wait_ms,
            idle: Mutex::new(vec![connection]),
            writing: Mutex::default(),
            writers: Writers::default(),
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every statement with its plan's lines, so that a test can look for full scans.
    pub fn plans(&self) -> Result<Vec<(&'static str, Vec<String>)>> {
        self.with(|connection| {
            let mut plans = Vec::new();
            for (name, text) in SQL.iter() {
                let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}"))?;
                let nulls = vec![rusqlite::types::Null; statement.parameter_count()];
                let lines = statement
                    .query_map(rusqlite::params_from_iter(nulls), |row| row.get(3))
                    .and_then(|rows| rows.collect())?;
                plans.push((*name, lines));
            }
            Ok(plans)
        })
    }

    /// How this connection keeps what it is given, so that a test can see it is safe.
    pub fn pragmas(&self) -> Result<Vec<(&'static str, String)>> {
        let names = ["journal_mode", "synchronous", "foreign_keys", "secure_delete"];
        self.with(|connection| {
            let get = |name| {
                let value = |row: &Row<'_>| row.get::<_, rusqlite::types::Value>(0);
                let text = match connection.pragma_query_value(None, name, value)? {
                    rusqlite::types::Value::Integer(number) => number.to_string(),
                    rusqlite::types::Value::Text(text) => text,
                    other => format!("{other:?}"),
                };
                Ok((name, text))
            };
            names.into_iter().map(get).collect()
        })
    }

    /// Uses a connection outside of a transaction.
    fn with<T>(&self, step: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let connection = self.take()?;
        let done = step(&connection).map_err(|error| self.failed(error));
        self.give_back(connection);
        done
    }

    /// Runs a step in a transaction that is rolled back unless it succeeds.
    fn within<T>(
        &self,
        behavior: TransactionBehavior,
        step: impl FnOnce(&mut link::SqliteLink<'_>) -> Result<T>,
    ) -> Result<T> {
        // Also where the step panics: a transaction that is dropped is rolled back, but for the
        // connection's sake it is closed rather than used again.
        let mut connection = self.take()?;
        let done = self.transaction(&mut connection, behavior, step);
        self.give_back(connection);
        done
    }

    fn transaction<T>(
        &self,
        connection: &mut Connection,
        behavior: TransactionBehavior,
        step: impl FnOnce(&mut link::SqliteLink<'_>) -> Result<T>,
    ) -> Result<T> {
        let failed = |error| self.failed(error);
        let transaction = connection.transaction_with_behavior(behavior).map_err(failed)?;
        let done = step(&mut link::SqliteLink { connection: &transaction, failed: &failed })?;
        transaction.commit().map_err(failed)?;
        Ok(done)
    }

    fn take(&self) -> Result<Connection> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(connection) => Ok(connection),
            None => open::connect(&self.path, Duration::from_millis(self.wait_ms))
                .map_err(|error| self.failed(error)),
        }
    }

    fn give_back(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_MAX {
            idle.push(connection);
        }
    }

    fn write(&self, recent: &mut Recent, jobs: &mut [Job]) -> Result<Vec<Outcome>> {
        let _first = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.within(TransactionBehavior::Immediate, |link| tables::run(link, recent, jobs))
    }

    fn failed(&self, error: rusqlite::Error) -> crate::Error {
        open::failed(error, &self.path, self.wait_ms)
    }
}

impl Store for Sqlite {
    fn vaults(&self) -> Result<Vec<VaultInfo>> {
        self.within(TransactionBehavior::Deferred, |link| {
            tables::many(link, "vaults", Vec::new(), tables::vault_info)
        })
    }

    fn create(&self, vault: &str, now: Millis, seed: [u8; 32]) -> Result<bool> {
        self.within(TransactionBehavior::Immediate, |link| tables::create(link, vault, now, seed))
    }

    fn transact(&self, ask: Ask, decide: Decide) -> Result<Answer> {
        self.writers.submit(ask, decide, |recent, jobs| self.write(recent, jobs))
    }

    fn read(
        &self,
        vault: &str,
        reader: &mut dyn FnMut(&mut dyn Snapshot) -> Result<()>,
    ) -> Result<()> {
        self.within(TransactionBehavior::Deferred, |link| reader(&mut Reader::new(link, vault)?))
    }

    fn import(&self, vault: &str, step: Import) -> Result<VaultState> {
        let _first = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.within(TransactionBehavior::Immediate, |link| tables::import(link, vault, &step))
    }

    /// Folds the write-ahead log into the file and cuts it off: what was deleted from the file
    /// still stands in the log until then.
    fn scrub(&self) -> Result<bool> {
        let _first = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = self.wait_ms.min(SCRUB_WAIT_MS);
        self.with(|connection| {
            connection.busy_timeout(Duration::from_millis(wait))?;
            let busy = |row: &Row<'_>| row.get::<_, i64>(0);
            let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], busy);
            connection.busy_timeout(Duration::from_millis(self.wait_ms))?;
            Ok(busy? == 0)
        })
    }

    fn cannot_scrub(&self) -> &'static [&'static str] {
        &[
            "backups and copies of the file that were made before",
            "blocks that the disk or the file system keeps, such as snapshots",
        ]
    }
}
