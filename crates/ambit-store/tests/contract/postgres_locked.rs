//! A vault that another process has locked: only its own writers wait.

use std::thread;
use std::time::{Duration, Instant};

use ambit_store::{Postgres, PostgresOptions};

use crate::driver::{Driver, deciding, say};
use crate::server::fresh_schema;

/// How long the vault is locked, in seconds.
const HELD: f64 = 2.0;

#[test]
fn writers_of_other_vaults_do_not_wait_for_a_locked_one() {
    let address = fresh_schema();
    let open = || Postgres::create(&address, &|_| None, &PostgresOptions::default()).unwrap().0;
    let (store, other) = (open(), open());
    let names: Vec<String> = (0..6).map(|number| format!("v{number}")).collect();
    let mut drivers: Vec<_> = names.iter().map(|name| Driver::of(&store, name)).collect();
    // From here on the vaults are cached, and queued commands are grouped.
    drivers.iter_mut().for_each(|driver| drop(driver.must(&say("before"))));
    thread::scope(|threads| {
        let lock = format!(
            "WITH held AS (SELECT vault FROM vault WHERE name = 'v0' FOR UPDATE)
             SELECT CAST(pg_sleep({HELD}) AS TEXT) FROM held"
        );
        let other = &other;
        threads.spawn(move || other.ask(&lock).unwrap());
        thread::sleep(Duration::from_millis(300));
        for driver in &mut drivers {
            threads.spawn(move || {
                let begun = Instant::now();
                for round in 0..20 {
                    let command = say(&format!("{} {round}", driver.vault));
                    let ask = driver.ask(&command);
                    let decide = deciding(&ask, command);
                    driver.store.transact(ask, decide).unwrap();
                }
                let waited = begun.elapsed().as_secs_f64() > HELD / 2.0;
                assert_eq!(waited, driver.vault == "v0", "{}: {:?}", driver.vault, begun.elapsed());
            });
        }
    });
}
