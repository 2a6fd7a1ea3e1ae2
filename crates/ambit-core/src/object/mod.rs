//! Objects: anything with a name, a type and versions. A version is an item.

mod events;
mod rows;

pub use events::{Displaced, Named, NewPlace, ObjectPut, Placed};
pub use rows::{ObjectRow, VersionRow};

/// An operation on the tables of objects. The State has objects as a command names them, and
/// follows none of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Created(ObjectRow),
    /// A version, which is its object's latest from now on.
    Version(VersionRow),
}
