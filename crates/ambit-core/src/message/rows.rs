//! The rows of turns and of open calls.

use crate::{ActorNo, ContentNo, ItemNo, ScopeNo};

/// The shape of a message that has more than a role and a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRow {
    pub turn: i64,
    pub shape: ContentNo,
}

/// A call without a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCallRow {
    pub scope: ScopeNo,
    pub actor: ActorNo,
    pub anchor: i64,
    pub item: ItemNo,
    pub call_id: i64,
}
