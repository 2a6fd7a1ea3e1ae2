//! Forgetting: texts go for good. The items and turns that had them stay, with a mark.

mod decide;
mod events;
mod requests;
mod state;
#[cfg(test)]
mod tests;

pub use decide::FORGET_BATCH;
pub use events::{Forgotten, Mark, Remains};
pub use requests::{Bearers, Forget, ForgetAnswer};
pub use state::{BearingItem, BearingTurn, Forgettable, OpenPlace, TextUse};

use crate::{ContentNo, ItemNo, ScopeNo};

/// An operation on the tables of what had a text that is gone. The State has texts as a command
/// names them, and follows none of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// An item's text is gone.
    Item { item: ItemNo, seq: i64 },
    /// The rest of a turn is gone.
    Shape { turn: i64, seq: i64 },
    /// A text goes, with its salt and its entry in the index.
    Content { content: ContentNo },
    /// What an open place costs now that it shows a mark.
    Marked { scope: ScopeNo, position: i64, tokens: i64 },
}
