//! Forks: subagents with a frame and a scope of their own, and how they end. There is no table of
//! forks: their events change actors, scopes, frames and views.

mod decide;
mod events;
mod requests;
mod state;
#[cfg(test)]
mod tests;

pub use events::{Abandoned, Child, Forked, Merge, Rejoined};
pub use requests::{Abandon, AbandonAnswer, Fork, ForkAnswer, Rejoin, RejoinAnswer};
pub use state::SubagentState;
