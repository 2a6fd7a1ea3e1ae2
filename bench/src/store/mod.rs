//! `cargo xtask bench store`: what the two databases cost as they grow, under many writers, and
//! beside others.

pub mod figure;
mod fold;
pub mod load;
mod peers;
mod postgres_writers;
mod race;
pub mod side;
mod sqlite_writers;
mod verbs;

use self::figure::Figure;
use self::side::Side;
use xtask::Outcome;
use xtask::postgres::Cluster;

/// The sizes that vaults grow to; the first is what the others are compared with.
const SIZES: [u64; 3] = [1_000, 100_000, 1_000_000];

const PARTS: [&str; 5] = ["sqlite", "sqlite-writers", "postgres", "postgres-writers", "peers"];

/// What was asked for.
struct Asked {
    sizes: Vec<u64>,
    parts: Vec<String>,
}

const HELP: &str = "Usage: cargo xtask bench store [--events NUMBER,...] [PART...]

Parts, all of them where none is named:
  sqlite            every verb's cost as a vault grows; folding, verify, rebuild, size
  sqlite-writers    appends by many threads, against a bare insert
  postgres          as sqlite, on a server of its own
  postgres-writers  as sqlite-writers, also by many vaults and processes
  peers             others on the same work; installs them into a temporary folder

The first number of events is what the others are compared with: 1000,100000,1000000.";

pub fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|word| word == "--help" || word == "-h") {
        println!("{HELP}");
        return Ok(());
    }
    let asked = Asked::parse(arguments)?;
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let mut figures = Vec::new();
    if asked.wants("sqlite") {
        figures.extend(grown(&Side::Sqlite(folder.path().to_path_buf()), &asked.sizes));
    }
    if asked.wants("sqlite-writers") {
        figures.extend(sqlite_writers::run(folder.path()));
    }
    if asked.wants("postgres") {
        let cluster = Cluster::start()?;
        figures.extend(grown(&Side::Postgres(cluster.address()), &asked.sizes));
    }
    if asked.wants("postgres-writers") {
        // A server of its own: the other still writes back what it was loaded with.
        let cluster = Cluster::start()?;
        figures.extend(postgres_writers::run(&cluster.address()));
    }
    if asked.wants("peers") {
        figures.extend(peers::run(folder.path()));
    }
    match figure::print(&figures) {
        0 => Ok(()),
        missed => Err(format!("{missed} bounds were missed")),
    }
}

/// Cost as vaults grow.
fn grown(side: &Side, sizes: &[u64]) -> Vec<Figure> {
    let vaults: Vec<_> = sizes.iter().map(|size| load::load(side, *size)).collect();
    let mut figures = side::on_one_core(|| verbs::run(side.name(), &vaults));
    if let Some(largest) = vaults.last() {
        figures.extend(fold::run(side, largest));
    }
    figures
}

impl Asked {
    fn parse(arguments: &[String]) -> Result<Asked, String> {
        let mut asked = Asked { sizes: SIZES.to_vec(), parts: Vec::new() };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            if word == "--events" {
                asked.sizes = sizes(words.next().map_or("", String::as_str))?;
            } else if PARTS.contains(&word.as_str()) {
                asked.parts.push(word.clone());
            } else {
                let parts = PARTS.join(", ");
                return Err(format!("bench store has no part {word:?}; there are {parts}"));
            }
        }
        Ok(asked)
    }

    fn wants(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|it| it == part)
    }
}

/// Numbers of messages, the least first.
fn sizes(text: &str) -> Result<Vec<u64>, String> {
    let numbers: Result<Vec<u64>, _> = text.split(',').map(str::parse).collect();
    match numbers {
        Ok(mut sizes) if sizes.iter().all(|size| *size >= 1_000) => {
            sizes.sort_unstable();
            Ok(sizes)
        }
        _ => Err("--events takes numbers of at least 1000, such as 1000,100000".into()),
    }
}
