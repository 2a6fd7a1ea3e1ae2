//! What a command finds of the subagents that it names.

use crate::{ActorNo, ActorRow, Millis, ScopeNo};

/// A subagent that is named, or one that descends from it and has not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kin {
    pub actor: ActorRow,
    /// Who forked it, as it stands.
    pub parent: ActorRow,
    /// All it descends from, nearest first.
    pub ancestors: Vec<ActorNo>,
    /// When it ended, for one that did.
    pub ended_at: Option<Millis>,
    /// The scopes, beside its own, where it is active or waits for replies.
    pub elsewhere: Vec<ScopeNo>,
}
