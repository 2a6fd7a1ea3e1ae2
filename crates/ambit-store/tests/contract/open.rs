//! How each store is opened for a test: empty, and gone afterwards.

use ambit_store::{Memory, Options, Sqlite, Store};
use tempfile::TempDir;

/// An open store, with the folder that must outlive it.
pub struct Opened {
    pub store: Box<dyn Store>,
    _folder: Option<TempDir>,
}

pub fn memory() -> Opened {
    Opened { store: Box::new(Memory::default()), _folder: None }
}

pub fn sqlite() -> Opened {
    let folder = TempDir::new().unwrap();
    let store = Sqlite::create(&folder.path().join("ambit.db"), &Options::default()).unwrap();
    Opened { store: Box::new(store), _folder: Some(folder) }
}
