//! Name locks of a file store: locks on empty files in a folder next to the store. The system
//! releases such a lock when its process ends, for any reason.

use std::fs::{self, OpenOptions, TryLockError};
use std::io::{Error as IoError, ErrorKind};
use std::path::{Path, PathBuf};

use crate::{Error, NameLock, Result};

/// The suffix of the folder's name, after the store's.
const SUFFIX: &str = "-names";

/// Locks a name. The files are never removed: removing one could remove a file that another process
/// has just locked. There is one file for each name that was ever locked.
pub(super) fn lock(store: &Path, name: &str) -> Result<Option<NameLock>> {
    let folder = folder(store);
    let failed = |error: IoError| match error.kind() {
        ErrorKind::StorageFull => Error::Full { path: folder.display().to_string() },
        _ => Error::Unusable { path: folder.display().to_string(), why: error.to_string() },
    };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        // The folder has the mode of the store's own: users of the store may lock names.
        builder.mode(mode_of(store.parent()));
        options.mode(0o600);
    }
    builder.create(&folder).map_err(failed)?;
    let file = match options.open(folder.join(name)) {
        // The lock file belongs to another user of the machine, who keeps it.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok(None),
        file => file.map_err(failed)?,
    };
    match file.try_lock() {
        Ok(()) => Ok(Some(Box::new(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

fn folder(store: &Path) -> PathBuf {
    let mut name = store.file_name().unwrap_or_default().to_os_string();
    name.push(SUFFIX);
    store.with_file_name(name)
}

#[cfg(unix)]
fn mode_of(folder: Option<&Path>) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder.filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::metadata(folder).map_or(0o700, |it| it.permissions().mode() & 0o777)
}
