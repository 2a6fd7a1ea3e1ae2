//! Attention under random scripts: operators, agents and subagents beside a second, simple model,
//! on every store, with the 26 invariants of the specification checked after every step; and each
//! of those checks shown to fail on a build broken on purpose.
//!
//! `AMBIT_ATTENTION_SCRIPTS` sets how many scripts each test runs; a failure prints its seed and
//! the least script that still fails.

#![allow(clippy::unwrap_used)]

#[path = "properties/chance.rs"]
mod chance;
#[path = "attention_properties/compare.rs"]
mod compare;
#[path = "attention_properties/foresee.rs"]
mod foresee;
#[path = "attention_properties/histories.rs"]
mod histories;
#[path = "attention_properties/inv_frames.rs"]
mod inv_frames;
#[path = "attention_properties/inv_rules.rs"]
mod inv_rules;
#[path = "attention_properties/invariants.rs"]
mod invariants;
#[path = "attention_properties/kin.rs"]
mod kin;
#[path = "attention_properties/model.rs"]
mod model;
#[path = "attention_properties/run.rs"]
mod run;
#[path = "attention_properties/scripts.rs"]
mod scripts;
#[path = "../../ambit-store/tests/support/server.rs"]
mod server;
#[path = "attention_properties/walk.rs"]
mod walk;

use run::{On, Ran, run, shrink};

const STEPS: usize = 40;

/// What scripts must come across again and again.
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

/// Which scripts are run: as many as usual, or as are asked for, from the first or a later one on.
fn seeds(first: u64, usual: u64) -> std::ops::Range<u64> {
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = first + asked("AMBIT_ATTENTION_FROM").unwrap_or(0);
    first..first + asked("AMBIT_ATTENTION_SCRIPTS").unwrap_or(usual)
}

/// Runs scripts, on as many threads as there are cores; on more where it is a server that is
/// waited for.
fn invariants_hold(on: On, seeds: std::ops::Range<u64>) -> Ran {
    let (count, mut all) = (seeds.end - seeds.start, Ran::default());
    let cores = std::thread::available_parallelism().map_or(1, |it| it.get());
    let threads = if on == On::Postgres { 3 * cores } else { cores };
    std::thread::scope(|scope| {
        let parts = (0..threads).map(|first| {
            let part = seeds.clone().skip(first).step_by(threads);
            scope.spawn(move || part.map(|seed| one_holds(on, seed)).collect::<Vec<Ran>>())
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

fn one_holds(on: On, seed: u64) -> Ran {
    let script = scripts::script(seed, STEPS);
    run(&script, on, None).unwrap_or_else(|failure| {
        let (least, found) = shrink(&script, on, None);
        let found = found.unwrap_or(failure);
        let steps: Vec<_> = least.steps.iter().map(|step| format!("{step:?}")).collect();
        panic!(
            "seed {seed} on {on:?}: {:?} at step {}: {}\n{}",
            found.check,
            found.step,
            found.text,
            steps.join("\n"),
        );
    })
}

// INV-1 to INV-26; each check names the behaviours that it proves.
#[test]
fn invariants_hold_on_memory() {
    let ran = invariants_hold(On::Memory, seeds(0, 600));
    // The scripts are no proof of anything that they do not reach.
    for what in REACHED {
        let times = ran.happened.get(*what).copied().unwrap_or(0);
        assert!(times >= 5 || ran.steps < 600 * STEPS, "{what:?} happened {times} times");
    }
}

// Proves S0-49 (INV-14): restarts close this store and open it again.
#[test]
fn invariants_hold_on_sqlite() {
    invariants_hold(On::Sqlite, seeds(1_000_000, 80));
}

#[test]
fn invariants_hold_on_postgres() {
    invariants_hold(On::Postgres, seeds(2_000_000, 30));
}
