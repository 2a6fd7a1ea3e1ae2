//! Items: the blocks that a model can be shown, and the places where scopes show them. Messages,
//! notes and versions of objects are items.

mod rows;

pub use rows::{ItemRow, PlaceRow};

use crate::ScopeNo;

/// An operation on the tables of items and places. The State holds neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Made(ItemRow),
    Placed(PlaceRow),
    /// Closes one place.
    Unplaced {
        scope: ScopeNo,
        position: i64,
        seq: i64,
    },
    /// Recomputes the running sums of the open places after a position.
    Resum {
        scope: ScopeNo,
        after: i64,
    },
}
