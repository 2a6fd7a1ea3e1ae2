//! The embedded store: one SQLite file. This module manages connections and transactions; the
//! statements in them are shared with PostgreSQL and are in `tables`.

mod backup;
mod health;
mod link;
mod name_lock;
mod open;
mod upkeep;
mod wait;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ambit_core::{Answer, Ask, Millis, VaultState};
use rusqlite::{Connection, Row, TransactionBehavior};

use crate::statements::statements;
use crate::tables::{self, Batch, Outcomes, Reader, Writers};
use crate::{
    Decide, Finding, Garbage, Import, NameLock, Rebuilt, Result, SCRUB_WAIT_MS, Snapshot, Store,
    Sweep, VaultInfo,
};

/// SQLite numbers its parameters `?1`, not `$1`, and locks the file instead of rows.
static SQL: LazyLock<HashMap<&'static str, String>> = LazyLock::new(|| {
    statements(OWN, |text| text.replace('$', "?").replace(LOCKED, "").replace(LOCK, ""))
});

/// The clauses that lock rows. SQLite does not need them: a transaction locks the whole file.
const LOCK: &str = " FOR UPDATE";
const LOCKED: &str = " FOR UPDATE SKIP LOCKED";

const OWN: &str = include_str!("../sql/sqlite.sql");

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long to wait for another process's lock.
    pub wait_ms: u64,
    /// How long a snapshot may stay open. An open snapshot keeps the write-ahead log growing.
    pub snapshot_ms: u64,
    /// How large the write-ahead log may grow before upkeep truncates it. SQLite checkpoints it
    /// much earlier, but can restart it from its beginning only while nobody reads from it.
    pub log_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { wait_ms: 30_000, snapshot_ms: 600_000, log_bytes: 16 << 20 }
    }
}

/// How many unused connections are kept open.
const IDLE_MAX: usize = 8;

/// A store in a SQLite file.
pub struct Sqlite {
    path: PathBuf,
    wait_ms: u64,
    sharing: open::Sharing,
    snapshot_ms: u64,
    upkeep: upkeep::Upkeep,
    /// Unused connections. A reader or writer takes one of them or opens another.
    idle: Mutex<Vec<Connection>>,
    /// The queue of this process's writers. Only the first of them waits for the file's own lock,
    /// because SQLite polls for that lock at intervals.
    writing: Arc<Mutex<()>>,
    writers: Writers,
}

impl Sqlite {
    /// Opens an existing store and migrates its schema.
    pub fn open(path: &Path, options: &Options) -> Result<Sqlite> {
        Sqlite::over(path, options, false)
    }

    /// Opens a store, and creates it if it does not exist.
    pub fn create(path: &Path, options: &Options) -> Result<Sqlite> {
        Sqlite::over(path, options, true)
    }

    /// Opens a store without migrating it. Returns `None` if its schema is not current.
    pub fn peek(path: &Path, options: &Options) -> Result<Option<Sqlite>> {
        let connection = open::peek(path, options.wait_ms)?;
        Ok(connection.map(|it| Sqlite::with_first(path, options, it, open::Sharing::File)))
    }

    fn over(path: &Path, options: &Options, create: bool) -> Result<Sqlite> {
        let (connection, sharing) = open::open(path, options.wait_ms, create)?;
        let store = Sqlite::with_first(path, options, connection, sharing);
        store.index_all();
        Ok(store)
    }

    fn with_first(
        path: &Path,
        options: &Options,
        connection: Connection,
        sharing: open::Sharing,
    ) -> Sqlite {
        let writing = Arc::<Mutex<()>>::default();
        Sqlite {
            path: path.to_path_buf(),
            wait_ms: options.wait_ms,
            sharing,
            snapshot_ms: options.snapshot_ms,
            upkeep: upkeep::Upkeep::new(path, sharing, options.log_bytes, &writing),
            idle: Mutex::new(vec![connection]),
            writing,
            writers: Writers::new(1),
        }
    }

    /// Indexes the texts that are older than the search index. An error, such as a full disk, does
    /// not prevent opening the store: the next opening continues.
    fn index_all(&self) {
        let (read, write) = (TransactionBehavior::Deferred, TransactionBehavior::Immediate);
        while let Ok(true) = self.within(read, |link| tables::index_is_incomplete(link)) {
            if self.within(write, |link| tables::index_more(link)).is_err() {
                return;
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the query plan of every statement, for tests that look for full scans.
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

    /// Returns the pragmas that durability and secure deletion depend on, for tests.
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
    fn with<T>(&self, step: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T> {
        let mut connection = self.take()?;
        let done = step(&mut connection).map_err(|error| self.failed(error));
        self.give_back(connection);
        done
    }

    /// Runs a step in a transaction that is rolled back unless it succeeds.
    fn within<T>(
        &self,
        behavior: TransactionBehavior,
        step: impl FnOnce(&mut link::SqliteLink<'_>) -> Result<T>,
    ) -> Result<T> {
        // If the step panics, the transaction is rolled back and the connection is closed instead
        // of returned: its state is not trusted.
        let connection = self.take()?;
        let done = self.transaction(&connection, behavior, step);
        self.give_back(connection);
        done
    }

    fn transaction<T>(
        &self,
        connection: &Connection,
        behavior: TransactionBehavior,
        step: impl FnOnce(&mut link::SqliteLink<'_>) -> Result<T>,
    ) -> Result<T> {
        let failed = |error| self.failed(error);
        let wait = Duration::from_millis(self.wait_ms);
        let transaction = wait::begin(connection, behavior, wait).map_err(failed)?;
        let limit_ms = self.snapshot_ms;
        let until = match behavior {
            TransactionBehavior::Deferred => {
                Instant::now().checked_add(Duration::from_millis(limit_ms))
            }
            _ => None,
        };
        let limit = until.map(|until| link::Limit { until, limit_ms });
        let mut link = link::SqliteLink { connection: &transaction, failed: &failed, limit };
        let done = step(&mut link)?;
        transaction.commit().map_err(failed)?;
        Ok(done)
    }

    fn take(&self) -> Result<Connection> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(connection) => Ok(connection),
            None => {
                let wait = Duration::from_millis(self.wait_ms);
                open::connect(&self.path, wait, self.sharing).map_err(|error| self.failed(error))
            }
        }
    }

    fn give_back(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_MAX {
            idle.push(connection);
        }
    }

    fn write(&self, batches: &mut [Batch], wait: bool) -> Result<Outcomes> {
        let _first = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.within(TransactionBehavior::Immediate, |link| tables::run(link, batches, wait))
    }

    /// Returns the size of the file and its write-ahead log.
    fn bytes_on_disk(&self) -> i64 {
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |it| it.len() as i64);
        size(&self.path) + size(&upkeep::log_of(&self.path))
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
        let answer = self.writers.submit(ask, decide, |batches, wait| self.write(batches, wait));
        // The callers have their answers by now; upkeep runs on its own thread.
        self.upkeep.written();
        answer
    }

    fn read(
        &self,
        vault: &str,
        reader: &mut dyn FnMut(&mut dyn Snapshot) -> Result<()>,
    ) -> Result<()> {
        self.within(TransactionBehavior::Deferred, |link| reader(&mut Reader::new(link, vault)?))
    }

    fn import(&self, vault: &str, step: Import) -> Result<VaultState> {
        let bags = tables::bags(&step);
        let _first = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.within(TransactionBehavior::Immediate, |link| {
            tables::import(link, vault, &step, &bags)
        })
    }

    /// Checkpoints and truncates the write-ahead log, which still holds text that was deleted from
    /// the file.
    fn scrub(&self) -> Result<bool> {
        let _first = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = Duration::from_millis(self.wait_ms.min(SCRUB_WAIT_MS));
        self.with(|connection| {
            let cut_off = upkeep::fold(connection, wait, || false);
            // `fold` replaced the busy handler.
            connection.busy_timeout(Duration::from_millis(self.wait_ms))?;
            cut_off
        })
    }

    fn cannot_scrub(&self) -> &'static [&'static str] {
        &[
            "earlier backups and copies of the file",
            "blocks that the disk or the file system keeps, such as snapshots",
        ]
    }

    fn rebuild(&self, vault: &str, progress: &dyn Fn(i64, i64)) -> Result<Rebuilt> {
        let _first = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.within(TransactionBehavior::Immediate, |link| tables::rebuild(link, vault, progress))
    }

    fn collect(
        &self,
        vault: &str,
        now: Millis,
        sweep: Sweep,
        progress: &dyn Fn(i64),
    ) -> Result<Garbage> {
        let disk_before = self.bytes_on_disk();
        let read = TransactionBehavior::Deferred;
        let litter = self.within(read, |link| tables::look(link, vault, now, progress))?;
        if sweep == Sweep::Look {
            return Ok(Garbage { disk_before, disk_after: disk_before, ..litter.garbage });
        }
        let garbage = {
            let _first = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            let write = TransactionBehavior::Immediate;
            self.within(write, |link| tables::remove(link, vault, now, litter))?
        };
        self.with(|connection| {
            if sweep == Sweep::Vacuum {
                connection.execute_batch("VACUUM")?;
            }
            upkeep::fold(connection, Duration::ZERO, || false)?;
            // `fold` replaced the busy handler.
            connection.busy_timeout(Duration::from_millis(self.wait_ms))
        })?;
        Ok(Garbage { disk_before, disk_after: self.bytes_on_disk(), ..garbage })
    }

    fn backup(&self, to: &Path, progress: &dyn Fn(u64, u64)) -> Result<i64> {
        backup::backup(self, to, progress)
    }

    fn lock_name(&self, name: &str) -> Result<Option<NameLock>> {
        name_lock::lock(&self.path, name)
    }

    fn health(&self) -> Result<Vec<Finding>> {
        health::health(self)
    }
}
