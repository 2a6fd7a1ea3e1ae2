//! Measures whole vaults: replay of the log in memory, verify, rebuild, size on disk.

use std::time::Instant;

use ambit_core::{Logged, State};
use ambit_store::Rows;

use super::database::Database;
use super::figure::{Figure, grouped};
use super::load::{Vault, ada};

/// Seconds that replaying a million events may take.
const REPLAY_SECONDS_MAX: f64 = 10.0;

pub fn run(database: &Database, vault: &Vault) -> Vec<Figure> {
    let label = database.name();
    let begun = Instant::now();
    let log = log(vault);
    let read = begun.elapsed().as_secs_f64();
    let events = log.len() as u64;
    let name = |what: &str| format!("{label}: {what}, {} events", grouped(events));
    let per =
        |seconds: f64| format!("{seconds:.2} s ({:.1} µs each)", seconds * 1e6 / events as f64);
    let scaled = |seconds: f64| (seconds * events as f64 / 1e4).ceil() / 1e2;
    let (bound, rebuilt) = match database {
        Database::Sqlite(_) => (scaled(REPLAY_SECONDS_MAX), scaled(60.0)),
        Database::Postgres(_) => (scaled(REPLAY_SECONDS_MAX), scaled(180.0)),
    };

    let begun = Instant::now();
    let mut state = State::default();
    log.iter().for_each(|logged| state.apply(logged));
    let by_state = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let mut rows = Rows::default();
    log.iter().for_each(|logged| rows.apply(logged));
    let by_rows = begun.elapsed().as_secs_f64();
    assert_eq!(state.vault, rows.vault);
    drop((rows, log));
    // Measured before the rebuild, which leaves the replaced rows for a later cleanup.
    let bytes = vault.opened.bytes();

    let begun = Instant::now();
    let verified = vault.opened.engine.verify(&ada(), &|_| {}).expect("verified");
    assert!(verified.ok, "{verified:?}");
    let verify = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    vault.opened.engine.rebuild(&ada(), &|_, _| {}).expect("rebuilt");
    let rebuild = begun.elapsed().as_secs_f64();
    let again = vault.opened.engine.verify(&ada(), &|_| {}).expect("verified");
    assert_eq!((again.ok, again.digest), (true, verified.digest));
    let ratio = bytes / vault.text;
    let disk = format!(
        "{ratio:.2} × ({:.1} MB for {:.1} MB of text in messages of 200 bytes)",
        bytes / 1e6,
        vault.text / 1e6
    );
    vec![
        Figure::unbounded(name("load"), per(vault.seconds)),
        Figure::unbounded(name("read the log and parse it"), per(read)),
        Figure::at_most(name("replay through State::apply"), by_state, bound, per(by_state)),
        Figure::at_most(name("replay through Rows::apply"), by_rows, bound, per(by_rows)),
        Figure::unbounded(name("verify"), per(verify)),
        Figure::at_most(name("rebuild of all rows"), rebuild, rebuilt, per(rebuild)),
        Figure::unbounded(name("bytes on disk / text"), disk),
    ]
}

fn log(vault: &Vault) -> Vec<Logged> {
    let mut log = Vec::new();
    let mut read = |snapshot: &mut dyn ambit_store::Snapshot| {
        loop {
            let after = log.last().map_or(0, |logged: &Logged| logged.event.seq);
            let page = snapshot.events(after, 10_000)?;
            if page.is_empty() {
                return Ok(());
            }
            log.extend(page.into_iter().map(|stored| stored.parse().expect("an event")));
        }
    };
    vault.opened.store.read("default", &mut read).expect("read");
    log
}
