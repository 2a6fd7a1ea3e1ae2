//! Opens an empty store for a test; it is removed afterwards.

use ambit_store::{Memory, Options, Postgres, PostgresOptions, Sqlite, Store};
use tempfile::TempDir;

use crate::server::fresh_schema;

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

/// Opens a new schema on the tests' server.
pub fn postgres() -> Opened {
    Opened { store: Box::new(server(&fresh_schema())), _folder: None }
}

/// Creates and opens a store at an address.
pub fn server(address: &str) -> Postgres {
    let options = PostgresOptions { connections_max: 8, ..PostgresOptions::default() };
    Postgres::create(address, &|_| None, &options).unwrap().0
}
