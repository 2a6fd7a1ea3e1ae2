//! `cargo xtask bench store`: measures both databases as they grow, under many writers, and
//! compared with other products.

pub mod database;
pub mod figure;
pub mod load;
mod peers;
mod postgres_writers;
mod replay;
mod sqlite_writers;
mod throughput;
mod verbs;

use self::database::Database;
use self::figure::Figure;
use xtask::Outcome;
use xtask::postgres::Cluster;

/// The sizes of the vaults; the others are compared with the first.
const SIZES: [u64; 3] = [1_000, 100_000, 1_000_000];

const PARTS: [&str; 5] = ["sqlite", "sqlite-writers", "postgres", "postgres-writers", "peers"];

/// The parsed arguments.
struct Options {
    sizes: Vec<u64>,
    parts: Vec<String>,
}

const HELP: &str = "Usage: cargo xtask bench store [--events NUMBER,...] [PART...]

Measure the databases. Parts (default: all):
  sqlite            cost of every verb as a vault grows; replay, verify, rebuild, size
  sqlite-writers    appends by many threads, against a bare insert
  postgres          as sqlite, on a private server
  postgres-writers  as sqlite-writers, also with many vaults and processes
  peers             other products on the same work; installs them into a temporary folder

  --events NUMBER,...  sizes of the vaults; the others are compared with the smallest
                       [default: 1000,100000,1000000]

Example: cargo xtask bench store sqlite --events 1000,20000";

pub fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|word| word == "--help" || word == "-h") {
        println!("{HELP}");
        return Ok(());
    }
    let options = Options::parse(arguments)?;
    let folder = tempfile::tempdir()
        .map_err(|error| format!("cannot create a temporary folder: {error}"))?;
    let mut figures = Vec::new();
    if options.includes("sqlite") {
        figures.extend(grown(&Database::Sqlite(folder.path().to_path_buf()), &options.sizes));
    }
    if options.includes("sqlite-writers") {
        figures.extend(sqlite_writers::run(folder.path()));
    }
    if options.includes("postgres") {
        let cluster = Cluster::start()?;
        figures.extend(grown(&Database::Postgres(cluster.address()), &options.sizes));
    }
    if options.includes("postgres-writers") {
        // A new server: the other one is still writing back its load.
        let cluster = Cluster::start()?;
        figures.extend(postgres_writers::run(&cluster.address()));
    }
    if options.includes("peers") {
        figures.extend(peers::run(folder.path()));
    }
    match figure::print(&figures) {
        0 => Ok(()),
        missed => Err(format!("bench store: {missed} bounds missed")),
    }
}

/// Measures the cost of verbs as vaults grow, and of operations on the largest vault.
fn grown(database: &Database, sizes: &[u64]) -> Vec<Figure> {
    let vaults: Vec<_> = sizes.iter().map(|size| load::load(database, *size)).collect();
    let mut figures = database::on_one_core(|| verbs::run(database.name(), &vaults));
    if let Some(largest) = vaults.last() {
        figures.extend(replay::run(database, largest));
    }
    figures
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options { sizes: SIZES.to_vec(), parts: Vec::new() };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            if word == "--events" {
                options.sizes = sizes(words.next().map_or("", String::as_str))?;
            } else if PARTS.contains(&word.as_str()) {
                options.parts.push(word.clone());
            } else {
                let parts = PARTS.join(", ");
                return Err(format!("unknown part {word:?}: expected one of {parts}"));
            }
        }
        Ok(options)
    }

    fn includes(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|it| it == part)
    }
}

/// Parses the sizes of vaults and sorts them.
fn sizes(text: &str) -> Result<Vec<u64>, String> {
    let numbers: Result<Vec<u64>, _> = text.split(',').map(str::parse).collect();
    match numbers {
        Ok(mut sizes) if sizes.iter().all(|size| *size >= 1_000) => {
            sizes.sort_unstable();
            Ok(sizes)
        }
        _ => Err(format!(
            "invalid value {text:?} for --events: expected numbers of at least 1000, \
             such as 1000,100000"
        )),
    }
}
