//! Objects: anything with a name, a type and versions. A version is an item.

mod decide;
mod events;
mod requests;
mod rows;
mod state;
#[cfg(test)]
mod tests;

pub use events::{Displaced, Named, NewPlace, ObjectPut, Placed};
pub use requests::{
    Captured, ObjectRevert, Place, PlaceAnswer, Put, PutAnswer, Revert, RevertConflict, RevertLine,
    RevertedAnswer,
};
pub use rows::{ObjectRow, VersionRow};
pub use state::{ObjectPlace, ObjectState};

/// An operation on the tables of objects. The State looks objects up for each command and ignores
/// these operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Created(ObjectRow),
    /// A new version, which becomes its object's latest.
    Version(VersionRow),
}
