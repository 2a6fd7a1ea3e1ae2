//! How each store is opened for a test: empty, and gone afterwards.

use std::sync::atomic::{AtomicU64, Ordering};

use ambit_store::{Memory, Options, Postgres, PostgresOptions, Sqlite, Store};
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

/// A schema of its own on the tests' server.
pub fn postgres() -> Opened {
    Opened { store: Box::new(server(&fresh_schema())), _folder: None }
}

/// An address of the tests' server with a schema that nobody else has.
pub fn fresh_schema() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let address = std::env::var("AMBIT_TEST_POSTGRES").unwrap_or_else(|_| {
        panic!("these tests need a PostgreSQL server: run them by `cargo xtask test`")
    });
    let and = if address.contains('?') { '&' } else { '?' };
    format!("{address}{and}schema=contract_{}_{number}", std::process::id())
}

/// Opens a store there, creating it.
pub fn server(address: &str) -> Postgres {
    let options = PostgresOptions { connections_max: 8, ..PostgresOptions::default() };
    Postgres::create(address, &|_| None, &options).unwrap().0
}
