//! The checks of `doctor` for a file and its file system.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::{Sqlite, open, upkeep};
use crate::{Finding, Level, Result, size};

/// The limits from which on a finding is a warning.
const FREE_SHARE: i64 = 4;
const FREE_BYTES: i64 = 16 << 20;
const LOG_BYTES: i64 = 128 << 20;
const DISK_BYTES_WARN: i64 = 1 << 30;
const DISK_BYTES_BAD: i64 = 64 << 20;

/// How long the check of the lock waits for it.
const LOCK_WAIT: Duration = Duration::from_millis(500);

pub(super) fn health(store: &Sqlite) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut connection = store.take()?;
    let read = look(&connection, &store.path, &mut findings);
    read.map_err(|error| store.failed(error))?;
    findings.push(write(&mut connection));
    drop(connection);
    permissions(&store.path, &mut findings);
    disk(&store.path, &mut findings);
    Ok(findings)
}

fn look(connection: &Connection, path: &Path, findings: &mut Vec<Finding>) -> rusqlite::Result<()> {
    let get = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let text =
        |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, String>(0));
    findings.push(Finding::ok("version", format!("SQLite {}", rusqlite::version())));
    findings.push(Finding::ok("schema", get("user_version")?.to_string()));
    let (mode, synchronous) = (text("journal_mode")?, get("synchronous")?);
    let safe = mode == "wal" && synchronous >= 2 && get("foreign_keys")? == 1;
    findings.push(Finding::at(
        if safe { Level::Ok } else { Level::Bad },
        "durability",
        format!("journal mode {mode}, synchronous {synchronous}"),
        "open the store only with ambit: acknowledged writes may be lost",
    ));
    let page = get("page_size")?;
    let (all, free) = (get("page_count")? * page, get("freelist_count")? * page);
    let wasteful = free > FREE_BYTES && free > all / FREE_SHARE;
    findings.push(Finding::at(
        if wasteful { Level::Warn } else { Level::Ok },
        "size",
        format!("{}, of which {} free", size(all), size(free)),
        "run `ambit gc --vacuum` to return the free space to the file system",
    ));
    let log = std::fs::metadata(upkeep::log_of(path)).map_or(0, |it| it.len() as i64);
    findings.push(Finding::at(
        if log > LOG_BYTES { Level::Warn } else { Level::Ok },
        "write-ahead log",
        size(log),
        "a program reads for very long and blocks the checkpoint: find and end that program",
    ));
    Ok(())
}

/// Writes a row, reads it, and rolls back.
fn write(connection: &mut Connection) -> Finding {
    let mut attempt = || -> rusqlite::Result<bool> {
        connection.busy_timeout(LOCK_WAIT)?;
        let write = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let insert = "INSERT INTO setting (vault, scope, name, value) VALUES (-1, 0, 'doctor', ?1)";
        write.execute(insert, ["here"])?;
        let select = "SELECT value FROM setting WHERE vault = -1 AND scope = 0 AND name = 'doctor'";
        let found: String = write.query_row(select, [], |row| row.get(0))?;
        write.rollback()?;
        Ok(found == "here")
    };
    match attempt() {
        Ok(true) => Finding::ok("write", "the lock is free; a written row can be read"),
        Ok(false) => {
            Finding::bad("write", "a written row is read back differently", "check the disk")
        }
        Err(error) if open::is_busy(&error) => Finding::warn(
            "write",
            format!("another process has held the lock for {} ms", LOCK_WAIT.as_millis()),
            "run doctor again; if the lock is still held, find and end that program",
        ),
        Err(error) => {
            let advice = "check the file's permissions and the disk";
            Finding::bad("write", error.to_string(), advice)
        }
    }
}

#[cfg(unix)]
fn permissions(path: &Path, findings: &mut Vec<Finding>) {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| std::fs::metadata(path).map(|it| it.permissions().mode() & 0o777);
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Ok(file_mode), Ok(folder_mode)) = (mode(path), mode(folder)) else {
        return;
    };
    let open = file_mode & 0o077 != 0 || folder_mode & 0o022 != 0;
    let (shown, shown_folder) = (path.display(), folder.display());
    findings.push(Finding::at(
        if open { Level::Warn } else { Level::Ok },
        "permissions",
        format!("the file {file_mode:03o}, its folder {folder_mode:03o}"),
        format!("other users can access it: chmod 600 {shown}; chmod 700 {shown_folder}"),
    ));
}

#[cfg(not(unix))]
fn permissions(_path: &Path, _findings: &mut Vec<Finding>) {}

#[cfg(unix)]
fn disk(path: &Path, findings: &mut Vec<Finding>) {
    let Ok(disk) = rustix::fs::statvfs(path) else {
        return;
    };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize).min(i64::MAX as u64) as i64;
    let level = match free {
        _ if free < DISK_BYTES_BAD => Level::Bad,
        _ if free < DISK_BYTES_WARN => Level::Warn,
        _ => Level::Ok,
    };
    let advice = "free some space: on a full disk, writes fail and stored data stays readable";
    findings.push(Finding::at(level, "disk", format!("{} free", size(free)), advice));
}

#[cfg(not(unix))]
fn disk(_path: &Path, _findings: &mut Vec<Finding>) {}
