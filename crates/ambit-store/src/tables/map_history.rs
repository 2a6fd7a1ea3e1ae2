//! Converts rows to data, for history.

use ambit_core::{ActorNo, ContentNo, ItemKind, ItemNo, ObjectPlace, ScopeNo};

use super::map::{int, maybe_int, string, text_of, word};
use super::{Got, Row};
use crate::Thing;

pub(super) fn object_place(row: &dyn Row) -> Got<ObjectPlace> {
    Ok(ObjectPlace { scope: ScopeNo(int(row, 0)?), position: int(row, 1)? })
}

/// Reads an item with its text, and the object it is a version of. Its name is read separately.
pub(super) fn thing(row: &dyn Row) -> Got<(Thing, Option<ItemNo>)> {
    let thing = Thing {
        item: ItemNo(int(row, 0)?),
        kind: word(row, 1, ItemKind::parse)?,
        author: ActorNo(int(row, 2)?),
        time: int(row, 3)?,
        forgotten: ContentNo(int(row, 5)?).forgotten_by(),
        text: text_of(row, 6, ContentNo(int(row, 5)?))?,
        object: None,
        hash: None,
    };
    Ok((thing, maybe_int(row, 4)?.map(ItemNo)))
}

pub(super) fn item_id(row: &dyn Row) -> Got<(i64, String)> {
    Ok((int(row, 0)?, string(row, 1)?))
}
