//! Waiting for the file's lock beside other processes, and keeping the write-ahead log bounded.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use ambit_core::mutant::{self, Mutant};
use rusqlite::{Connection, Result, Transaction, TransactionBehavior};

use super::open::is_busy;

/// How long to wait before the lock is tried again: this, and up to as much again. Where many write,
/// it is free for moments only. SQLite's own handler soon looks but ten times a second, and was seen
/// to miss it for ten seconds and more beside fifteen other processes.
const PAUSE: Duration = Duration::from_micros(700);

/// SQLite folds the log when it can, which is when nobody reads from it. Where readers overlap that
/// moment may never come, so from this size on they are waited for, and again after each such step.
const LOG_BYTES_STEP: u64 = 64 << 20;

/// How often those readers are looked for, and for how long writers wait for them.
const FOLD_PAUSE: Duration = Duration::from_millis(1);
const FOLD_WAIT: Duration = Duration::from_secs(5);

/// Begins a transaction; one that writes gets the lock now.
pub(super) fn begin(
    connection: &Connection,
    behavior: TransactionBehavior,
    wait: Duration,
) -> Result<Transaction<'_>> {
    let begin = || Transaction::new_unchecked(connection, behavior);
    if !matches!(behavior, TransactionBehavior::Immediate) {
        return begin();
    }
    if mutant::is(Mutant::AckEarly) && !connection.is_autocommit() {
        connection.execute_batch("COMMIT")?;
    }
    connection.busy_timeout(Duration::ZERO)?;
    let begun = Instant::now();
    let transaction = loop {
        match begin() {
            Err(error) if is_busy(&error) && begun.elapsed() < wait => {
                // Processes that began to wait together must not try together.
                let nanoseconds = begun.elapsed().subsec_nanos() % 1_000;
                std::thread::sleep(PAUSE + PAUSE * nanoseconds / 1_000);
            }
            other => break other,
        }
    };
    connection.busy_timeout(wait)?;
    transaction
}

/// The write-ahead log, as far as its size goes.
pub(super) struct Log {
    path: PathBuf,
    /// The size from which on it is folded.
    fold_at: AtomicU64,
}

impl Log {
    pub fn of(store: &Path) -> Log {
        let mut path = store.as_os_str().to_owned();
        path.push("-wal");
        Log { path: path.into(), fold_at: AtomicU64::new(LOG_BYTES_STEP) }
    }

    /// Folds the log where it has grown large, and begins it anew. What cannot be done now is done
    /// after a later write.
    pub fn bound(&self, connection: &mut Connection, wait: Duration) -> Result<()> {
        let bytes = std::fs::metadata(&self.path).map_or(0, |file| file.len());
        if bytes < self.fold_at.load(Relaxed) {
            return Ok(());
        }
        let begun = Instant::now();
        connection.busy_handler(Some(|times: i32| {
            std::thread::sleep(FOLD_PAUSE);
            FOLD_PAUSE * times.unsigned_abs() < FOLD_WAIT
        }))?;
        let fold = "PRAGMA wal_checkpoint(TRUNCATE)";
        let kept = connection.query_row(fold, [], |row| row.get::<_, bool>(0));
        connection.busy_timeout(wait)?;
        if !kept? {
            self.fold_at.store(LOG_BYTES_STEP, Relaxed);
        } else if begun.elapsed() >= FOLD_WAIT {
            self.fold_at.store(bytes + LOG_BYTES_STEP, Relaxed);
        }
        // Else another process is at it: then there was no waiting.
        Ok(())
    }
}
