//! Converts rows to data. The order of columns is that of the statements in `sql/`.

use ambit_core::compose::{NoteShown, Shown};
use ambit_core::search::{Bag, Bearer, Neighbour};
use ambit_core::*;

use super::{Cell, Got, Row, Unfit, VaultFound};
use crate::VaultInfo;
use crate::rows::Table;

pub(crate) fn int(row: &dyn Row, index: usize) -> Got<i64> {
    maybe_int(row, index)?.ok_or_else(|| Unfit::new(index, "nothing"))
}

pub(crate) fn maybe_int(row: &dyn Row, index: usize) -> Got<Option<i64>> {
    match row.cell(index)? {
        Cell::Int(number) => Ok(Some(number)),
        Cell::Null => Ok(None),
        Cell::Bytes(_) => Err(Unfit::new(index, "bytes, not a number")),
    }
}

fn bytes(row: &dyn Row, index: usize) -> Got<&[u8]> {
    maybe_bytes(row, index)?.ok_or_else(|| Unfit::new(index, "nothing"))
}

fn maybe_bytes(row: &dyn Row, index: usize) -> Got<Option<&[u8]>> {
    match row.cell(index)? {
        Cell::Bytes(bytes) => Ok(Some(bytes)),
        Cell::Null => Ok(None),
        Cell::Int(number) => Err(Unfit::new(index, format!("the number {number}"))),
    }
}

pub(crate) fn text(row: &dyn Row, index: usize) -> Got<&str> {
    maybe_text(row, index)?.ok_or_else(|| Unfit::new(index, "nothing"))
}

pub(crate) fn maybe_text(row: &dyn Row, index: usize) -> Got<Option<&str>> {
    let text = maybe_bytes(row, index)?.map(std::str::from_utf8).transpose();
    text.map_err(|error| Unfit::new(index, error.to_string()))
}

pub(crate) fn string(row: &dyn Row, index: usize) -> Got<String> {
    Ok(text(row, index)?.to_string())
}

/// Reads a fixed number of bytes.
fn array<const N: usize>(row: &dyn Row, index: usize) -> Got<[u8; N]> {
    let bytes = bytes(row, index)?;
    bytes.try_into().map_err(|_| Unfit::new(index, format!("{} bytes, not {N}", bytes.len())))
}

pub(crate) fn hash(row: &dyn Row, index: usize) -> Got<Hash> {
    Ok(Hash(array(row, index)?))
}

pub(crate) fn hash_or_none(row: &dyn Row, index: usize) -> Got<Option<Hash>> {
    match row.cell(index)? {
        Cell::Null => Ok(None),
        _ => hash(row, index).map(Some),
    }
}

/// Reads a word of a closed list.
pub(crate) fn word<T>(row: &dyn Row, index: usize, parse: fn(&str) -> Option<T>) -> Got<T> {
    let text = text(row, index)?;
    parse(text).ok_or_else(|| Unfit::new(index, format!("{text:?}")))
}

/// Reads a boolean. Any number other than 0 and 1 is damage.
pub(crate) fn flag(row: &dyn Row, index: usize) -> Got<bool> {
    match int(row, index)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Unfit::new(index, format!("{other}, which is neither 0 nor 1"))),
    }
}

pub(super) fn utf8(row: &dyn Row, index: usize) -> Got<Option<String>> {
    let bytes = maybe_bytes(row, index)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
}

/// Reads a text that is joined to the row that references it. Only a forgotten text may be missing.
pub(super) fn text_of(row: &dyn Row, index: usize, content: ContentNo) -> Got<String> {
    match utf8(row, index)? {
        Some(text) => Ok(text),
        None if content.forgotten_by().is_some() => Ok(String::new()),
        None => Err(Unfit::new(index, format!("nothing: the text {content} is missing"))),
    }
}

pub(super) fn number(row: &dyn Row) -> Got<i64> {
    int(row, 0)
}

pub(super) fn key(row: &dyn Row) -> Got<(Hash, String)> {
    Ok((hash(row, 0)?, string(row, 1)?))
}

pub(super) fn first_hash(row: &dyn Row) -> Got<Hash> {
    hash(row, 0)
}

pub(super) fn pair(row: &dyn Row) -> Got<(i64, i64)> {
    Ok((int(row, 0)?, int(row, 1)?))
}

pub(super) fn author(row: &dyn Row) -> Got<(ActorNo, String, ActorKind)> {
    Ok((ActorNo(int(row, 0)?), string(row, 1)?, word(row, 2, ActorKind::parse)?))
}

pub(super) fn vault(row: &dyn Row) -> Got<VaultFound> {
    let state = VaultState {
        head_seq: int(row, 1)?,
        head_hash: hash(row, 2)?,
        time: int(row, 3)?,
        next: int(row, 4)?,
        main: ScopeNo(int(row, 5)?),
        scopes: int(row, 6)?,
        boundary: int(row, 7)?,
    };
    let importing = maybe_text(row, 8)?.map(str::to_string);
    let (vault, name, rebuilt) = (int(row, 0)?, string(row, 9)?, int(row, 10)?);
    Ok(VaultFound { vault, state, importing, name, rebuilt })
}

/// Reads a vault's name and the source of its import: the columns that `rebuild` trusts.
pub(super) fn vault_to_rebuild(row: &dyn Row) -> Got<(String, Option<String>)> {
    Ok((string(row, 0)?, maybe_text(row, 1)?.map(str::to_string)))
}

pub(crate) fn vault_info(row: &dyn Row) -> Got<VaultInfo> {
    Ok(VaultInfo { name: string(row, 0)?, head_seq: int(row, 1)?, time: int(row, 2)? })
}

pub(super) fn container(row: &dyn Row) -> Got<Container> {
    Ok(Container { item: ItemNo(int(row, 0)?), last_seq: int(row, 1)?, visits: int(row, 2)? })
}

pub(super) fn chain_item(row: &dyn Row) -> Got<ChainItem> {
    Ok(ChainItem {
        item: ItemNo(int(row, 0)?),
        position: int(row, 1)?,
        tokens: int(row, 2)?,
        first: flag(row, 3)?,
    })
}

pub(super) fn content_ref(row: &dyn Row) -> Got<ContentRef> {
    Ok(ContentRef { content: ContentNo(int(row, 0)?), key: hash(row, 1)?, tokens: int(row, 2)? })
}

pub(super) fn content(row: &dyn Row) -> Got<Content> {
    Ok(Content {
        content: ContentNo(int(row, 0)?),
        key: hash(row, 1)?,
        salt: array(row, 2)?,
        digest: int(row, 3)?,
        tokens: int(row, 4)?,
        text: bytes(row, 5)?.to_vec(),
    })
}

pub(super) fn shown(row: &dyn Row) -> Got<Shown> {
    let shown = Shown {
        position: int(row, 0)?,
        anchor: int(row, 1)?,
        tokens: int(row, 2)?,
        item: ItemNo(int(row, 3)?),
        kind: word(row, 17, ItemKind::parse)?,
        form: word(row, 4, Form::parse)?,
        role: word(row, 5, Role::parse)?,
        author: ActorNo(int(row, 6)?),
        turn: int(row, 7)?,
        block: int(row, 8)?,
        time: int(row, 9)?,
        call: maybe_int(row, 10)?.map(ItemNo),
        text: text_of(row, 11, ContentNo(int(row, 15)?))?,
        text_tokens: maybe_int(row, 12)?.unwrap_or(0),
        key: hash_or_none(row, 13)?.unwrap_or_default(),
        shape: utf8(row, 14)?.map(Into::into),
        forgotten: None,
        shapeless: false,
    };
    Ok(shown.marked(ContentNo(int(row, 15)?), maybe_int(row, 16)?.map(ContentNo)))
}

pub(super) fn note_shown(row: &dyn Row) -> Got<NoteShown> {
    let way = maybe_text(row, 7)?;
    let other = maybe_text(row, 8)?.map(str::to_string);
    let shown = NoteShown {
        scope: ScopeNo(int(row, 0)?),
        position: int(row, 1)?,
        seq: int(row, 2)?,
        tokens: int(row, 3)?,
        hash: hash(row, 4)?,
        parent: hash_or_none(row, 5)?,
        snapshot: int(row, 6)?,
        way: way.map(|way| (way == "to", other.unwrap_or_default())),
        text: text_of(row, 9, ContentNo(int(row, 13)?))?,
        key: hash_or_none(row, 10)?.unwrap_or_default(),
        author: ActorNo(int(row, 11)?),
        time: int(row, 12)?,
        forgotten: None,
    };
    Ok(shown.marked(ContentNo(int(row, 13)?)))
}

pub(super) fn stored(row: &dyn Row) -> Got<Stored> {
    Ok(Stored {
        seq: int(row, 0)?,
        time: int(row, 1)?,
        actor: ActorNo(int(row, 2)?),
        view: maybe_int(row, 3)?.map(ViewNo),
        body: bytes(row, 4)?.to_vec(),
        hash: bytes(row, 5)?.to_vec(),
    })
}

pub(super) fn open_place(row: &dyn Row) -> Got<OpenPlace> {
    Ok(OpenPlace { scope: ScopeNo(int(row, 0)?), position: int(row, 1)?, tokens: int(row, 2)? })
}

pub(super) fn text_use(row: &dyn Row) -> Got<(ContentNo, TextUse)> {
    let text = TextUse { tokens: int(row, 1)?, uses: int(row, 2)? };
    Ok((ContentNo(int(row, 0)?), text))
}

/// Reads a text's term vector.
pub(super) fn bag(row: &dyn Row) -> Got<(ContentNo, Bag)> {
    Ok((ContentNo(int(row, 0)?), Bag::from_bytes(bytes(row, 1)?.to_vec())))
}

/// Reads a row of the index, with its part or its segment.
pub(super) fn posting(row: &dyn Row) -> Got<(i64, Vec<u8>)> {
    Ok((int(row, 0)?, bytes(row, 1)?.to_vec()))
}

pub(super) fn bearer(row: &dyn Row) -> Got<Bearer> {
    let neighbour = |at: usize| -> Got<Option<Neighbour>> {
        let found = maybe_int(row, at)?.zip(maybe_int(row, at + 1)?);
        Ok(found
            .map(|(item, content)| Neighbour { item: ItemNo(item), content: ContentNo(content) }))
    };
    Ok(Bearer {
        item: ItemRow::read(row)?,
        scope: ScopeNo(int(row, 11)?),
        hidden: Some(int(row, 12)?).filter(|seq| *seq > 0),
        before: neighbour(13)?,
        after: neighbour(15)?,
        visits: int(row, 17)?,
    })
}
