//! The rows of views and streams.

use crate::{ActorNo, Millis, ScopeNo, ViewNo};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewRow {
    pub view: ViewNo,
    pub id: String,
    pub actor: ActorNo,
    pub started_seq: i64,
    pub started_at: Millis,
    pub previous: Option<ViewNo>,
    /// The event that ended the view. A view that became idle ends with its own last event.
    pub ended_seq: Option<i64>,
    /// For a merge, the subagent's frame whose stream it ends.
    pub merges: Option<ScopeNo>,
    /// The event that summarised the view.
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
