//! The two databases as the benches see them: a fresh store by name, what it costs the processor,
//! and how large it is.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ambit::{Engine, Outside};
use ambit_store::{Options, Postgres, PostgresOptions, Sqlite, Store};
use rusqlite::Connection;
use rustix::time::{ClockId, clock_gettime};

/// A database to measure on.
pub enum Side {
    Sqlite(PathBuf),
    /// A server's address, which ends in its query.
    Postgres(String),
}

/// A store of one name, held over one connection, so that all that it costs can be seen.
pub struct Opened {
    pub engine: Engine,
    pub store: Arc<dyn Store>,
    meter: Meter,
    at: At,
}

enum At {
    File(PathBuf),
    Server { store: Arc<Postgres>, schema: String },
}

/// What is counted as cost.
enum Meter {
    /// This thread's processor time: an embedded database works on it.
    Thread,
    /// And that of the server's process for our connection.
    WithBackend(PathBuf),
    /// Where the system does not tell: time passed.
    Elapsed(Instant),
}

impl Side {
    pub fn name(&self) -> &'static str {
        match self {
            Side::Sqlite(_) => "SQLite",
            Side::Postgres(_) => "PostgreSQL",
        }
    }

    /// A new store with the vault `default`.
    pub fn open(&self, name: &str) -> Opened {
        let opened = match self {
            Side::Sqlite(folder) => {
                let path = folder.join(format!("{name}.db"));
                let store = Sqlite::create(&path, &Options::default()).expect("a store");
                Opened::over(Arc::new(store), Meter::Thread, At::File(path))
            }
            Side::Postgres(address) => {
                let one = PostgresOptions { connections_max: 1, ..PostgresOptions::default() };
                let store = server(address, name, &one);
                let meter = backend(&store);
                let schema = name.to_string();
                Opened::over(store.clone(), meter, At::Server { store, schema })
            }
        };
        opened.engine.create_vault("default").expect("a vault");
        opened
    }
}

/// A store in a schema of its own.
pub fn server(address: &str, schema: &str, options: &PostgresOptions) -> Arc<Postgres> {
    let address = format!("{address}&schema={schema}");
    Arc::new(Postgres::create(&address, &|_| None, options).expect("a store").0)
}

fn backend(store: &Postgres) -> Meter {
    let number = ask(store, "SELECT CAST(pg_backend_pid() AS TEXT)");
    keep_on(&number, "0");
    let file = Path::new("/proc").join(number).join("schedstat");
    match nanoseconds(&file) {
        Some(_) => Meter::WithBackend(file),
        None => Meter::Elapsed(Instant::now()),
    }
}

/// Has a process stay on some cores. A server's process that happens to run on another core than
/// its client costs half as much again, for as long as the scheduler leaves it there: more than
/// what is looked for here. Where it cannot be done, figures are only noisier.
fn keep_on(process: &str, cores: &str) {
    let mut taskset = Command::new("taskset");
    taskset.args(["-a", "-c", "-p", cores, process]).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = taskset.status();
}

/// Does something on the core that servers' processes are on, too.
pub fn on_one_core<T>(step: impl FnOnce() -> T) -> T {
    let own = std::process::id().to_string();
    let last = std::thread::available_parallelism().map_or(0, |cores| cores.get() - 1);
    keep_on(&own, "0");
    let done = step();
    keep_on(&own, &format!("0-{last}"));
    done
}

/// The first column of the first row.
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
    fn over(store: Arc<dyn Store>, meter: Meter, at: At) -> Opened {
        Opened { engine: Engine::over(store.clone(), Outside::real()), store, meter, at }
    }

    /// Microseconds of processor time that a step costs, on both sides of the connection.
    pub fn cost(&self, step: impl FnOnce()) -> f64 {
        let outside = || match &self.meter {
            Meter::Thread => 0.0,
            Meter::WithBackend(file) => nanoseconds(file).unwrap_or(0) as f64 / 1e9,
            Meter::Elapsed(since) => since.elapsed().as_secs_f64() - thread_time(),
        };
        let there = outside();
        let here = thread_time();
        step();
        (thread_time() - here + outside() - there) * 1e6
    }

    /// The same store, opened once more where it is a file: nothing of it is in memory.
    pub fn again(&self) -> Engine {
        let store: Arc<dyn Store> = match &self.at {
            At::File(path) => Arc::new(Sqlite::open(path, &Options::default()).expect("a store")),
            At::Server { store, .. } => store.clone(),
        };
        Engine::over(store, Outside::real())
    }

    pub fn name(&self) -> &'static str {
        match self.at {
            At::File(_) => "SQLite",
            At::Server { .. } => "PostgreSQL",
        }
    }

    /// What the databases do by themselves a little later, done now: so that it does not fall into
    /// what is measured.
    pub fn settle(&self) {
        match &self.at {
            At::File(path) => checkpoint(path),
            At::Server { store, .. } => {
                for text in ["VACUUM (ANALYZE)", "CHECKPOINT"] {
                    store.ask(text).expect("maintained");
                }
            }
        }
    }

    /// Bytes on disk, indexes included.
    pub fn bytes(&self) -> f64 {
        match &self.at {
            At::File(path) => {
                checkpoint(path);
                std::fs::metadata(path).expect("a file").len() as f64
            }
            At::Server { store, schema } => {
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
