//! The two databases under measurement: creates a store by name, and measures its processor time
//! and its size.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ambit::{Engine, Outside};
use ambit_store::{Options, Postgres, PostgresOptions, Sqlite, Store};
use rusqlite::Connection;
use rustix::time::{ClockId, clock_gettime};

/// A database to measure on.
pub enum Database {
    Sqlite(PathBuf),
    /// A server's address, which ends with a query string.
    Postgres(String),
}

/// A store on a single connection, whose processor time can be measured.
pub struct Opened {
    pub engine: Engine,
    pub store: Arc<dyn Store>,
    meter: Meter,
    storage: Storage,
}

enum Storage {
    File(PathBuf),
    Server { store: Arc<Postgres>, schema: String },
}

/// What counts as cost.
enum Meter {
    /// Processor time of this thread, which an embedded database runs on.
    Thread,
    /// Processor time of this thread and of the server's process for the connection.
    WithBackend(PathBuf),
    /// Elapsed time, if the system does not report processor time.
    Elapsed(Instant),
}

impl Database {
    pub fn name(&self) -> &'static str {
        match self {
            Database::Sqlite(_) => "SQLite",
            Database::Postgres(_) => "PostgreSQL",
        }
    }

    /// Creates a store with the vault `default`.
    pub fn open(&self, name: &str) -> Opened {
        let opened = match self {
            Database::Sqlite(folder) => {
                let path = folder.join(format!("{name}.db"));
                let store = Sqlite::create(&path, &Options::default()).expect("a store");
                Opened::over(Arc::new(store), Meter::Thread, Storage::File(path))
            }
            Database::Postgres(address) => {
                let one = PostgresOptions { connections_max: 1, ..PostgresOptions::default() };
                let store = server(address, name, &one);
                let meter = backend(&store);
                let schema = name.to_string();
                Opened::over(store.clone(), meter, Storage::Server { store, schema })
            }
        };
        opened.engine.create_vault("default").expect("a vault");
        opened
    }
}

/// Creates a store in a new schema.
pub fn server(address: &str, schema: &str, options: &PostgresOptions) -> Arc<Postgres> {
    let address = format!("{address}&schema={schema}");
    Arc::new(Postgres::create(&address, &|_| None, options).expect("a store").0)
}

fn backend(store: &Postgres) -> Meter {
    let number = ask(store, "SELECT CAST(pg_backend_pid() AS TEXT)");
    pin_to(&number, "0");
    let file = Path::new("/proc").join(number).join("schedstat");
    match nanoseconds(&file) {
        Some(_) => Meter::WithBackend(file),
        None => Meter::Elapsed(Instant::now()),
    }
}

/// Pins a process to some cores. A server's process on another core than its client costs half as
/// much again for as long as the scheduler leaves it there, which is more than the differences
/// measured here. Without `taskset`, figures are only noisier.
fn pin_to(process: &str, cores: &str) {
    let mut taskset = Command::new("taskset");
    taskset.args(["-a", "-c", "-p", cores, process]).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = taskset.status();
}

/// Runs a step on the core that the servers' processes are pinned to.
pub fn on_one_core<T>(step: impl FnOnce() -> T) -> T {
    let own = std::process::id().to_string();
    let last = std::thread::available_parallelism().map_or(0, |cores| cores.get() - 1);
    pin_to(&own, "0");
    let done = step();
    pin_to(&own, &format!("0-{last}"));
    done
}

/// Runs a query and returns the first column of the first row.
pub fn ask(store: &Postgres, text: &str) -> String {
    let rows = store.ask(text).expect("an answer");
    rows.into_iter().flatten().flatten().next().unwrap_or_default()
}

fn nanoseconds(file: &Path) -> Option<u64> {
    std::fs::read_to_string(file).ok()?.split_whitespace().next()?.parse().ok()
}

fn thread_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32).as_secs_f64()
}

impl Opened {
    fn over(store: Arc<dyn Store>, meter: Meter, storage: Storage) -> Opened {
        Opened { engine: Engine::over(store.clone(), Outside::real()), store, meter, storage }
    }

    /// Returns the microseconds of processor time of a step, on both sides of the connection.
    pub fn cost(&self, step: impl FnOnce()) -> f64 {
        let server_time = || match &self.meter {
            Meter::Thread => 0.0,
            Meter::WithBackend(file) => nanoseconds(file).unwrap_or(0) as f64 / 1e9,
            Meter::Elapsed(since) => since.elapsed().as_secs_f64() - thread_time(),
        };
        let server = server_time();
        let thread = thread_time();
        step();
        (thread_time() - thread + server_time() - server) * 1e6
    }

    /// Opens the store again if it is a file, so that nothing of it is cached.
    pub fn reopen(&self) -> Engine {
        let store: Arc<dyn Store> = match &self.storage {
            Storage::File(path) => {
                Arc::new(Sqlite::open(path, &Options::default()).expect("a store"))
            }
            Storage::Server { store, .. } => store.clone(),
        };
        Engine::over(store, Outside::real())
    }

    pub fn name(&self) -> &'static str {
        match self.storage {
            Storage::File(_) => "SQLite",
            Storage::Server { .. } => "PostgreSQL",
        }
    }

    /// Runs the maintenance that the databases would otherwise run during the measurement.
    pub fn settle(&self) {
        match &self.storage {
            Storage::File(path) => checkpoint(path),
            Storage::Server { store, .. } => {
                for text in ["VACUUM (ANALYZE)", "CHECKPOINT"] {
                    store.ask(text).expect("maintained");
                }
            }
        }
    }

    /// Returns the bytes on disk, including indexes.
    pub fn bytes(&self) -> f64 {
        match &self.storage {
            Storage::File(path) => {
                checkpoint(path);
                std::fs::metadata(path).expect("a file").len() as f64
            }
            Storage::Server { store, schema } => {
                let sum = "SELECT CAST(SUM(pg_total_relation_size(c.oid)) AS TEXT) FROM pg_class c \
                           JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r'";
                let text = format!("{sum} AND n.nspname = '{schema}'");
                ask(store, &text).parse().unwrap_or(f64::NAN)
            }
        }
    }
}

fn checkpoint(path: &Path) {
    let connection = Connection::open(path).expect("a database");
    connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        .expect("checkpointed");
}
