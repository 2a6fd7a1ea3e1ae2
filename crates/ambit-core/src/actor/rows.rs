//! The rows of actors.

use crate::{ActorKind, ActorNo, Fate, Millis, ScopeNo, ViewNo};

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
    /// The actor's last break. Earlier visits are no longer captured.
    pub break_seq: i64,
    /// For a subagent: the actor that forked it, the scope it was forked from, and its own scope.
    pub parent: Option<ActorNo>,
    pub forked_from: Option<ScopeNo>,
    pub forked_into: Option<ScopeNo>,
    pub depth: i64,
    /// For a subagent that ended: how, and by which event.
    pub fate: Option<(Fate, i64)>,
}
