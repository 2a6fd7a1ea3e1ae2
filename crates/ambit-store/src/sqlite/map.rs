//! From SQLite's rows to data. The order of columns is that of the statements in `sql/`.

use ambit_core::compose::{NoteShown, Shown};
use ambit_core::*;
use rusqlite::Row;
use rusqlite::types::Type;

use crate::VaultInfo;

type Got<T> = rusqlite::Result<T>;

pub(super) fn hash(row: &Row<'_>, index: usize) -> Got<Hash> {
    Ok(Hash(row.get(index)?))
}

fn hash_or_none(row: &Row<'_>, index: usize) -> Got<Option<Hash>> {
    Ok(row.get::<_, Option<[u8; 32]>>(index)?.map(Hash))
}

fn bad(index: usize, what: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(index, Type::Text, what.to_string().into())
}

/// A word of a closed list.
fn word<T>(row: &Row<'_>, index: usize, parse: fn(&str) -> Option<T>) -> Got<T> {
    let text = row.get_ref(index)?.as_str()?;
    parse(text).ok_or_else(|| bad(index, text))
}

/// A truth value. Any other number is damage, not true.
fn flag(row: &Row<'_>, index: usize) -> Got<bool> {
    match row.get(index)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(rusqlite::Error::IntegralValueOutOfRange(index, other)),
    }
}

fn utf8(row: &Row<'_>, index: usize) -> Got<Option<String>> {
    let bytes = row.get_ref(index)?.as_bytes_or_null()?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
}

pub(super) fn vault(row: &Row<'_>) -> Got<(i64, VaultState)> {
    let state = VaultState {
        head_seq: row.get(1)?,
        head_hash: hash(row, 2)?,
        time: row.get(3)?,
        next: row.get(4)?,
        main: ScopeNo(row.get(5)?),
        scopes: row.get(6)?,
        boundary: row.get(7)?,
    };
    Ok((row.get(0)?, state))
}

pub(super) fn vault_info(row: &Row<'_>) -> Got<VaultInfo> {
    Ok(VaultInfo { name: row.get(0)?, head_seq: row.get(1)?, time: row.get(2)?, importing: false })
}

pub(super) fn actor(row: &Row<'_>) -> Got<ActorRow> {
    Ok(ActorRow {
        actor: ActorNo(row.get(0)?),
        id: row.get(1)?,
        name: row.get(2)?,
        kind: word(row, 3, ActorKind::parse)?,
        home: ScopeNo(row.get(4)?),
        primary: row.get::<_, Option<i64>>(5)?.map(ScopeNo),
        view: row.get::<_, Option<i64>>(6)?.map(ViewNo),
        view_open: flag(row, 7)?,
        view_pin: row.get::<_, Option<i64>>(8)?.map(ScopeNo),
        view_capture: row.get::<_, Option<i64>>(9)?.map(ScopeNo),
        view_time: row.get(10)?,
    })
}

pub(super) fn presence(row: &Row<'_>) -> Got<PresenceRow> {
    Ok(PresenceRow {
        actor: ActorNo(row.get(0)?),
        scope: ScopeNo(row.get(1)?),
        entered_seq: row.get(2)?,
        last_time: row.get(3)?,
        boundary: row.get(4)?,
        fold: row.get(5)?,
        fold_seq: row.get(6)?,
        answered: row.get(7)?,
        answered_seq: row.get(8)?,
    })
}

pub(super) fn scope(row: &Row<'_>) -> Got<ScopeRow> {
    Ok(ScopeRow {
        scope: ScopeNo(row.get(0)?),
        id: row.get(1)?,
        name: row.get(2)?,
        parent: row.get::<_, Option<i64>>(3)?.map(ScopeNo),
        owner: row.get::<_, Option<i64>>(4)?.map(ActorNo),
        created_seq: row.get(5)?,
        created_at: row.get(6)?,
        head: row.get(7)?,
        next_position: row.get(8)?,
        sum: row.get(9)?,
        messages: row.get(10)?,
        notes: row.get(11)?,
        note_tokens: row.get(12)?,
        boundary: row.get(13)?,
        last_note: hash_or_none(row, 14)?,
    })
}

pub(super) fn setting(row: &Row<'_>) -> Got<SettingRow> {
    Ok(SettingRow { scope: ScopeNo(row.get(0)?), name: row.get(1)?, value: row.get(2)? })
}

pub(super) fn container(row: &Row<'_>) -> Got<Container> {
    Ok(Container { item: ItemNo(row.get(0)?), last_seq: row.get(1)?, visits: row.get(2)? })
}

pub(super) fn call(row: &Row<'_>) -> Got<OpenCallRow> {
    Ok(OpenCallRow {
        scope: ScopeNo(row.get(0)?),
        actor: ActorNo(row.get(1)?),
        anchor: row.get(2)?,
        item: ItemNo(row.get(3)?),
        call_id: row.get(4)?,
    })
}

pub(super) fn chain_item(row: &Row<'_>) -> Got<ChainItem> {
    Ok(ChainItem {
        item: ItemNo(row.get(0)?),
        position: row.get(1)?,
        tokens: row.get(2)?,
        first: flag(row, 3)?,
    })
}

pub(super) fn content_ref(row: &Row<'_>) -> Got<ContentRef> {
    Ok(ContentRef { content: ContentNo(row.get(0)?), key: hash(row, 1)?, tokens: row.get(2)? })
}

pub(super) fn content(row: &Row<'_>) -> Got<Content> {
    Ok(Content {
        content: ContentNo(row.get(0)?),
        key: hash(row, 1)?,
        salt: row.get(2)?,
        digest: row.get(3)?,
        tokens: row.get(4)?,
        text: row.get(5)?,
    })
}

pub(super) fn shown(row: &Row<'_>) -> Got<Shown> {
    Ok(Shown {
        position: row.get(0)?,
        anchor: row.get(1)?,
        tokens: row.get(2)?,
        item: ItemNo(row.get(3)?),
        form: word(row, 4, Form::parse)?,
        role: word(row, 5, Role::parse)?,
        author: ActorNo(row.get(6)?),
        turn: row.get(7)?,
        block: row.get(8)?,
        time: row.get(9)?,
        call: row.get::<_, Option<i64>>(10)?.map(ItemNo),
        text: utf8(row, 11)?.unwrap_or_default(),
        text_tokens: row.get::<_, Option<i64>>(12)?.unwrap_or(0),
        key: hash_or_none(row, 13)?.unwrap_or_default(),
        shape: utf8(row, 14)?.map(Into::into),
        forgotten: None,
        shapeless: false,
    })
}

pub(super) fn note_shown(row: &Row<'_>) -> Got<NoteShown> {
    let way: Option<String> = row.get(7)?;
    let other: Option<String> = row.get(8)?;
    Ok(NoteShown {
        scope: ScopeNo(row.get(0)?),
        position: row.get(1)?,
        seq: row.get(2)?,
        tokens: row.get(3)?,
        hash: hash(row, 4)?,
        parent: hash_or_none(row, 5)?,
        snapshot: row.get(6)?,
        way: way.map(|way| (way == "to", other.unwrap_or_default())),
        text: utf8(row, 9)?.unwrap_or_default(),
        key: hash_or_none(row, 10)?.unwrap_or_default(),
        author: ActorNo(row.get(11)?),
        time: row.get(12)?,
        forgotten: None,
    })
}

pub(super) fn stored(row: &Row<'_>) -> Got<Stored> {
    Ok(Stored {
        seq: row.get(0)?,
        time: row.get(1)?,
        actor: ActorNo(row.get(2)?),
        view: row.get::<_, Option<i64>>(3)?.map(ViewNo),
        body: row.get_ref(4)?.as_bytes()?.to_vec(),
        hash: row.get_ref(5)?.as_bytes()?.to_vec(),
    })
}

pub(super) fn item(row: &Row<'_>) -> Got<ItemRow> {
    Ok(ItemRow {
        item: ItemNo(row.get(0)?),
        kind: word(row, 1, Kind::parse)?,
        form: word(row, 2, Form::parse)?,
        role: word(row, 3, Role::parse)?,
        author: ActorNo(row.get(4)?),
        turn: row.get(5)?,
        block: row.get(6)?,
        time: row.get(7)?,
        content: ContentNo(row.get(8)?),
        call: row.get::<_, Option<i64>>(9)?.map(ItemNo),
    })
}

pub(super) fn place(row: &Row<'_>) -> Got<PlaceRow> {
    Ok(PlaceRow {
        scope: ScopeNo(row.get(0)?),
        position: row.get(1)?,
        item: ItemNo(row.get(2)?),
        kind: word(row, 3, Kind::parse)?,
        anchor: row.get(4)?,
        first: flag(row, 5)?,
        tokens: row.get(6)?,
        sum: row.get(7)?,
        from_seq: row.get(8)?,
        to_seq: Some(row.get(9)?).filter(|seq| *seq != 0),
    })
}

pub(super) fn turn(row: &Row<'_>) -> Got<TurnRow> {
    Ok(TurnRow { turn: row.get(0)?, shape: ContentNo(row.get(1)?) })
}

pub(super) fn note(row: &Row<'_>) -> Got<NoteRow> {
    let way: Option<String> = row.get(7)?;
    let other: Option<i64> = row.get(8)?;
    Ok(NoteRow {
        scope: ScopeNo(row.get(0)?),
        position: row.get(1)?,
        item: ItemNo(row.get(2)?),
        seq: row.get(3)?,
        hash: hash(row, 4)?,
        parent: hash_or_none(row, 5)?,
        snapshot: row.get(6)?,
        way: match (way.as_deref(), other.map(ScopeNo)) {
            (Some("to"), Some(other)) => Some(Way::To(other)),
            (Some("from"), Some(other)) => Some(Way::From(other)),
            (None, None) => None,
            (way, _) => return Err(bad(7, way.unwrap_or("a scope without a way"))),
        },
        context_frame: ScopeNo(row.get(9)?),
    })
}

pub(super) fn visit(row: &Row<'_>) -> Got<VisitRow> {
    Ok(VisitRow { item: ItemNo(row.get(0)?), seq: row.get(1)?, actor: ActorNo(row.get(2)?) })
}

pub(super) fn view(row: &Row<'_>) -> Got<ViewRow> {
    Ok(ViewRow {
        view: ViewNo(row.get(0)?),
        id: row.get(1)?,
        actor: ActorNo(row.get(2)?),
        started_seq: row.get(3)?,
        started_at: row.get(4)?,
        previous: row.get::<_, Option<i64>>(5)?.map(ViewNo),
        ended_seq: row.get(6)?,
    })
}

pub(super) fn stream(row: &Row<'_>) -> Got<StreamRow> {
    Ok(StreamRow {
        frame: ScopeNo(row.get(0)?),
        position: row.get(1)?,
        view: ViewNo(row.get(2)?),
        prev: row.get::<_, Option<i64>>(3)?.map(ViewNo),
    })
}

pub(super) fn frame(row: &Row<'_>) -> Got<FrameRow> {
    Ok(FrameRow {
        scope: ScopeNo(row.get(0)?),
        item: ItemNo(row.get(1)?),
        last_seq: row.get(2)?,
        visits: row.get(3)?,
    })
}
