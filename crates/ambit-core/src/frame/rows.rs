//! The rows of frames, visits and captured changes.

use crate::{ActorNo, ItemNo, ScopeNo};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameRow {
    pub scope: ScopeNo,
    pub item: ItemNo,
    pub last_seq: i64,
    pub visits: i64,
}

/// A visit, as one frame saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitRow {
    pub frame: ScopeNo,
    pub seq: i64,
    pub item: ItemNo,
    pub actor: ActorNo,
    /// Whether the frame is the actor's own. Each visit has exactly one such row.
    pub own: bool,
}

/// A change, in one of the frames that list it: the frame it was captured from, and the frames
/// whose streams include it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeltaRow {
    pub frame: ScopeNo,
    pub seq: i64,
    pub item: ItemNo,
}
