//! The part of the State that is about texts to forget.

use std::collections::BTreeMap;

use crate::{ContentNo, ItemRow, ScopeNo};

/// The items and turns to be forgotten or retracted, as they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgettable {
    pub items: Vec<SelectedItem>,
    pub shapes: Vec<SelectedTurn>,
    /// Their texts.
    pub texts: BTreeMap<ContentNo, TextUse>,
    /// The tokens shown in each scope in which they have an open place.
    pub sums: BTreeMap<ScopeNo, i64>,
    /// Whether any open scope inherits messages, and so may show them too.
    pub inherited: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedItem {
    pub row: ItemRow,
    pub places: Vec<OpenPlace>,
}

/// A turn with its shape, its number of blocks, and the open places of its first block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedTurn {
    pub turn: i64,
    pub shape: ContentNo,
    pub blocks: i64,
    pub places: Vec<OpenPlace>,
}

/// An open place of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenPlace {
    pub scope: ScopeNo,
    pub position: i64,
    pub tokens: i64,
}

/// A text's tokens, and the number of items and turns that use it, counted up to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextUse {
    pub tokens: i64,
    pub uses: i64,
}
