//! The part of the State that is about objects.

use crate::{ContentNo, ObjectRow, ScopeNo};

/// An object as it was read for a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectState {
    pub row: ObjectRow,
    /// The object's places in open scopes, in the order in which it joined them.
    pub places: Vec<ObjectPlace>,
    /// The text of the latest version; `None` if it was forgotten.
    pub text: Option<ContentNo>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectPlace {
    pub scope: ScopeNo,
    pub position: i64,
}
