//! Upkeep that nobody asks for, and that nobody waits for: a write-ahead log that has grown is
//! folded into the file by a thread of its own, and the planner's statistics are kept.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;

use super::open::{self, Sharing};

/// At so many times the size from which on the log is folded, writers are kept waiting, for a
/// moment, until those who read are done: else readers that overlap let it grow without bound.
const URGENT: u64 = 4;
const URGENT_WAIT: Duration = Duration::from_millis(200);

/// How often the log is looked at, in writes; and how often statistics are.
const LOOK_EVERY: u64 = 32;
const OPTIMIZE_EVERY: u64 = 20_000;

pub(super) struct Upkeep {
    path: PathBuf,
    sharing: Sharing,
    /// From this size on the log is folded.
    log_bytes: u64,
    /// Where the writers of this process queue.
    writing: Arc<Mutex<()>>,
    writes: AtomicU64,
    /// One at a time.
    busy: Arc<AtomicBool>,
}

impl Upkeep {
    pub fn new(path: &Path, sharing: Sharing, log_bytes: u64, writing: &Arc<Mutex<()>>) -> Upkeep {
        Upkeep {
            path: path.to_path_buf(),
            sharing,
            log_bytes,
            writing: Arc::clone(writing),
            writes: AtomicU64::new(0),
            busy: Arc::default(),
        }
    }

    /// Told of every write once it is durable.
    pub fn written(&self) {
        let writes = self.writes.fetch_add(1, Ordering::Relaxed) + 1;
        let optimize = writes.is_multiple_of(OPTIMIZE_EVERY);
        if !optimize && !writes.is_multiple_of(LOOK_EVERY) {
            return;
        }
        let size = std::fs::metadata(log_of(&self.path)).map_or(0, |it| it.len());
        if (size < self.log_bytes && !optimize) || self.busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let wait = if size < URGENT * self.log_bytes { Duration::ZERO } else { URGENT_WAIT };
        let (path, sharing, busy) = (self.path.clone(), self.sharing, Arc::clone(&self.busy));
        let urgent = (!wait.is_zero()).then(|| Arc::clone(&self.writing));
        let job = move || {
            // Whatever is in the way now is gone the next time: nobody has to hear of it.
            let _ = open::connect(&path, Duration::ZERO, sharing).and_then(|connection| {
                if optimize {
                    connection.execute_batch("PRAGMA analysis_limit = 400; PRAGMA optimize")?;
                }
                let _held =
                    urgent.as_ref().map(|it| it.lock().unwrap_or_else(PoisonError::into_inner));
                fold(&connection, wait)
            });
            busy.store(false, Ordering::Release);
        };
        let thread = std::thread::Builder::new().name("ambit upkeep".into());
        if thread.spawn(job).is_err() {
            self.busy.store(false, Ordering::Release);
        }
    }
}

/// Folds the write-ahead log into the file, and cuts it off where nobody is in the way. The long
/// part lets others write; only then is the log, all of it folded, begun anew. True where it was
/// cut off.
pub(super) fn fold(connection: &Connection, wait: Duration) -> rusqlite::Result<bool> {
    connection.busy_timeout(wait)?;
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    let busy = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
    Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], busy)? == 0)
}

/// The write-ahead log of a file.
pub(super) fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push("-wal");
    PathBuf::from(name)
}
