//! The stores that scripts run on, with a clock and seeds that repeat.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use ambit::Outside;
use ambit_store::{Memory, Options, Postgres, Sqlite, Store};
use tempfile::TempDir;

/// The kind of store that a script runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    Memory,
    Sqlite,
    Postgres,
}

/// The location of a script's store, for closing and reopening it.
pub enum Place {
    /// Stays open: its contents exist only in memory.
    Memory(Arc<dyn Store>),
    Sqlite(TempDir),
    Postgres(String),
}

thread_local! {
    /// One schema for all scripts of a thread, with a vault for each: creating a schema takes as
    /// long as running a script.
    static SCHEMA: String = crate::server::fresh_schema();
}

impl Place {
    /// Creates an empty store.
    pub fn new(on: On) -> Place {
        match on {
            On::Memory => Place::Memory(Arc::new(Memory::default())),
            On::Sqlite => {
                let folder = folder();
                Sqlite::create(&file(&folder), &Options::default()).unwrap();
                Place::Sqlite(folder)
            }
            On::Postgres => {
                let address = SCHEMA.with(String::clone);
                Postgres::create(&address, &|_| None, &Default::default()).unwrap();
                Place::Postgres(address)
            }
        }
    }

    pub fn open(&self) -> Arc<dyn Store> {
        match self {
            Place::Memory(store) => store.clone(),
            Place::Sqlite(folder) => {
                Arc::new(Sqlite::open(&file(folder), &Options::default()).unwrap())
            }
            Place::Postgres(address) => {
                let found = Postgres::open(address, &|_| None, &Default::default()).unwrap();
                Arc::new(found.unwrap())
            }
        }
    }
}

fn file(folder: &TempDir) -> PathBuf {
    folder.path().join("ambit.db")
}

/// Creates a folder on an in-memory file system if there is one: these tests do not need a disk.
fn folder() -> TempDir {
    let memory = std::path::Path::new("/dev/shm");
    let made = memory.is_dir().then(|| tempfile::tempdir_in(memory).ok()).flatten();
    made.unwrap_or_else(|| TempDir::new().unwrap())
}

/// A clock that the script sets, and seeds that count up.
#[derive(Clone)]
pub struct Clock {
    now: Arc<AtomicI64>,
    seeds: Arc<AtomicU64>,
}

impl Clock {
    pub fn starting_at(ms: i64) -> Clock {
        Clock { now: Arc::new(AtomicI64::new(ms)), seeds: Arc::default() }
    }

    pub fn now(&self) -> i64 {
        self.now.load(Ordering::Relaxed)
    }

    /// Moves the clock, forwards or back, and returns the new time.
    pub fn wait(&self, ms: i64) -> i64 {
        self.now.fetch_add(ms, Ordering::Relaxed) + ms
    }

    pub fn outside(&self) -> Outside {
        let (now, seeds) = (self.now.clone(), self.seeds.clone());
        Outside::given(
            move || now.load(Ordering::Relaxed),
            move || {
                let mut seed = [5; 32];
                seed[..8].copy_from_slice(&seeds.fetch_add(1, Ordering::Relaxed).to_be_bytes());
                seed
            },
        )
    }
}

/// Returns a vault name that no other script of this process uses, and its number.
pub fn fresh_vault() -> (u64, String) {
    static VAULTS: AtomicU64 = AtomicU64::new(0);
    let number = VAULTS.fetch_add(1, Ordering::Relaxed);
    (number, format!("script-{number}"))
}
