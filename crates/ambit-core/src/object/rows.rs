//! The rows of objects and their versions.

use crate::ItemNo;

/// What has versions. It goes by its first version's item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRow {
    pub item: ItemNo,
    pub id: String,
    pub name: String,
    pub kind: String,
    pub created_seq: i64,
    /// How many versions there are, and what bears the last one's text.
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
