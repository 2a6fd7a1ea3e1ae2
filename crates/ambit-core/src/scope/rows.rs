//! The rows of scopes and presence.

use crate::{ActiveScopes, ActorNo, Event, Hash, Inherit, Millis, ScopeNo};

/// A scope, or an actor's home scope, which only holds that actor's frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeRow {
    pub scope: ScopeNo,
    pub id: String,
    /// None for a home scope: it is never listed or entered.
    pub name: Option<String>,
    pub parent: Option<ScopeNo>,
    pub owner: Option<ActorNo>,
    pub created_seq: i64,
    pub created_at: Millis,
    /// The sequence of the scope's last event.
    pub head: i64,
    pub next_position: i64,
    /// The tokens shown in all open places of the scope.
    pub sum: i64,
    /// The number of turns in open places.
    pub messages: i64,
    /// The number of the scope's own notes, and their tokens.
    pub notes: i64,
    pub note_tokens: i64,
    /// The last event that was a boundary for every reader.
    pub boundary: i64,
    /// The last note in the scope, inherited ones included.
    pub last_note: Option<Hash>,
    /// What the scope inherits of its parent, up to its creation.
    pub inherit: Inherit,
    /// The event that closed the scope.
    pub closed_seq: Option<i64>,
}

/// The presence of an actor in a scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PresenceRow {
    pub actor: ActorNo,
    pub scope: ScopeNo,
    /// The event that made the scope active; `None` if it is not active.
    pub entered_seq: Option<i64>,
    /// The actor's last event in the scope, if any.
    pub last_time: Option<Millis>,
    /// The last event that began a new epoch for this reader only.
    pub boundary: i64,
    /// The end of the first composition that was answered in the epoch, and the answering event.
    pub fold: i64,
    pub fold_seq: i64,
    /// The same for the last answered composition.
    pub answered: i64,
    pub answered_seq: i64,
}

/// The primary and active scopes of an actor after an event that changed them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveScopesRow {
    pub actor: ActorNo,
    pub seq: i64,
    pub stands: ActiveScopes,
}

impl ScopeRow {
    /// Returns the row of a new scope, without a name, content or owner.
    pub(crate) fn created(at: &Event, scope: ScopeNo, id: &str) -> ScopeRow {
        ScopeRow {
            scope,
            id: id.to_string(),
            name: None,
            parent: None,
            owner: None,
            created_seq: at.seq,
            created_at: at.time,
            head: at.seq,
            next_position: 0,
            sum: 0,
            messages: 0,
            notes: 0,
            note_tokens: 0,
            boundary: 0,
            last_note: None,
            inherit: Inherit::Notes,
            closed_seq: None,
        }
    }
}
