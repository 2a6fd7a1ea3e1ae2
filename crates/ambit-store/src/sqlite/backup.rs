//! Backup: copies a consistent snapshot of the whole file while others write.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::{Sqlite, open, upkeep};
use crate::{Error, Result};

/// How many pages are copied between two progress reports.
const PAGES: i32 = 1_024;

pub(super) fn backup(store: &Sqlite, to: &Path, progress: &dyn Fn(u64, u64)) -> Result<i64> {
    check(store, to)?;
    let part = beside(to);
    // A killed backup may have left this file. No running process has the same id.
    let _ = fs::remove_file(&part);
    let copied = copy(store, &part, progress).and_then(|()| put(&part, to));
    if copied.is_err() {
        let _ = fs::remove_file(&part);
    }
    copied
}

fn check(store: &Sqlite, to: &Path) -> Result<()> {
    let same = match (store.path.canonicalize(), to.canonicalize()) {
        (Ok(from), Ok(to)) => from == to,
        _ => false,
    };
    if same {
        return Err(Error::CopyOntoItself { path: to.display().to_string() });
    }
    if upkeep::log_of(to).exists() {
        // SQLite would apply that write-ahead log to the copy.
        return Err(Error::CopyInUse { path: to.display().to_string() });
    }
    Ok(())
}

/// Returns the path of the temporary file that holds the copy until it is complete.
fn beside(to: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(to.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    to.with_file_name(name)
}

fn copy(store: &Sqlite, part: &Path, progress: &dyn Fn(u64, u64)) -> Result<()> {
    let failed_there = |error| open::failed(error, part, store.wait_ms);
    open::create_private(part)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut target = Connection::open_with_flags(part, flags).map_err(failed_there)?;
    store.with(|source| {
        // Held to the end: without a snapshot, SQLite restarts the copy after every write.
        let snapshot = source.unchecked_transaction()?;
        let page: i64 = snapshot.pragma_query_value(None, "page_size", |row| row.get(0))?;
        snapshot.query_row("SELECT COUNT(*) FROM vault", [], |_| Ok(()))?;
        let until = Instant::now() + Duration::from_millis(store.wait_ms);
        let backup = Backup::new(&snapshot, &mut target)?;
        loop {
            let step = backup.step(PAGES)?;
            let pages = backup.progress();
            let bytes = |pages: i32| (i64::from(pages) * page) as u64;
            progress(bytes(pages.pagecount - pages.remaining), bytes(pages.pagecount));
            match step {
                StepResult::Done => break,
                StepResult::Busy | StepResult::Locked if Instant::now() > until => {
                    return Err(busy());
                }
                StepResult::Busy | StepResult::Locked => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                _ => {}
            }
        }
        drop(backup);
        snapshot.finish()
    })?;
    target.close().map_err(|(_, error)| failed_there(error))
}

fn busy() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY), None)
}

/// Syncs the copy and renames it to its final name, durable against a power cut.
fn put(part: &Path, to: &Path) -> Result<i64> {
    let unusable = |error: std::io::Error| Error::Unusable {
        path: to.display().to_string(),
        why: format!("cannot be written: {error}"),
    };
    let file = fs::File::open(part).map_err(unusable)?;
    file.sync_all().map_err(unusable)?;
    let bytes = file.metadata().map_err(unusable)?.len() as i64;
    fs::rename(part, to).map_err(unusable)?;
    #[cfg(unix)]
    {
        let folder = to.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = fs::File::open(folder.unwrap_or(Path::new("."))).map_err(unusable)?;
        folder.sync_all().map_err(unusable)?;
    }
    Ok(bytes)
}
