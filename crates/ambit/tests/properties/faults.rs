//! Shows that each check can fail: deliberately corrupted data is found by the check for it alone.
//! The same scripts pass on sound data.

use ambit_testkit::fault::Faults;
use ambit_testkit::harness::{Subject, finds};
use ambit_testkit::stores::On;
use ambit_testkit::{conversation, frames};

/// The number of scripts within which a fault must be found.
const CONVERSATIONS_MAX: u64 = 60;
const FRAME_SCRIPTS_MAX: u64 = 400;

fn every_fault_is_found<S: Subject>(faults: Faults<S::Check>, on: On, scripts_max: u64) {
    for (checks, fault) in faults {
        checks.iter().for_each(|check| finds::<S>(*fault, *check, on, scripts_max));
    }
}

// Proves D0-10, D1-2, D1-12, S0-44, S0-45, X-16: their checks fail on corrupted data.
#[test]
fn every_fault_of_conversations_is_found() {
    for on in [On::Memory, On::Sqlite] {
        every_fault_is_found::<conversation::World>(conversation::FAULTS, on, CONVERSATIONS_MAX);
    }
}

#[test]
fn every_fault_of_frames_is_found() {
    every_fault_is_found::<frames::World>(frames::FAULTS, On::Memory, FRAME_SCRIPTS_MAX);
}

#[test]
fn every_check_of_conversations_has_a_fault() {
    use conversation::Check::{Apply, Budget, Model, Prefix, Rows, Valid, Views};
    for check in [Rows, Apply, Valid, Budget, Prefix, Views, Model] {
        let found = conversation::FAULTS.iter().any(|(checks, _)| checks.contains(&check));
        assert!(found, "{check:?} has no fault");
    }
}

/// A fault for every invariant, INV-1 to INV-26, for the model, and for the stored data.
#[test]
fn every_check_of_frames_has_a_fault() {
    use frames::Check::{Apply, Fold, Invariant, Model};
    let invariants = frames::INVARIANTS.iter().map(|(name, _)| Invariant(name));
    for check in invariants.chain([Fold, Apply, Model]) {
        let found = frames::FAULTS.iter().any(|(checks, _)| checks.contains(&check));
        assert!(found, "{check:?} has no fault");
    }
}
