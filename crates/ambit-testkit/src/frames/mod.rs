//! Frames: scripts of visits, objects, scopes, forks and merges, with a model of every actor's
//! frame, and the 26 invariants of the specification as checks.

mod compare;
mod faults;
mod foresee;
mod histories;
mod inv_frames;
mod inv_rules;
mod invariants;
mod kin;
mod model;
mod run;
mod scripts;
mod walk;

pub use faults::FAULTS;
pub use invariants::INVARIANTS;
pub use run::{Check, Ran, STEPS, World};
