//! Frames: the last items visited by an actor or in a scope, and the captures of changes.

mod capture;
mod change;
mod events;
mod requests;
mod rows;
#[cfg(test)]
mod tests;
mod visit;

pub use change::Change;
pub(crate) use change::changes;
pub use events::{Broke, Container, Delta, FrameChange, Visited};
pub(crate) use requests::Break;
pub use requests::{Visit, VisitAnswer};
pub use rows::{DeltaRow, FrameRow, VisitRow};
