//! Forks: a subagent with a frame and a scope of its own, and how it ends. A fork has no table of
//! its own: its events change actors, scopes, frames and views.

mod decide;
mod events;
mod requests;
mod state;
#[cfg(test)]
mod tests;

pub use events::{Abandoned, Child, Forked, Merge, Rejoined};
pub use requests::{Abandon, AbandonAnswer, Fork, ForkAnswer, Rejoin, RejoinAnswer};
pub use state::Kin;
