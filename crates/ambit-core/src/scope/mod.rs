//! Scopes: isolated places to work in, and who is present in them.

mod change;
mod events;
mod rows;

pub(crate) use change::presence_changes;
pub use change::{Change, ScopeTotals};
pub use events::{Entered, Focused, Here, Left, ScopeCreated, Stands};
pub use rows::{PresenceRow, ScopeRow, StandRow};
