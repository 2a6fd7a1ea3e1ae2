//! The harness for random scripts: runs them, reduces a failing one, and proves that each check
//! finds the faults it is for.

use std::fmt::Debug;

use crate::fault::Fault;
use crate::stores::On;

/// A check that failed.
#[derive(Debug)]
pub struct Failure<C> {
    pub check: C,
    pub step: usize,
    pub text: String,
}

/// The configuration of a run: the store, and the active checks.
#[derive(Clone, Copy, Debug)]
pub struct Setup<C> {
    pub on: On,
    /// Runs only this check, to prove that it works by itself.
    pub only: Option<C>,
    pub fault: Option<Fault>,
}

impl<C: Copy + PartialEq> Setup<C> {
    pub fn on(on: On) -> Setup<C> {
        Setup { on, only: None, fault: None }
    }

    /// Returns whether a check is active.
    pub fn asks(&self, check: C) -> bool {
        self.only.is_none_or(|only| only == check)
    }
}

/// A store and a model side by side, on which scripts run.
pub trait Subject {
    type Script: Clone + Debug;
    type Step: Debug;
    type Check: Copy + Debug + PartialEq;
    type Ran;

    /// Generates a script: the same seed gives the same script.
    fn script(seed: u64) -> Self::Script;

    fn steps(script: &mut Self::Script) -> &mut Vec<Self::Step>;

    /// Runs a script, with checks after every step.
    fn run(
        script: &Self::Script,
        setup: Setup<Self::Check>,
    ) -> Result<Self::Ran, Failure<Self::Check>>;
}

/// Runs the script of a seed. If it fails, panics with the smallest script that still fails.
pub fn holds<S: Subject>(seed: u64, on: On) -> S::Ran {
    let script = S::script(seed);
    S::run(&script, Setup::on(on)).unwrap_or_else(|failure| {
        let (mut least, found) = reduce::<S>(script, failure, Setup::on(on));
        let steps = std::mem::take(S::steps(&mut least));
        let steps: Vec<_> = steps.iter().map(|step| format!("{step:?}")).collect();
        panic!(
            "seed {seed} on {on:?}: {:?} at step {}: {}\n{least:?}\n{}",
            found.check,
            found.step,
            found.text,
            steps.join("\n"),
        )
    })
}

/// Removes the steps that a failure does not need.
fn reduce<S: Subject>(
    mut least: S::Script,
    mut found: Failure<S::Check>,
    setup: Setup<S::Check>,
) -> (S::Script, Failure<S::Check>) {
    let mut index = found.step + 1;
    while index > 0 {
        S::steps(&mut least).truncate(found.step + 1);
        index = index.min(found.step + 1) - 1;
        let mut fewer = least.clone();
        S::steps(&mut fewer).remove(index);
        if let Err(failure) = S::run(&fewer, setup) {
            (least, found) = (fewer, failure);
        }
    }
    (least, found)
}

/// Asserts that a check alone finds a fault within a number of scripts.
pub fn finds<S: Subject>(fault: Fault, check: S::Check, on: On, scripts_max: u64) {
    let setup = Setup { on, only: Some(check), fault: Some(fault) };
    let found = (0..scripts_max).find_map(|seed| {
        let failure = S::run(&S::script(seed), setup).err()?;
        Some((seed, failure))
    });
    let (seed, found) = found.unwrap_or_else(|| panic!("{check:?} did not find {fault:?}"));
    assert_eq!(found.check, check);
    println!("{fault:?}: found by {check:?} in script {seed}, step {}: {}", found.step, found.text);
}

/// Returns the seeds that a test runs: the usual number or `AMBIT_PROPERTY_RUNS`, starting
/// `AMBIT_PROPERTY_FROM` after the first.
pub fn seeds(first: u64, usual: u64) -> std::ops::Range<u64> {
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = first + asked("AMBIT_PROPERTY_FROM").unwrap_or(0);
    first..first + asked("AMBIT_PROPERTY_RUNS").unwrap_or(usual)
}
