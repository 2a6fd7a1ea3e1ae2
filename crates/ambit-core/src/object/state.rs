//! What a command finds of the objects that it names.

use crate::{ContentNo, ObjectRow, ScopeNo};

/// An object, as a command finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectState {
    pub row: ObjectRow,
    /// The scopes it belongs to that are not closed, in the order in which it joined them.
    pub places: Vec<ObjectPlace>,
    /// The text of its last version; none where that was forgotten.
    pub text: Option<ContentNo>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectPlace {
    pub scope: ScopeNo,
    pub position: i64,
}
