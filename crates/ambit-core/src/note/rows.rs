//! The rows of notes.

use crate::{Hash, ItemNo, ScopeNo, Way};

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
