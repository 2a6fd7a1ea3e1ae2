//! The embedded store: one SQLite file. This module frames transactions; what is said in them is
//! shared with the other database and stands in `tables`.

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

/// What a statement says to lock a row, which is not needed where a transaction locks the file.
const LOCK: &str = " FOR UPDATE";
const LOCKED: &str = " FOR UPDATE SKIP LOCKED";

const OWN: &str = include_str!("../sql/sqlite.sql");

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long to wait for another process's lock.
    pub wait_ms: u64,
    /// How long one snapshot may be read from: while it is, the write-ahead log can only grow.
    pub snapshot_ms: u64,
    /// How large the write-ahead log may grow before it is seen to. SQLite folds it much sooner by
    /// itself, but can begin it anew only at a moment when nobody reads from it.
    pub log_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { wait_ms: 30_000, snapshot_ms: 600_000, log_bytes: 16 << 20 }
    }
}

/// How many connections are kept open while nobody uses them.
const IDLE_MAX: usize = 8;

/// A store in a SQLite file.
pub struct Sqlite {
    path: PathBuf,
    wait_ms: u64,
    sharing: open::Sharing,
    snapshot_ms: u64,
    upkeep: upkeep::Upkeep,
    /// Connections at rest. Who reads or writes takes one, or opens one more.
    idle: Mutex<Vec<Connection>>,
    /// Writers of this process queue here, and only the first of them for the file's own lock:
    /// SQLite has those who wait for that look again at intervals.
    writing: Arc<Mutex<()>>,
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

    /// Opens a store as it is. None where its schema is not up to date.
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

    /// Puts the texts into the search index that were there before it. What stands in the way,
    /// such as a full disk, is no reason not to open the store: the rest is done when it is opened
    /// again.
    fn index_all(&self) {
        let (read, write) = (TransactionBehavior::Deferred, TransactionBehavior::Immediate);
        while let Ok(true) = self.within(read, |link| tables::index_misses(link)) {
            if self.within(write, |link| tables::index_more(link)).is_err() {
                return;
            }
        }
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
        // Also where the step panics: a transaction that is dropped is rolled back, but for the
        // connection's sake it is closed rather than used again.
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

    /// The file and its write-ahead log.
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
        // What others wait for has been told to them by now; the rest is another thread's.
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

    /// Folds the write-ahead log into the file and cuts it off: what was deleted from the file
    /// still stands in the log until then.
    fn scrub(&self) -> Result<bool> {
        let _first = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = Duration::from_millis(self.wait_ms.min(SCRUB_WAIT_MS));
        self.with(|connection| {
            let cut_off = upkeep::fold(connection, wait, || false);
            // It goes back to those at rest as it was.
            connection.busy_timeout(Duration::from_millis(self.wait_ms))?;
            cut_off
        })
    }

    fn cannot_scrub(&self) -> &'static [&'static str] {
        &[
            "backups and copies of the file that were made before",
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
            // It goes back to those at rest as it was.
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
