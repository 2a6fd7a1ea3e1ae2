//! The rows of scopes, and of who is in them.

use crate::{ActorNo, Event, Hash, Inherit, Millis, ScopeNo, Stands};

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
    /// Tokens shown in all its open places.
    pub sum: i64,
    /// Turns in sight.
    pub messages: i64,
    /// Notes of its own, and their tokens.
    pub notes: i64,
    pub note_tokens: i64,
    /// The last event that altered what any reader was shown.
    pub boundary: i64,
    /// The last note it shows, inherited ones included.
    pub last_note: Option<Hash>,
    /// What it shows of its parent, up to its creation.
    pub inherit: Inherit,
    /// The event that closed it.
    pub closed_seq: Option<i64>,
}

/// How an actor stands to a scope it has acted in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PresenceRow {
    pub actor: ActorNo,
    pub scope: ScopeNo,
    /// Since which event it is active; none while it is not.
    pub entered_seq: Option<i64>,
    /// The actor's last event here; none before the first.
    pub last_time: Option<Millis>,
    /// The last event that began a new epoch for this reader alone.
    pub boundary: i64,
    /// Where the first composition ended that was answered in an epoch, and by which event.
    pub fold: i64,
    pub fold_seq: i64,
    /// The same for the last one answered.
    pub answered: i64,
    pub answered_seq: i64,
}

/// Where an actor stood after an event that moved it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandRow {
    pub actor: ActorNo,
    pub seq: i64,
    pub stands: Stands,
}

impl ScopeRow {
    /// A scope as an event creates it: nameless, empty, and nobody's.
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
