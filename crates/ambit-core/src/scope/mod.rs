//! Scopes: isolated places to work in, and who is present in them.

mod change;
mod events;
mod presence;
mod requests;
mod rows;
mod state;
mod switch;
#[cfg(test)]
mod tests;

pub(crate) use change::presence_changes;
pub use change::{Change, ScopeTotals};
pub use events::{Entered, Focused, Here, Left, ScopeCreated, Stands};
pub use requests::{Enter, Focus, Goto, Leave, NoteRef, OpenScope, StandsAnswer, SwitchAnswer};
pub use rows::{PresenceRow, ScopeRow, StandRow};
pub use state::{Epoch, ScopeState};
