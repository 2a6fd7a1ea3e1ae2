//! Forks: a subagent with a frame and a scope of its own, and how it ends. A fork has no table of
//! its own: its events change actors, scopes, frames and views.

mod events;

pub use events::{Abandoned, Child, Forked, Merge, Rejoined};
