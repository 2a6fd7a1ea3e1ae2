//! Frames, views and forks in random scripts: operators, agents and subagents, compared with a
//! second, simple model, on every store. The 26 invariants of the specification are checked after
//! every step.

use ambit_testkit::frames::{Ran, STEPS, World};
use ambit_testkit::harness::{holds, seeds};
use ambit_testkit::stores::On;

/// Situations that the scripts must reach repeatedly.
const REACHED: &[&str] = &[
    "appended",
    "abandoned",
    "broke",
    "clock went back",
    "displaced",
    "entered",
    "focused",
    "forked",
    "forked within a fork",
    "frames cleared away",
    "idle views ended",
    "left",
    "noted",
    "pinned",
    "placed",
    "put",
    "refused as Conflict",
    "refused as NotFound",
    "refused as Refused",
    "refused as Usage",
    "rejoined",
    "rejoined by another than child or parent",
    "rejoined deeply",
    "restarted",
    "scope_created",
    "set",
    "views summarised",
    "visited",
];

/// Runs scripts on one thread per core; on more threads for a server, whose latency dominates.
fn invariants_hold(on: On, seeds: std::ops::Range<u64>) -> Ran {
    let (count, mut all) = (seeds.end - seeds.start, Ran::default());
    let cores = std::thread::available_parallelism().map_or(1, |it| it.get());
    let threads = if on == On::Postgres { 3 * cores } else { cores };
    std::thread::scope(|scope| {
        let parts = (0..threads).map(|first| {
            let part = seeds.clone().skip(first).step_by(threads);
            scope.spawn(move || part.map(|seed| holds::<World>(seed, on)).collect::<Vec<Ran>>())
        });
        for part in parts.collect::<Vec<_>>() {
            let ran = part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            ran.into_iter().for_each(|ran| all.add(ran));
        }
    });
    println!("{count} scripts on {on:?}: {} of {} steps accepted", all.accepted, all.steps);
    println!("{:#?}", all.happened);
    all
}

// INV-1 to INV-26; each check names the behaviours that it proves.
#[test]
fn invariants_hold_on_memory() {
    let ran = invariants_hold(On::Memory, seeds(0, 600));
    // Scripts prove nothing about situations that they do not reach.
    for what in REACHED {
        let times = ran.happened.get(*what).copied().unwrap_or(0);
        assert!(times >= 5 || ran.steps < 600 * STEPS, "{what:?} happened {times} times");
    }
}

// Proves S0-49 (INV-14): restarts close this store and reopen it.
#[test]
fn invariants_hold_on_sqlite() {
    invariants_hold(On::Sqlite, seeds(1_000_000, 80));
}

#[test]
fn invariants_hold_on_postgres() {
    invariants_hold(On::Postgres, seeds(2_000_000, 30));
}
