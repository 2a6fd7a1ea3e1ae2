//! Upkeep that nobody asks for, and that nobody waits for: a write-ahead log that has grown is
//! folded into the file by a thread of its own, and the planner's statistics are kept.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::open::{self, Sharing};
use super::wait;

/// At so many times the size from which on the log is folded, writers are kept waiting until those
/// who read are done: else readers that overlap let it grow without bound. The log can begin anew
/// when those are gone who began before the wait, then those who began before all was folded; so a
/// wait is long enough for snapshots of half its length. Where one is longer, the next wait comes
/// when the log has grown by as much again, and is longer by as much again, up to a limit below the
/// time for which a writer waits for others.
const URGENT: u64 = 4;
const URGENT_WAIT: Duration = Duration::from_secs(3);
const URGENT_WAITS_MAX: u64 = 8;

/// How long the first try waits for readers before it lets go of its locks. Quick readers that
/// overlap were seen to stay with the log for as long as it was held for them, and to leave it at
/// the next try; readers that take long need it to be held for as long.
const URGENT_TRY: Duration = Duration::from_millis(150);

/// How long one who waits for readers rests between two tries.
const URGENT_REST: Duration = Duration::from_millis(5);

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
    /// From this size on writers are kept waiting.
    urgent: Arc<AtomicU64>,
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
            urgent: Arc::new(AtomicU64::new(URGENT * log_bytes)),
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
        let size = size_of(&self.path);
        if (size < self.log_bytes && !optimize) || self.busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let (path, sharing, log_bytes) = (self.path.clone(), self.sharing, self.log_bytes);
        let (busy, urgent) = (Arc::clone(&self.busy), Arc::clone(&self.urgent));
        let writing = (size >= urgent.load(Ordering::Relaxed)).then(|| Arc::clone(&self.writing));
        let job = move || {
            // Whatever is in the way now is gone the next time: nobody has to hear of it.
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
                // Another process may have seen to it meanwhile.
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

/// Folds the write-ahead log into the file, and cuts it off where nobody is in the way. The long
/// part lets others write; only then is the log, all of it folded, begun anew. True where it was
/// cut off, or is `enough` as it is.
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
        // Another who folds is not waited for by SQLite.
        if Instant::now() >= until {
            return Ok(false);
        }
        std::thread::sleep(URGENT_REST);
    }
}

fn size_of(path: &Path) -> u64 {
    std::fs::metadata(log_of(path)).map_or(0, |it| it.len())
}

/// The write-ahead log of a file.
pub(super) fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push("-wal");
    PathBuf::from(name)
}
