//! Measures appends by threads, vaults and processes on one PostgreSQL server, against bare inserts
//! of the same bytes on as many connections.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ambit::{Engine, Outside};
use ambit_store::{Postgres, PostgresOptions};
use tokio_postgres::NoTls;

use super::database::{ask, server};
use super::figure::{Figure, grouped};
use super::sqlite_writers::{appends, who};
use super::throughput::{ROUNDS, steps_per_second, unique};
use crate::{cli, median, text};

const BYTES: usize = 1_000;

/// The number of appending threads, and whether each has its own actor or its own vault.
struct Case {
    threads: usize,
    actors: bool,
    vaults: bool,
    /// The smallest allowed ratio to the bare insert on as many connections.
    bound: f64,
}

const CASES: [Case; 6] = [
    Case { threads: 1, actors: true, vaults: false, bound: 0.3 },
    Case { threads: 8, actors: true, vaults: false, bound: 0.3 },
    Case { threads: 32, actors: true, vaults: false, bound: 0.3 },
    Case { threads: 8, actors: false, vaults: false, bound: 0.3 },
    Case { threads: 32, actors: false, vaults: false, bound: 0.3 },
    Case { threads: 32, actors: false, vaults: true, bound: 0.3 },
];

/// The measured values of a case, one per round.
#[derive(Default)]
struct Samples {
    bare: Vec<f64>,
    rates: Vec<f64>,
    ratios: Vec<f64>,
    commits: Vec<f64>,
}

pub fn run(address: &str) -> Vec<Figure> {
    eprintln!("writers on PostgreSQL …");
    let store = server(address, "writers", &PostgresOptions::default());
    let engine = Engine::over(store.clone(), Outside::real());
    engine.create_vault("default").expect("a vault");
    for number in 0..32 {
        engine.create_vault(&format!("vault-{number}")).expect("a vault");
    }
    // In the schema of the store.
    store.ask("CREATE TABLE message (id BIGSERIAL PRIMARY KEY, body TEXT NOT NULL)").expect("made");
    let mut samples: Vec<Samples> = CASES.iter().map(|_| Samples::default()).collect();
    // Each case follows its own bare insert, so that other load on the disk affects both alike.
    for _ in 0..ROUNDS {
        for (case, samples) in CASES.iter().zip(&mut samples) {
            let bare = steps_per_second(case.threads, |_| insert(address));
            let (rate, commits) = measure(case, &engine, &store);
            samples.bare.push(bare);
            samples.ratios.push(rate / bare);
            samples.rates.push(rate);
            samples.commits.push(commits);
        }
    }
    let mut figures = Vec::new();
    let mut bare = f64::NAN;
    for (case, samples) in CASES.iter().zip(&mut samples) {
        bare = median(&mut samples.bare);
        let ratio = median(&mut samples.ratios);
        let measured = format!(
            "{}/s against {}/s: {ratio:.2} ×, {:.2} commits each",
            grouped(median(&mut samples.rates) as u64),
            grouped(bare as u64),
            median(&mut samples.commits)
        );
        let who =
            if case.vaults { "32 vaults at once".into() } else { who(case.threads, case.actors) };
        let what = format!("PostgreSQL: append of 1 kB, {who} / bare insert");
        figures.push(Figure::at_least(what, ratio, case.bound, measured));
    }
    figures.extend(processes(address, 32, bare));
    figures
}

/// Returns appends per second, and transactions per append.
fn measure(case: &Case, engine: &Engine, store: &Postgres) -> (f64, f64) {
    // Every writing transaction takes one transaction id.
    let number = || -> f64 {
        let next = "SELECT CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT)";
        ask(store, next).parse().unwrap_or(f64::NAN)
    };
    let (before, from) = (number(), unique());
    let rate = steps_per_second(case.threads, |thread| {
        let vault = if case.vaults { format!("vault-{thread}") } else { "default".into() };
        appends(engine, &vault, thread, case.actors)
    });
    (rate, (number() - before) / (unique() - from - 1) as f64)
}

/// Returns a step that runs one prepared insert per transaction, over the same socket.
fn insert(address: &str) -> impl FnMut() + use<> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let (client, statement) = runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(address, NoTls).await.expect("a server");
        tokio::spawn(connection);
        let text = "INSERT INTO writers.message (body) VALUES ($1)";
        let statement = client.prepare(text).await.expect("prepared");
        (client, statement)
    });
    move || {
        let body = text(BYTES, unique());
        let done = runtime.block_on(client.execute(&statement, &[&body]));
        done.expect("inserted");
    }
}

/// Measures processes that append short texts to one vault; each prints a line per append.
fn processes(address: &str, count: usize, plain: f64) -> Option<Figure> {
    const LENGTH: Duration = Duration::from_secs(3);
    let what = format!("PostgreSQL: append, {count} processes on one vault / bare insert");
    let Some(program) = cli::program() else {
        return Some(Figure::unbounded(what, "not run: run `cargo build --release` first"));
    };
    let start = |number: usize| -> Child {
        let mut command = Command::new(&program);
        let actor = format!("process-{number}");
        let store = format!("{address}&schema=writers");
        command.args(["demo-writer", "--as", &actor, "--store", &store]);
        command.stdout(Stdio::piped()).stderr(Stdio::null()).stdin(Stdio::null());
        command.spawn().expect("the program")
    };
    let mut children: Vec<Child> = (0..count).map(start).collect();
    let appended = AtomicU64::new(0);
    let rate = std::thread::scope(|scope| {
        for child in &mut children {
            let (out, appended) = (child.stdout.take().expect("a pipe"), &appended);
            scope.spawn(move || {
                let lines = BufReader::new(out).lines().map_while(Result::ok);
                for _ in lines {
                    appended.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        std::thread::sleep(LENGTH / 3);
        let before = appended.load(Ordering::Relaxed);
        std::thread::sleep(LENGTH);
        let after = appended.load(Ordering::Relaxed);
        for child in &mut children {
            let _ = child.kill();
            let _ = child.wait();
        }
        (after - before) as f64 / LENGTH.as_secs_f64()
    });
    Some(Figure::unbounded(what, format!("{}/s: {:.2} ×", grouped(rate as u64), rate / plain)))
}
