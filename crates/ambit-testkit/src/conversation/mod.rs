//! Conversations: scripts of messages, notes, scopes and settings, beside a model of what every
//! reader is shown.

pub mod checker;
mod composing;
mod faults;
mod forgetting;
mod insights;
mod look;
mod model;
mod run;
mod scripts;
mod shown;
mod vault;
mod views;
mod window;

pub use faults::FAULTS;
pub use run::{Check, World};
