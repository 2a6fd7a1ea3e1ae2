//! Threads, vaults and processes that append on one PostgreSQL server, against bare inserts of the
//! same bytes on equally many connections.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ambit::{Engine, Outside};
use ambit_store::{Postgres, PostgresOptions};
use tokio_postgres::NoTls;

use super::figure::{Figure, grouped};
use super::race::{ROUNDS, race, unique};
use super::side::{ask, server};
use super::sqlite_writers::{appends, who};
use crate::{cli, median, text};

const BYTES: usize = 1_000;

/// Threads that append: how many, whether each has an actor of its own, or a vault of its own.
struct Case {
    threads: usize,
    actors: bool,
    vaults: bool,
    /// Of the bare insert on as many connections.
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

/// What each round of a case gave.
#[derive(Default)]
struct Races {
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
    // In a schema of its own, beside the store's tables.
    store.ask("CREATE TABLE message (id BIGSERIAL PRIMARY KEY, body TEXT NOT NULL)").expect("made");
    let mut races: Vec<Races> = CASES.iter().map(|_| Races::default()).collect();
    // Each beside its own bare insert: what else the disk does weighs on both alike.
    for _ in 0..ROUNDS {
        for (case, races) in CASES.iter().zip(&mut races) {
            let bare = race(case.threads, |_| insert(address));
            let (rate, commits) = measure(case, &engine, &store);
            races.bare.push(bare);
            races.ratios.push(rate / bare);
            races.rates.push(rate);
            races.commits.push(commits);
        }
    }
    let mut figures = Vec::new();
    let mut bare = f64::NAN;
    for (case, races) in CASES.iter().zip(&mut races) {
        bare = median(&mut races.bare);
        let ratio = median(&mut races.ratios);
        let measured = format!(
            "{}/s against {}/s: {ratio:.2} ×, {:.2} commits each",
            grouped(median(&mut races.rates) as u64),
            grouped(bare as u64),
            median(&mut races.commits)
        );
        let who =
            if case.vaults { "32 vaults at once".into() } else { who(case.threads, case.actors) };
        let what = format!("PostgreSQL: append of 1 kB, {who} / bare insert");
        figures.push(Figure::at_least(what, ratio, case.bound, measured));
    }
    figures.extend(processes(address, 32, bare));
    figures
}

/// Appends a second, and transactions for each.
fn measure(case: &Case, engine: &Engine, store: &Postgres) -> (f64, f64) {
    // Every transaction that writes takes one number.
    let number = || -> f64 {
        let next = "SELECT CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT)";
        ask(store, next).parse().unwrap_or(f64::NAN)
    };
    let (before, from) = (number(), unique());
    let rate = race(case.threads, |thread| {
        let vault = if case.vaults { format!("vault-{thread}") } else { "default".into() };
        appends(engine, &vault, thread, case.actors)
    });
    (rate, (number() - before) / (unique() - from - 1) as f64)
}

/// One prepared insert for each transaction, over the same socket.
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

/// Processes that each append to the same vault, short texts, and say so after each.
fn processes(address: &str, count: usize, plain: f64) -> Option<Figure> {
    const LENGTH: Duration = Duration::from_secs(3);
    let what = format!("PostgreSQL: append, {count} processes on one vault / bare insert");
    let Some(program) = cli::program() else {
        return Some(Figure::told(what, "not run: cargo build --release"));
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
    let said = AtomicU64::new(0);
    let rate = std::thread::scope(|scope| {
        for child in &mut children {
            let (out, said) = (child.stdout.take().expect("a pipe"), &said);
            scope.spawn(move || {
                let lines = BufReader::new(out).lines().map_while(Result::ok);
                for _ in lines {
                    said.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        std::thread::sleep(LENGTH / 3);
        let before = said.load(Ordering::Relaxed);
        std::thread::sleep(LENGTH);
        let after = said.load(Ordering::Relaxed);
        for child in &mut children {
            let _ = child.kill();
            let _ = child.wait();
        }
        (after - before) as f64 / LENGTH.as_secs_f64()
    });
    Some(Figure::told(what, format!("{}/s: {:.2} ×", grouped(rate as u64), rate / plain)))
}
