//! Frames: the last things visited by an actor or in a scope, and what changes capture of them.

mod change;
mod events;
mod rows;

pub use change::Change;
pub(crate) use change::changes;
pub use events::{Broke, Container, Delta, FrameChange, Visited};
pub use rows::{DeltaRow, FrameRow, VisitRow};
