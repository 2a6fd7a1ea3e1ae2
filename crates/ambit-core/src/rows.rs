//! The tables, as plain data: what `changes` writes, stores keep, and `verify` compares.

use crate::{
    ActorKind, ActorNo, ContentNo, Fate, Form, Hash, Inherit, ItemKind, ItemNo, Millis, Role,
    ScopeNo, Stands, ViewNo, Way,
};

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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActorRow {
    pub actor: ActorNo,
    pub id: String,
    pub name: String,
    pub kind: ActorKind,
    pub home: ScopeNo,
    pub primary: Option<ScopeNo>,
    /// The open view, or the last one.
    pub view: Option<ViewNo>,
    pub view_open: bool,
    pub view_pin: Option<ScopeNo>,
    /// The frame that the view's last change was captured from.
    pub view_capture: Option<ScopeNo>,
    /// The time of the view's last event.
    pub view_time: Millis,
    /// The actor's last break: what was visited before it is captured no more.
    pub break_seq: i64,
    /// For a subagent, who forked it, from which scope, and into which.
    pub parent: Option<ActorNo>,
    pub forked_from: Option<ScopeNo>,
    pub forked_into: Option<ScopeNo>,
    pub depth: i64,
    /// How it ended, and by which event.
    pub fate: Option<(Fate, i64)>,
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemRow {
    pub item: ItemNo,
    pub kind: ItemKind,
    pub form: Form,
    pub role: Role,
    pub author: ActorNo,
    /// The event that made it, and its place among that event's blocks.
    pub turn: i64,
    pub block: i64,
    pub time: Millis,
    pub content: ContentNo,
    /// For a reply, the call it answers.
    pub call: Option<ItemNo>,
    /// For a version, its object: the item of the first version.
    pub object: Option<ItemNo>,
}

impl ItemRow {
    /// Returns the item whose places show this one: a version is placed with its object.
    pub fn placed_as(&self) -> ItemNo {
        self.object.unwrap_or(self.item)
    }
}

/// An item shown in a scope, from one event on and up to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceRow {
    pub scope: ScopeNo,
    pub position: i64,
    pub item: ItemNo,
    pub kind: ItemKind,
    /// The place its turn or batch begins at.
    pub anchor: i64,
    /// Whether it begins a turn.
    pub first: bool,
    pub tokens: i64,
    /// Tokens shown in the scope up to and including this place.
    pub sum: i64,
    pub from_seq: i64,
    pub to_seq: Option<i64>,
}

/// The rest of a message that is more than a role and a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRow {
    pub turn: i64,
    pub shape: ContentNo,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteRow {
    pub scope: ScopeNo,
    pub position: i64,
    pub item: ItemNo,
    pub seq: i64,
    pub hash: Hash,
    pub parent: Option<Hash>,
    pub snapshot: i64,
    pub way: Option<Way>,
    pub context_frame: ScopeNo,
}

/// A visit, as one frame saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitRow {
    pub frame: ScopeNo,
    pub seq: i64,
    pub item: ItemNo,
    pub actor: ActorNo,
    /// The frame is the actor's own: of each visit one row is.
    pub own: bool,
}

/// What has versions. It goes by its first version's item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRow {
    pub item: ItemNo,
    pub id: String,
    pub name: String,
    pub kind: String,
    pub created_seq: i64,
    /// How many versions there are, and what bears the last one's text.
    pub versions: i64,
    pub latest: ItemNo,
    pub latest_seq: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRow {
    pub object: ItemNo,
    pub version: i64,
    pub seq: i64,
    pub item: ItemNo,
}

/// A change, by each frame that tells of it: the one that it was captured from, and those in whose
/// streams it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeltaRow {
    pub frame: ScopeNo,
    pub seq: i64,
    pub item: ItemNo,
}

/// Where an actor stood after an event that moved it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandRow {
    pub actor: ActorNo,
    pub seq: i64,
    pub stands: Stands,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewRow {
    pub view: ViewNo,
    pub id: String,
    pub actor: ActorNo,
    pub started_seq: i64,
    pub started_at: Millis,
    pub previous: Option<ViewNo>,
    /// Set by the event that ends it; one that ran out of time ends with its last event.
    pub ended_seq: Option<i64>,
    /// For a merge, the subagent's frame whose stream it ends.
    pub merges: Option<ScopeNo>,
    /// The event that summarised it.
    pub fossil_seq: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamRow {
    pub frame: ScopeNo,
    /// The sequence of the event that opened the view.
    pub position: i64,
    pub view: ViewNo,
    pub prev: Option<ViewNo>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameRow {
    pub scope: ScopeNo,
    pub item: ItemNo,
    pub last_seq: i64,
    pub visits: i64,
}

/// A call that waits for its reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCallRow {
    pub scope: ScopeNo,
    pub actor: ActorNo,
    pub anchor: i64,
    pub item: ItemNo,
    pub call_id: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingRow {
    /// 0 for the vault's own.
    pub scope: ScopeNo,
    pub name: String,
    pub value: String,
}
