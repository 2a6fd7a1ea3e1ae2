//! Conversations: scripts of messages, notes, scopes and settings, with a model of every reader's
//! compositions.

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
