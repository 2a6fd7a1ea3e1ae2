//! The rows of objects and their versions.

use crate::ItemNo;

/// An object. Its number is the item of its first version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRow {
    pub item: ItemNo,
    pub id: String,
    pub name: String,
    pub kind: String,
    pub created_seq: i64,
    /// The number of versions, and the item with the latest version's text.
    pub versions: i64,
    pub latest: ItemNo,
    pub latest_seq: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRow {
    pub object: ItemNo,
    pub version: i64,
    pub seq: i64,
    pub item: ItemNo,
}
