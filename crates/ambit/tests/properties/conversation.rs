//! Conversations in random scripts, on all stores.

use ambit_testkit::conversation::World;
use ambit_testkit::harness::{holds, seeds};
use ambit_testkit::stores::On;

/// Every how many scripts also run on the server: it is slower, and shares most of its code with
/// SQLite.
const SERVER_EVERY: u64 = 4;

/// Runs scripts on all stores and asserts that all give the same answers, word for word.
fn promises_hold(seeds: std::ops::Range<u64>) {
    let mut compositions = 0;
    for seed in seeds.clone() {
        let mut on = vec![On::Memory, On::Sqlite];
        on.extend((seed % SERVER_EVERY == 0).then_some(On::Postgres));
        let ran: Vec<_> = on.into_iter().map(|on| holds::<World>(seed, on)).collect();
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
    promises_hold(seeds(0, 60));
}

/// The same with other seeds, to use a second core.
#[test]
fn promises_hold_in_other_random_scripts() {
    promises_hold(seeds(1_000_000, 60));
}
