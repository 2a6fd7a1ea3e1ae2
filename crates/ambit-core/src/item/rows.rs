//! The rows of items and of the places where they are shown.

use crate::{ActorNo, ContentNo, Event, Form, ItemKind, ItemNo, Millis, Role, ScopeNo};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemRow {
    pub item: ItemNo,
    pub kind: ItemKind,
    pub form: Form,
    pub role: Role,
    pub author: ActorNo,
    /// The event that created the item, and the item's index among the blocks of that event.
    pub turn: i64,
    pub block: i64,
    pub time: Millis,
    pub content: ContentNo,
    /// For a reply, the call that it answers.
    pub call: Option<ItemNo>,
    /// For a version, its object: the item of the first version.
    pub object: Option<ItemNo>,
}

/// An item shown in a scope, from one event up to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceRow {
    pub scope: ScopeNo,
    pub position: i64,
    pub item: ItemNo,
    pub kind: ItemKind,
    /// The position at which its turn or batch begins.
    pub anchor: i64,
    /// Whether the item begins a turn.
    pub first: bool,
    pub tokens: i64,
    /// Tokens shown in the scope up to and including this place.
    pub sum: i64,
    pub from_seq: i64,
    pub to_seq: Option<i64>,
}

impl ItemRow {
    /// Returns the row of an event's only item: a note, or a version of an object.
    pub(crate) fn single(at: &Event, item: ItemNo, kind: ItemKind, content: ContentNo) -> ItemRow {
        ItemRow {
            item,
            kind,
            form: Form::Text,
            role: Role::System,
            author: at.actor,
            turn: at.seq,
            block: 0,
            time: at.time,
            content,
            call: None,
            object: None,
        }
    }

    /// Returns the item whose places show this one: a version is placed with its object.
    pub fn placed_as(&self) -> ItemNo {
        self.object.unwrap_or(self.item)
    }
}

impl PlaceRow {
    /// Returns a place that an event opens, as a batch of its own and without tokens.
    pub(crate) fn open(
        at: &Event,
        scope: ScopeNo,
        position: i64,
        item: ItemNo,
        kind: ItemKind,
    ) -> PlaceRow {
        PlaceRow {
            scope,
            position,
            item,
            kind,
            anchor: position,
            first: true,
            tokens: 0,
            sum: 0,
            from_seq: at.seq,
            to_seq: None,
        }
    }
}
