//! `restart` and `terminate`: the server goes down at once every two seconds, or single connections
//! do, while several processes write. Nothing is lost or doubled, and all are served again soon.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use ambit_store::{Postgres, PostgresOptions};
use indicatif::ProgressBar;

use super::ground::{Base, Ground, Place, said};
use super::load::{Load, Numbers, Said, Shape, compare, numbers};
use super::table::Row;

/// Who writes meanwhile. Each gives a text again under its key where the store fails.
const SHAPE: Shape = Shape::Processes { processes: 4, threads: 2 };
const RETRY: [&str; 1] = ["--retry"];

/// Between two restarts.
const PAUSE: Duration = Duration::from_secs(2);

/// Between two connections that are ended.
const TERMINATE: Duration = Duration::from_millis(100);

/// How long after the server is there again each writer must have been served.
const SERVED: Duration = Duration::from_secs(3);

pub fn run(ground: &Ground, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(rounds);
    let cluster = ground.cluster()?;
    let attack = || {
        bar.inc(1);
        cluster.control(&["restart", "-w", "-m", "immediate"])
    };
    Ok(vec![under(ground, "restart", rounds, PAUSE, attack)])
}

pub fn terminate(ground: &Ground, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(rounds);
    let address = ground.cluster()?.address();
    let options = PostgresOptions::default();
    let (store, _) = Postgres::create(&address, &|_| None, &options).map_err(said)?;
    let attack = || {
        bar.inc(1);
        let one = "SELECT CAST(pg_terminate_backend(pid) AS TEXT) FROM pg_stat_activity
                   WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
                   ORDER BY random() LIMIT 1";
        store.ask(one).map(drop).map_err(said)
    };
    Ok(vec![under(ground, "terminate", rounds, TERMINATE, attack)])
}

fn under(
    ground: &Ground,
    name: &str,
    rounds: u64,
    pause: Duration,
    attack: impl Fn() -> Result<(), String>,
) -> Row {
    let mut row = Row::new(name);
    row.rounds = rounds;
    if let Err(why) = attacked(ground, name, pause, attack, &mut row) {
        row.fault(why);
    }
    row
}

fn attacked(
    ground: &Ground,
    name: &str,
    pause: Duration,
    attack: impl Fn() -> Result<(), String>,
    row: &mut Row,
) -> Result<(), String> {
    let place = ground.place(Base::Postgres, name)?;
    let load = Load::start(&place, SHAPE, &Numbers::new(), &RETRY)?;
    let mut up = Vec::new();
    for _ in 0..row.rounds {
        std::thread::sleep(pause);
        attack()?;
        up.push(Instant::now());
    }
    std::thread::sleep(SERVED);
    let told = load.kill()?;
    let last = numbers(&Numbers::new(), &told)?;
    judge(&place, &last, row)?;
    let worst = up.iter().map(|up| served(&told, &last, *up)).max().unwrap_or_default();
    row.took(worst);
    match worst <= SERVED {
        true => Ok(()),
        false => Err(format!("a writer waited {} ms to be served", worst.as_millis())),
    }
}

fn judge(place: &Place, last: &Numbers, row: &mut Row) -> Result<(), String> {
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

/// How long the last of all writers waited for its next word after a moment.
fn served(told: &[Said], writers: &Numbers, from: Instant) -> Duration {
    let mut first: HashMap<&str, Instant> = HashMap::new();
    for (at, text) in told.iter().filter(|(at, _)| *at >= from) {
        let writer = text.rsplit_once(' ').map_or("", |(writer, _)| writer);
        first.entry(writer).or_insert(*at);
    }
    let waited = |writer: &String| {
        let next = first.get(writer.as_str());
        next.map_or(Duration::MAX, |at| at.duration_since(from))
    };
    writers.keys().map(waited).max().unwrap_or(Duration::MAX)
}
