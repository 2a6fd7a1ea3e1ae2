//! `restart` and `terminate`: several processes write while the server restarts without warning
//! every two seconds, or while single connections are terminated. Nothing is lost or doubled, and
//! every writer is served again within a time limit.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use ambit_store::{Postgres, PostgresOptions};
use indicatif::ProgressBar;

use super::load::{Ack, LastNumbers, Load, Shape, compare, last_numbers};
use super::table::Row;
use super::testbed::{Database, Place, Testbed, describe};

/// The writers. Each repeats a text under its key when the store fails.
const SHAPE: Shape = Shape::Processes { processes: 4, threads: 2 };
const RETRY: [&str; 1] = ["--retry"];

/// The time between two restarts.
const RESTART_EVERY: Duration = Duration::from_secs(2);

/// The time between two terminated connections.
const TERMINATE_EVERY: Duration = Duration::from_millis(100);

/// The time within which each writer must be served after the server is up again.
const SERVED_WITHIN: Duration = Duration::from_secs(3);

pub fn run(testbed: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(rounds);
    let cluster = testbed.cluster()?;
    let attack = || {
        bar.inc(1);
        cluster.control(&["restart", "-w", "-m", "immediate"])
    };
    Ok(vec![row_under_attack(testbed, "restart", rounds, RESTART_EVERY, attack)])
}

pub fn terminate(testbed: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(rounds);
    let address = testbed.cluster()?.address();
    let options = PostgresOptions::default();
    let (store, _) = Postgres::create(&address, &|_| None, &options).map_err(describe)?;
    let attack = || {
        bar.inc(1);
        let one = "SELECT CAST(pg_terminate_backend(pid) AS TEXT) FROM pg_stat_activity
                   WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
                   ORDER BY random() LIMIT 1";
        store.ask(one).map(drop).map_err(describe)
    };
    Ok(vec![row_under_attack(testbed, "terminate", rounds, TERMINATE_EVERY, attack)])
}

fn row_under_attack(
    testbed: &Testbed,
    name: &str,
    rounds: u64,
    pause: Duration,
    attack: impl Fn() -> Result<(), String>,
) -> Row {
    let mut row = Row::new(name);
    row.rounds = rounds;
    if let Err(why) = write_under_attack(testbed, name, pause, attack, &mut row) {
        row.fault(why);
    }
    row
}

fn write_under_attack(
    testbed: &Testbed,
    name: &str,
    pause: Duration,
    attack: impl Fn() -> Result<(), String>,
    row: &mut Row,
) -> Result<(), String> {
    let place = testbed.place(Database::Postgres, name)?;
    let load = Load::start(&place, SHAPE, &LastNumbers::new(), &RETRY)?;
    let mut up = Vec::new();
    for _ in 0..row.rounds {
        std::thread::sleep(pause);
        attack()?;
        up.push(Instant::now());
    }
    std::thread::sleep(SERVED_WITHIN);
    let acks = load.kill()?;
    let last = last_numbers(&LastNumbers::new(), &acks)?;
    judge(&place, &last, row)?;
    let worst = up.iter().map(|up| longest_wait(&acks, &last, *up)).max().unwrap_or_default();
    row.took(worst);
    match worst <= SERVED_WITHIN {
        true => Ok(()),
        false => Err(format!("a writer waited {} ms to be served", worst.as_millis())),
    }
}

fn judge(place: &Place, last: &LastNumbers, row: &mut Row) -> Result<(), String> {
    let engine = place.engine()?;
    let tally = compare(last, &place.texts(&engine)?);
    row.acknowledged = tally.acknowledged;
    row.found = tally.found;
    row.doubled = tally.doubled;
    if let Some(wrong) = tally.wrong {
        return Err(wrong);
    }
    place.check(&engine)
}

/// Returns the longest time that any writer waited for its next acknowledgement after `from`.
fn longest_wait(acks: &[Ack], writers: &LastNumbers, from: Instant) -> Duration {
    let mut first: HashMap<&str, Instant> = HashMap::new();
    for (at, text) in acks.iter().filter(|(at, _)| *at >= from) {
        let writer = text.rsplit_once(' ').map_or("", |(writer, _)| writer);
        first.entry(writer).or_insert(*at);
    }
    let waited = |writer: &String| {
        let next = first.get(writer.as_str());
        next.map_or(Duration::MAX, |at| at.duration_since(from))
    };
    writers.keys().map(waited).max().unwrap_or(Duration::MAX)
}
