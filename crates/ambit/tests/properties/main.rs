//! Random scripts of several actors, run on all stores beside a second, simple model, with every
//! promise checked after every step; and each check shown to fail on a build broken on purpose.
//!
//! `AMBIT_PROPERTY_RUNS` sets how many scripts are run; a failure prints its seed and the least
//! script that still fails.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod attention;
mod chance;
mod checker;
mod damaged;
mod forgetting;
mod insights;
mod look;
mod model;
mod run;
mod scripts;
#[path = "../../../ambit-store/tests/support/server.rs"]
mod server;
mod shown;
mod vault;
mod watch;
mod window;

use run::{On, run, shrink};

/// How many scripts are run, and how long each is.
fn runs(usual: u64) -> u64 {
    let asked = std::env::var("AMBIT_PROPERTY_RUNS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

const STEPS: usize = 45;

/// Every how many scripts the server is asked too: it answers more slowly, and what its tables
/// share with SQLite's is the same code.
const SERVER_EVERY: u64 = 4;

/// Runs scripts on all stores. All give the same answers, word for word.
fn promises_hold(seeds: std::ops::Range<u64>) {
    let mut compositions = 0;
    for seed in seeds.clone() {
        let script = scripts::script(seed, STEPS);
        let mut on = vec![On::Memory, On::Sqlite];
        on.extend((seed % SERVER_EVERY == 0).then_some(On::Postgres));
        let ran = on.into_iter().map(|on| match run(&script, on, None) {
            Ok(ran) => ran,
            Err(failure) => {
                let (least, found) = shrink(&script, on, None);
                let found = found.unwrap_or(failure);
                let steps: Vec<_> = least.steps.iter().map(|step| format!("{step:?}")).collect();
                let steps = steps.join("\n");
                panic!(
                    "seed {seed} on {on:?}: {:?} at step {}: {}\nactors {:?}\n{steps}",
                    found.check, found.step, found.text, least.actors,
                );
            }
        });
        let ran: Vec<_> = ran.collect();
        compositions += ran.iter().map(|ran| ran.compositions).sum::<usize>();
        for other in &ran[1..] {
            assert_eq!(ran[0].transcript, other.transcript, "seed {seed}: the stores differ");
        }
    }
    println!("{} scripts on all stores, {compositions} compositions", seeds.end - seeds.start);
}

// Proves D1-1, D1-2, D1-4, D1-5, D1-8, D1-11, D1-12, D1-13, X-9, X-16, S1-11, S1-38.
#[test]
fn promises_hold_in_random_scripts() {
    promises_hold(0..runs(60));
}

/// The same with other seeds, so that two cores have work.
#[test]
fn promises_hold_in_other_random_scripts() {
    promises_hold(1_000_000..1_000_000 + runs(60));
}
