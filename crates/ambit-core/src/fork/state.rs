//! The part of the State that is about subagents.

use crate::{ActorNo, ActorRow, Millis, ScopeNo};

/// The subagent of a command, or one that descends from it and has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubagentState {
    pub actor: ActorRow,
    /// The current row of the actor that forked it.
    pub parent: ActorRow,
    /// Its ancestors, nearest first.
    pub ancestors: Vec<ActorNo>,
    /// The time of its end, if it has ended.
    pub ended_at: Option<Millis>,
    /// The scopes other than its own in which it is active or has open calls.
    pub elsewhere: Vec<ScopeNo>,
}
