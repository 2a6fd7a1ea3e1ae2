//! The location of a store, and the search for it: upwards from a folder, as git finds a
//! repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ambit_store::{Options, Postgres, PostgresOptions, Sqlite, Store};

use crate::{Error, InputRefusal, Result};

/// The folder that marks a project's store, and the file in it.
pub const STORE_FOLDER: &str = ".ambit";
pub const STORE_FILE: &str = "ambit.db";

/// How long `peek` waits for other processes.
const PEEK_MS: u64 = 500;

/// The location of a store.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    Sqlite(PathBuf),
    /// A server's address. It may contain a password, so it is never displayed in full.
    Postgres(String),
}

impl Location {
    /// Parses `sqlite:PATH` or `postgres://…`.
    pub fn parse(text: &str) -> Result<Location> {
        if let Some(path) = text.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
            return Ok(Location::Sqlite(PathBuf::from(path)));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Location::Postgres(text.to_string()));
        }
        Err(InputRefusal::Location { text: Postgres::shown(text) }.into())
    }

    /// Finds the store of a folder or of a folder above it.
    pub fn find(start: &Path) -> Result<Location> {
        let found = start
            .ancestors()
            .map(|folder| folder.join(STORE_FOLDER).join(STORE_FILE))
            .find(|file| file.is_file());
        found.map(Location::Sqlite).ok_or(Error::NoStore)
    }

    /// Returns the location of a folder's own store.
    pub fn within(folder: &Path) -> Location {
        Location::Sqlite(folder.join(STORE_FOLDER).join(STORE_FILE))
    }

    pub(crate) fn open(&self) -> Result<Arc<dyn Store>> {
        match self {
            Location::Sqlite(path) if !path.exists() => Err(Error::NoStoreAt(self.clone())),
            Location::Sqlite(path) => Ok(Arc::new(Sqlite::open(path, &Options::default())?)),
            Location::Postgres(address) => {
                let store = Postgres::open(address, &variable, &PostgresOptions::default())?;
                let store = store.ok_or_else(|| Error::NoStoreAt(self.clone()))?;
                Ok(Arc::new(store))
            }
        }
    }

    /// Opens the store as it is, without a migration.
    pub(crate) fn peek(&self) -> Result<Option<Arc<dyn Store>>> {
        fn any(store: impl Store + 'static) -> Arc<dyn Store> {
            Arc::new(store)
        }
        match self {
            Location::Sqlite(path) if !path.exists() => Ok(None),
            Location::Sqlite(path) => {
                let options = Options { wait_ms: PEEK_MS, ..Options::default() };
                Ok(Sqlite::peek(path, &options)?.map(any))
            }
            Location::Postgres(address) => {
                let options = PostgresOptions { wait_ms: PEEK_MS, ..PostgresOptions::default() };
                Ok(Postgres::peek(address, &variable, &options)?.map(any))
            }
        }
    }

    /// Opens the store; creates it and its folder if they are missing. The flag is true if the
    /// store was created.
    pub(crate) fn create(&self) -> Result<(Arc<dyn Store>, bool)> {
        match self {
            Location::Sqlite(path) => create_file(path),
            Location::Postgres(address) => {
                let options = PostgresOptions::default();
                let (store, fresh) = Postgres::create(address, &variable, &options)?;
                Ok((Arc::new(store), fresh))
            }
        }
    }
}

/// Returns an environment variable that is valid Unicode.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn create_file(path: &Path) -> Result<(Arc<dyn Store>, bool)> {
    let fresh = !path.exists();
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    if fresh && let Some(folder) = folder {
        create_folder(folder)?;
    }
    let store = Sqlite::create(path, &Options::default())?;
    if fresh {
        sync_folder(folder.unwrap_or(Path::new(".")))?;
    }
    Ok((Arc::new(store), fresh))
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Location::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Location::Postgres(address) => f.write_str(&Postgres::shown(address)),
        }
    }
}

impl std::fmt::Debug for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// Creates a folder that only its owner can enter. A project's own folder also gets a
/// `.gitignore`.
fn create_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let failed = |error| Error::io(format!("cannot create {}", folder.display()), error);
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    let absent = folder.ancestors().take_while(|it| !it.exists());
    let absent: Vec<_> = absent.filter(|it| !it.as_os_str().is_empty()).collect();
    builder.create(folder).map_err(failed)?;
    if folder.file_name().is_some_and(|name| name == STORE_FOLDER) {
        fs::write(folder.join(".gitignore"), "*\n").map_err(failed)?;
    }
    for new in absent {
        let above = new.parent().filter(|it| !it.as_os_str().is_empty());
        sync_folder(above.unwrap_or(Path::new(".")))?;
    }
    Ok(())
}

/// Makes a folder's new entries durable: syncing a file does not cover its name.
fn sync_folder(folder: &Path) -> Result<()> {
    #[cfg(unix)]
    fs::File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| Error::io(format!("cannot sync {}", folder.display()), error))?;
    Ok(())
}
