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
    /// The frame is the actor's own: of each visit one row is.
    pub own: bool,
}

/// A change, by each frame that tells of it: the one that it was captured from, and those in whose
/// streams it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeltaRow {
    pub frame: ScopeNo,
    pub seq: i64,
    pub item: ItemNo,
}
