//! Forgetting: texts are deleted for good. Their items and turns stay, with a mark.

mod decide;
mod events;
mod requests;
mod state;
#[cfg(test)]
mod tests;

pub use decide::FORGET_BATCH;
pub use events::{Forgotten, Mark, ScopeSums};
pub use requests::{Forget, ForgetAnswer, ForgetSelection};
pub use state::{Forgettable, OpenPlace, SelectedItem, SelectedTurn, TextUse};

use crate::{ContentNo, ItemNo, ScopeNo};

/// An operation on the tables of items, turns, texts and places after forgetting. The State looks
/// texts up for each command and ignores these operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// An item's text is forgotten.
    Item { item: ItemNo, seq: i64 },
    /// A turn's shape is forgotten.
    Shape { turn: i64, seq: i64 },
    /// A text is deleted, with its salt and its entry in the index.
    Content { content: ContentNo },
    /// An open place shows a mark, and has this many tokens.
    Marked { scope: ScopeNo, position: i64, tokens: i64 },
}
