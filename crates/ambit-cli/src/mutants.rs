//! Faults on purpose, in a build with the feature `mutants` and nowhere else: suites that look for
//! lost writes must find them in such a program.

use ambit::mutant::{Mutant, set_everywhere};

/// Names the fault.
const VARIABLE: &str = "AMBIT_MUTANT";

pub fn switch_on() {
    match std::env::var(VARIABLE).as_deref() {
        Ok("unsynced") => set_everywhere(Mutant::Unsynced),
        Ok("ack-early") => set_everywhere(Mutant::AckEarly),
        _ => {}
    }
}
