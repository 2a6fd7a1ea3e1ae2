//! What a command finds of the texts that it is to forget.

use std::collections::BTreeMap;

use crate::{ContentNo, ItemRow, ScopeNo};

/// What was asked for in order to be forgotten or retracted, as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgettable {
    pub items: Vec<BearingItem>,
    pub shapes: Vec<BearingTurn>,
    /// The texts they bear.
    pub texts: BTreeMap<ContentNo, TextUse>,
    /// The tokens shown in each scope with an open place of theirs.
    pub sums: BTreeMap<ScopeNo, i64>,
    /// Whether an open scope inherits messages: they may be shown there too.
    pub inherited: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BearingItem {
    pub row: ItemRow,
    pub places: Vec<OpenPlace>,
}

/// A turn with a rest: its text, how many blocks it has, and where the first one is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BearingTurn {
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

/// A text's tokens, and how many items and turns bear it, counted no further than asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextUse {
    pub tokens: i64,
    pub uses: i64,
}
