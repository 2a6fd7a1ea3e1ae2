//! Opens a SQLite file: settings, permissions, version, schema, and the conversion of errors.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::{Error, MIGRATIONS, Result};

/// Marks a file as Ambit's: "Ambt".
const APPLICATION_ID: i64 = 0x416d_6274;

/// Before this version SQLite could damage a WAL file used by several connections.
const SQLITE_MIN: i32 = 3_051_003;

/// The size to which SQLite truncates the write-ahead log after a checkpoint. Without a limit, a
/// large append would leave a large log for as long as any process has the store open.
const WAL_BYTES_KEPT: i64 = 16 << 20;

/// How connections share the index of the write-ahead log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// With other processes, in a file next to the store.
    File,
    /// Within this process, in memory; no other process may have the store open. Used when the disk
    /// is full: that file cannot be created then, but the store must still be readable.
    Alone,
}

/// Opens the first connection and migrates the schema. All later connections use the same sharing.
pub(super) fn open(path: &Path, wait_ms: u64, create: bool) -> Result<(Connection, Sharing)> {
    if rusqlite::version_number() < SQLITE_MIN {
        let why = format!("SQLite {} is too old to be safe", rusqlite::version());
        return Err(Error::Unusable { path: path.display().to_string(), why });
    }
    if create {
        create_private(path)?;
    }
    match first(path, wait_ms, Sharing::File) {
        #[cfg(unix)]
        Err(Error::Full { .. }) => Ok((first(path, wait_ms, Sharing::Alone)?, Sharing::Alone)),
        connection => Ok((connection?, Sharing::File)),
    }
}

fn first(path: &Path, wait_ms: u64, sharing: Sharing) -> Result<Connection> {
    let fail = |error| failed(error, path, wait_ms);
    let mut connection = plain(path, Duration::from_millis(wait_ms), sharing).map_err(fail)?;
    migrate(&mut connection, path, wait_ms)?;
    configure(&connection).map_err(fail)?;
    Ok(connection)
}

/// Opens the first connection without migrating. Returns `None` if the schema is not current.
pub(super) fn peek(path: &Path, wait_ms: u64) -> Result<Option<Connection>> {
    let fail = |error| failed(error, path, wait_ms);
    let connection = connect(path, Duration::from_millis(wait_ms), Sharing::File).map_err(fail)?;
    let found = version(&connection, path, wait_ms)?;
    Ok((found == MIGRATIONS.len() as i64).then_some(connection))
}

/// Opens another connection to an open store.
pub(super) fn connect(
    path: &Path,
    wait: Duration,
    sharing: Sharing,
) -> rusqlite::Result<Connection> {
    let connection = plain(path, wait, sharing)?;
    configure(&connection)?;
    Ok(connection)
}

fn plain(path: &Path, wait: Duration, sharing: Sharing) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE;
    let connection = match sharing {
        Sharing::File => Connection::open_with_flags(path, flags)?,
        Sharing::Alone => Connection::open_with_flags_and_vfs(path, flags, "unix-excl")?,
    };
    connection.busy_timeout(wait)?;
    connection.set_prepared_statement_cache_capacity(256);
    Ok(connection)
}

/// The page cache of a connection.
const CACHE_KIB: i64 = 8 << 10;

/// Applies the settings of every connection.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Plan statements by their text alone. Otherwise SQLite also plans by the bound values and
    // prepares most statements again whenever those change.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // Overwrite deleted data: a forgotten text must not remain in free pages.
    connection.pragma_update(None, "secure_delete", true)?;
    // Enough for the upper levels of all indexes, even in a large store.
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.pragma_update(None, "journal_size_limit", WAL_BYTES_KEPT)
}

/// Creates an empty file that only its owner can read. SQLite gives its side files the same mode.
pub(super) fn create_private(path: &Path) -> Result<()> {
    let unusable = |error: std::io::Error| Error::Unusable {
        path: path.display().to_string(),
        why: format!("cannot be created: {error}"),
    };
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(unusable(error)),
    }
}

/// Migrates the schema in one transaction, under the write lock.
fn migrate(connection: &mut Connection, path: &Path, wait_ms: u64) -> Result<()> {
    let fail = |error| failed(error, path, wait_ms);
    let known = MIGRATIONS.len() as i64;
    // In one snapshot: another process may be creating the schema right now.
    let snapshot = connection.transaction().map_err(fail)?;
    let found = version(&snapshot, path, wait_ms)?;
    snapshot.finish().map_err(fail)?;
    // Also for a current schema: a copy made by another program may have lost the journal mode.
    write_ahead(connection, path, wait_ms)?;
    if found == known {
        return Ok(());
    }
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
    // Another process may have been first.
    let found = version(&transaction, path, wait_ms)?;
    for (number, migration) in (1..).zip(MIGRATIONS).skip(found as usize) {
        transaction.execute_batch(migration).map_err(fail)?;
        transaction.pragma_update(None, "user_version", number).map_err(fail)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(fail)?;
    transaction.commit().map_err(fail)
}

/// Returns the schema's version: 0 for an empty file, an error for another program's file.
fn version(connection: &Connection, path: &Path, wait_ms: u64) -> Result<i64> {
    let fail = |error| failed(error, path, wait_ms);
    let get =
        |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let application = get("application_id").map_err(fail)?;
    let version = get("user_version").map_err(fail)?;
    let known = MIGRATIONS.len() as i64;
    if application == APPLICATION_ID {
        return if version > known {
            Err(Error::Newer { found: version, known })
        } else {
            Ok(version)
        };
    }
    let tables = connection
        .query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
        .map_err(fail)?;
    if application != 0 || version != 0 || tables != 0 {
        let why = "is a database of another program, not an Ambit store".to_string();
        return Err(Error::Unusable { path: path.display().to_string(), why });
    }
    Ok(0)
}

/// Switches a file to write-ahead logging if necessary. The busy time-out does not cover this, so
/// this retries until the time-out. SQLite answers with the resulting mode, and does not report an
/// error if it is another one; several processes could not use such a store, so it is refused.
fn write_ahead(connection: &Connection, path: &Path, wait_ms: u64) -> Result<()> {
    let until = Instant::now() + Duration::from_millis(wait_ms);
    let switch = || {
        let mode = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        connection.pragma_update_and_check(None, "journal_mode", "WAL", mode)
    };
    loop {
        match switch() {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                let why = format!("cannot use a write-ahead log: the journal mode is {mode:?}");
                return Err(Error::Unusable { path: path.display().to_string(), why });
            }
            Err(error) if is_busy(&error) && Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(failed(error, path, wait_ms)),
        }
    }
}

pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Converts a database error to one with a message for users.
pub(super) fn failed(error: rusqlite::Error, path: &Path, wait_ms: u64) -> Error {
    let unusable =
        |why: &str| Error::Unusable { path: path.display().to_string(), why: why.to_string() };
    let extended = error.sqlite_error().map(|error| error.extended_code);
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::Busy { waited_ms: wait_ms }
        }
        Some(ErrorCode::NotADatabase) => unusable("is not an Ambit store"),
        Some(ErrorCode::ReadOnly) => unusable("cannot be written: it or its folder is read-only"),
        Some(ErrorCode::PermissionDenied) => unusable("cannot be opened: permission denied"),
        Some(ErrorCode::CannotOpen) => unusable("cannot be opened"),
        Some(ErrorCode::DiskFull) => Error::Full { path: path.display().to_string() },
        // The index of the write-ahead log could not be extended.
        _ if extended == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE) => {
            Error::Full { path: path.display().to_string() }
        }
        Some(ErrorCode::DatabaseCorrupt) => Error::Damaged(format!("{}: {error}", path.display())),
        _ => Error::database(error),
    }
}
