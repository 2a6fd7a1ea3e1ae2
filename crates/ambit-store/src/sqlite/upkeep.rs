//! Background upkeep: a separate thread checkpoints a write-ahead log that has grown, and keeps
//! the planner's statistics up to date.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::open::{self, Sharing};
use super::wait;

/// At this multiple of the checkpoint size, writers are blocked until the readers are done;
/// otherwise overlapping readers let the log grow without bound. The log can restart from its
/// beginning once two groups of readers are gone: those that began before the wait, then those
/// that began before the checkpoint was complete. A wait is therefore long enough for snapshots of
/// half its length. If a snapshot takes longer, the next wait starts when the log has grown by the
/// same amount, and is longer by the same amount, up to a limit below the time for which a writer
/// waits for the lock.
const URGENT: u64 = 4;
const URGENT_WAIT: Duration = Duration::from_secs(3);
const URGENT_WAITS_MAX: u64 = 8;

/// How long the first attempt waits for readers before it releases its locks. In measurements,
/// quick overlapping readers kept using the log while the locks were held, and left it at the next
/// attempt. Slow readers need the locks to be held for as long as they take.
const URGENT_TRY: Duration = Duration::from_millis(150);

/// The pause between two attempts to get the readers out of the log.
const URGENT_REST: Duration = Duration::from_millis(5);

/// The number of writes between two checks of the log's size, and between two updates of the
/// statistics.
const LOOK_EVERY: u64 = 32;
const OPTIMIZE_EVERY: u64 = 20_000;

pub(super) struct Upkeep {
    path: PathBuf,
    sharing: Sharing,
    /// The size from which on the log is checkpointed.
    log_bytes: u64,
    /// Where the writers of this process queue.
    writing: Arc<Mutex<()>>,
    writes: AtomicU64,
    /// The size from which on writers are blocked during a checkpoint.
    urgent: Arc<AtomicU64>,
    /// Set while an upkeep thread runs: there is at most one.
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
            urgent: Arc::new(AtomicU64::new(URGENT * log_bytes)),
            busy: Arc::default(),
        }
    }

    /// Counts a write that is durable, and starts upkeep when it is due.
    pub fn written(&self) {
        let writes = self.writes.fetch_add(1, Ordering::Relaxed) + 1;
        let optimize = writes.is_multiple_of(OPTIMIZE_EVERY);
        if !optimize && !writes.is_multiple_of(LOOK_EVERY) {
            return;
        }
        let size = size_of(&self.path);
        if (size < self.log_bytes && !optimize) || self.busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let (path, sharing, log_bytes) = (self.path.clone(), self.sharing, self.log_bytes);
        let (busy, urgent) = (Arc::clone(&self.busy), Arc::clone(&self.urgent));
        let writing = (size >= urgent.load(Ordering::Relaxed)).then(|| Arc::clone(&self.writing));
        let job = move || {
            // An error here is not reported: the next round tries again.
            let _ = open::connect(&path, Duration::ZERO, sharing).and_then(|mut connection| {
                if optimize {
                    connection.execute_batch("PRAGMA analysis_limit = 400; PRAGMA optimize")?;
                }
                let Some(writing) = writing else {
                    return fold(&mut connection, Duration::ZERO, || false);
                };
                let _held = writing.lock().unwrap_or_else(PoisonError::into_inner);
                let step = URGENT * log_bytes;
                let waits = (size / step).clamp(1, URGENT_WAITS_MAX);
                // Another process may have checkpointed the log meanwhile.
                let enough = || size_of(&path) < step;
                let cut_off = fold(&mut connection, URGENT_WAIT * waits as u32, enough)?;
                let reached = if cut_off { 0 } else { size };
                urgent.store(reached + step, Ordering::Relaxed);
                Ok(cut_off)
            });
            busy.store(false, Ordering::Release);
        };
        let thread = std::thread::Builder::new().name("ambit upkeep".into());
        if thread.spawn(job).is_err() {
            self.busy.store(false, Ordering::Release);
        }
    }
}

/// Checkpoints the write-ahead log, then truncates it unless readers prevent that. Others can write
/// during the checkpoint, which takes most of the time, but not during the truncation. Returns true
/// if the log was truncated, or if `enough` says that its size is fine.
pub(super) fn fold(
    connection: &mut Connection,
    wait: Duration,
    enough: impl Fn() -> bool,
) -> rusqlite::Result<bool> {
    let until = Instant::now() + wait;
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    let mut held = URGENT_TRY;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        wait::look_often(connection, left.min(held))?;
        held = wait;
        let busy = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        if enough() || connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], busy)? == 0 {
            return Ok(true);
        }
        // SQLite does not wait for another connection's checkpoint.
        if Instant::now() >= until {
            return Ok(false);
        }
        std::thread::sleep(URGENT_REST);
    }
}

fn size_of(path: &Path) -> u64 {
    std::fs::metadata(log_of(path)).map_or(0, |it| it.len())
}

/// Returns the path of a file's write-ahead log.
pub(super) fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push("-wal");
    PathBuf::from(name)
}
