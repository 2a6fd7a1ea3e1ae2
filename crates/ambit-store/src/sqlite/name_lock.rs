//! Names held beside a file: by locks on empty files in a folder next to the store. The system
//! lets go of such a lock when its process ends, in whatever way.

use std::fs::{self, OpenOptions, TryLockError};
use std::io::{Error as IoError, ErrorKind};
use std::path::{Path, PathBuf};

use crate::{Error, NameLock, Result};

/// What the folder's name has after the store's.
const SUFFIX: &str = "-names";

/// The files stay where they are: who removed one could remove what another has just locked. There
/// is one for each name that was ever used at the same time.
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
        // Who may use the store may hold names in it: the folder is as open as the store's own.
        builder.mode(mode_of(store.parent()));
        options.mode(0o600);
    }
    builder.create(&folder).map_err(failed)?;
    let file = match options.open(folder.join(name)) {
        // Another user of the same machine had it first, and keeps it.
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
