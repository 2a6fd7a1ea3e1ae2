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
    Back, Captured, Place, PlaceAnswer, Put, PutAnswer, Revert, RevertConflict, RevertLine,
    RevertedAnswer,
};
pub use rows::{ObjectRow, VersionRow};
pub use state::{ObjectPlace, ObjectState};

/// An operation on the tables of objects. The State has objects as a command names them, and
/// follows none of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Created(ObjectRow),
    /// A version, which is its object's latest from now on.
    Version(VersionRow),
}
