//! Each invariant's check is shown to fail: a build that breaks one rule on purpose is found out by
//! the check that is there for it, looked at alone. The same scripts pass on a sound build.

use ambit_core::mutant::{self, Mutant};

use crate::invariants::INVARIANTS;
use crate::run::{Check, On, run};
use crate::scripts::script;

/// Within how many scripts a fault must be found.
const SCRIPTS_MAX: u64 = 400;

/// Which faults each invariant finds by itself.
const TABLE: &[(&str, &[Mutant])] = &[
    ("INV-1", &[Mutant::ViewIdShared]),
    ("INV-2", &[Mutant::VisitAlone]),
    ("INV-3", &[Mutant::CaptureOwn]),
    ("INV-4", &[Mutant::CaptureNothing]),
    ("INV-5", &[Mutant::ForkForgets]),
    ("INV-6", &[Mutant::MergeOneSided, Mutant::FrameStays]),
    ("INV-7", &[Mutant::MergeVisits]),
    ("INV-8", &[Mutant::ViewOutlives, Mutant::ClosedPinned, Mutant::ClosedOpen]),
    ("INV-9", &[Mutant::StreamUnlinked]),
    ("INV-10", &[Mutant::MergeMisplaced]),
    ("INV-11", &[Mutant::PlaceEnters]),
    ("INV-11a", &[Mutant::EnterFocuses]),
    ("INV-11b", &[Mutant::ForkUnfocused]),
    ("INV-12", &[Mutant::FrameOverfull]),
    ("INV-13", &[Mutant::SizeFixed, Mutant::FrameOverfull]),
    ("INV-14", &[Mutant::FrameFades]),
    ("INV-15", &[Mutant::FrameStays]),
    ("INV-16", &[Mutant::BreakUnheeded, Mutant::BreakChained]),
    ("INV-17", &[Mutant::PrimitiveChanged, Mutant::PrimitiveVisited]),
    ("INV-18", &[Mutant::PrimitiveVisited]),
    ("INV-19", &[Mutant::UnlistedPrimitive, Mutant::PrimitiveChanged]),
    ("INV-20", &[Mutant::ForkShares]),
    ("INV-21", &[Mutant::ForkOwned]),
    ("INV-22", &[Mutant::ViewEach]),
    ("INV-23", &[Mutant::ScopesOneView, Mutant::EnteredOpen]),
    ("INV-24", &[Mutant::FossilForgets]),
    ("INV-25", &[Mutant::FossilCaptures]),
    ("INV-26", &[Mutant::ForkShares]),
];

/// Switches the fault off again, also where a test fails.
struct Broken;

impl Broken {
    fn build(mutant: Mutant) -> Broken {
        mutant::set(Some(mutant));
        Broken
    }
}

impl Drop for Broken {
    fn drop(&mut self) {
        mutant::set(None);
    }
}

fn found(mutant: Mutant, check: Check) {
    let broken = Broken::build(mutant);
    let found = (0..SCRIPTS_MAX).find_map(|seed| {
        let failure = run(&script(seed, crate::STEPS), On::Memory, Some(check)).err()?;
        Some((seed, failure))
    });
    drop(broken);
    let (seed, failure) = found.unwrap_or_else(|| panic!("{check:?} did not find {mutant:?}"));
    assert_eq!(failure.check, check);
    println!("{mutant:?}: found in script {seed}, step {}: {}", failure.step, failure.text);
}

/// A fault for every invariant, INV-1 to INV-26, found by that invariant's check alone.
#[test]
fn every_invariant_finds_its_fault() {
    for ((name, _), (in_table, mutants)) in INVARIANTS.iter().zip(TABLE) {
        assert_eq!(name, in_table);
        assert!(!mutants.is_empty());
        mutants.iter().for_each(|mutant| found(*mutant, Check::Invariant(name)));
    }
    assert_eq!(INVARIANTS.len(), TABLE.len());
}

/// The model, by itself, finds all of them but those that it does not speak of: ids, and what
/// summaries tell.
#[test]
fn the_model_finds_faults_too() {
    let unseen = [Mutant::ViewIdShared, Mutant::FossilForgets, Mutant::FossilCaptures];
    let all = TABLE.iter().flat_map(|(_, mutants)| *mutants);
    for mutant in all.filter(|mutant| !unseen.contains(mutant)) {
        found(*mutant, Check::Model);
    }
}
