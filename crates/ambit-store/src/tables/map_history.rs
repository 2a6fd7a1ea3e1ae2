//! Converts rows to data, for history.

use ambit_core::{
    ActiveScopes, ActiveScopesRow, ActorNo, ContentNo, DeltaRow, ItemKind, ItemNo, ObjectPlace,
    ObjectRow, ScopeNo, StreamRow, VersionRow, ViewNo, ViewRow, VisitRow,
};

use super::map::{flag, int, maybe_int, string, text, text_of, word};
use super::{Got, Row, Unfit};
use crate::Thing;

pub(super) fn object(row: &dyn Row) -> Got<ObjectRow> {
    Ok(ObjectRow {
        item: ItemNo(int(row, 0)?),
        id: string(row, 1)?,
        name: string(row, 2)?,
        kind: string(row, 3)?,
        created_seq: int(row, 4)?,
        versions: int(row, 5)?,
        latest: ItemNo(int(row, 6)?),
        latest_seq: int(row, 7)?,
    })
}

pub(super) fn object_place(row: &dyn Row) -> Got<ObjectPlace> {
    Ok(ObjectPlace { scope: ScopeNo(int(row, 0)?), position: int(row, 1)? })
}

pub(super) fn version(row: &dyn Row) -> Got<VersionRow> {
    let (object, item) = (ItemNo(int(row, 0)?), ItemNo(int(row, 3)?));
    Ok(VersionRow { object, version: int(row, 1)?, seq: int(row, 2)?, item })
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

pub(super) fn visit(row: &dyn Row) -> Got<VisitRow> {
    Ok(VisitRow {
        frame: ScopeNo(int(row, 0)?),
        seq: int(row, 1)?,
        item: ItemNo(int(row, 2)?),
        actor: ActorNo(int(row, 3)?),
        own: flag(row, 4)?,
    })
}

pub(super) fn view(row: &dyn Row) -> Got<ViewRow> {
    Ok(ViewRow {
        view: ViewNo(int(row, 0)?),
        id: string(row, 1)?,
        actor: ActorNo(int(row, 2)?),
        started_seq: int(row, 3)?,
        started_at: int(row, 4)?,
        previous: maybe_int(row, 5)?.map(ViewNo),
        ended_seq: maybe_int(row, 6)?,
        merges: maybe_int(row, 7)?.map(ScopeNo),
        fossil_seq: maybe_int(row, 8)?,
    })
}

pub(super) fn stream(row: &dyn Row) -> Got<StreamRow> {
    Ok(StreamRow {
        frame: ScopeNo(int(row, 0)?),
        position: int(row, 1)?,
        view: ViewNo(int(row, 2)?),
        prev: maybe_int(row, 3)?.map(ViewNo),
    })
}

pub(super) fn item_id(row: &dyn Row) -> Got<(i64, String)> {
    Ok((int(row, 0)?, string(row, 1)?))
}

pub(super) fn delta(row: &dyn Row) -> Got<DeltaRow> {
    Ok(DeltaRow { frame: ScopeNo(int(row, 0)?), seq: int(row, 1)?, item: ItemNo(int(row, 2)?) })
}

pub(super) fn stand(row: &dyn Row) -> Got<ActiveScopesRow> {
    let list = text(row, 3)?;
    let numbers = list.split(',').filter(|part| !part.is_empty());
    let numbers = numbers.map(|part| part.parse().map(ScopeNo));
    let active: Result<Vec<_>, _> = numbers.collect();
    let active = active.map_err(|_| Unfit::new(3, format!("{list:?}")))?;
    let primary = maybe_int(row, 2)?.map(ScopeNo);
    let (actor, seq) = (ActorNo(int(row, 0)?), int(row, 1)?);
    Ok(ActiveScopesRow { actor, seq, stands: ActiveScopes { primary, active } })
}
