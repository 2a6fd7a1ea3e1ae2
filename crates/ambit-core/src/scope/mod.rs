//! Scopes: isolated places to work in, and the presence of actors in them.

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
pub use events::{ActiveScopes, Entered, Focused, Left, PresenceChange, ScopeCreated};
pub use requests::{Enter, Focus, Goto, Leave, NoteRef, OpenScope, StandsAnswer, SwitchAnswer};
pub use rows::{ActiveScopesRow, PresenceRow, ScopeRow};
pub use state::{Epoch, ScopeState};
