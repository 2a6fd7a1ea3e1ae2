//! Renders one turn in the plan's format: whole or cut, with the call ids to be shown.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ambit_wire::{
    Call, CallKind, Format, MESSAGE_TOKENS, RequestWriter, ShownBlock, ShownTurn, calls, forgotten,
    shown_id,
};

use super::render::{Output, STUB_TOKENS};
use super::stub::{handle, stub};
use super::unit::{Turn, stored};
use super::{Shown, shape_of};
use crate::{Form, ItemNo};

/// The ids under which calls are shown, by their items.
#[derive(Default)]
pub struct Ids(HashMap<ItemNo, (String, CallKind)>);

impl Ids {
    /// Assigns ids to a batch's calls that are unique, not empty and valid in the format. They are
    /// derived from the original ids and from the calls before them. Chat matches replies within a
    /// batch, so ids may repeat in the next; the other formats match within the whole request.
    pub fn of(call: Turn<'_>, format: Format, before: &mut HashSet<String>) -> Ids {
        let mut own = HashSet::new();
        let seen = if format == Format::Openai { &mut own } else { before };
        let mut copies: HashMap<String, usize> = HashMap::new();
        let rows = call.iter().filter(|row| row.form == Form::Call);
        let mut ids = HashMap::new();
        for (index, (row, called)) in rows.zip(called(call)).enumerate() {
            let own = match called.id.as_str() {
                "" => format!("call_{}_{index}", row.turn),
                id => shown_id(format, id),
            };
            let mut shown = own.clone();
            while !seen.insert(shown.clone()) {
                let copy = copies.entry(own.clone()).or_insert(1);
                *copy += 1;
                shown = shown_id(format, &format!("{own}-{copy}"));
            }
            ids.insert(row.item, (shown, called.kind));
        }
        Ids(ids)
    }

    pub fn get(&self, row: &Shown) -> Option<&(String, CallKind)> {
        let item = if row.form == Form::Call { Some(row.item) } else { row.call };
        item.and_then(|item| self.0.get(&item))
    }

    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(|(id, _)| id.as_str())
    }

    /// Whether only their own format can show these calls.
    pub fn has_whole(&self) -> bool {
        self.0.values().any(|(_, kind)| *kind == CallKind::Whole)
    }
}

/// Returns the calls of a turn, in order.
pub fn called(turn: Turn<'_>) -> Vec<Call> {
    let forms: Vec<Form> = turn.iter().map(|row| row.form).collect();
    turn.first().map_or_else(Vec::new, |it| calls(it.role, shape_of(turn).as_deref(), &forms))
}

/// Writes a turn. Returns false if nothing is left of it that a provider would accept.
pub fn write(out: &mut Output, turn: Turn<'_>, share: Option<i64>, ids: &Ids) -> bool {
    let Some(as_text) = write_to(&mut out.writer, turn, share, ids) else {
        return false;
    };
    out.written += 1;
    as_text.into_iter().for_each(|at| out.left_out(&turn[at], "shown as text"));
    true
}

fn write_to(
    writer: &mut RequestWriter,
    turn: Turn<'_>,
    share: Option<i64>,
    ids: &Ids,
) -> Option<Vec<usize>> {
    let first = turn.first()?;
    let shape = shape_of(turn);
    let blocks = turn.iter().map(|row| shown_block(row, share, ids)).collect();
    let bare = is_bare(turn, share);
    let of = |row: &Shown| handle(row.turn, row.block, &row.key);
    let (role, shape) = (first.role, shape.as_deref());
    let shown = ShownTurn { role, shape, blocks, bare, handle: &|at| of(&turn[at]) };
    writer.write(&|| first.turn.to_string(), &shown)
}

fn shown_block<'a>(row: &'a Shown, share: Option<i64>, ids: &Ids) -> ShownBlock<'a> {
    let whole = matches!(row.form, Form::Media | Form::Other | Form::Reasoning);
    let stubbed = is_stubbed(row, share);
    let instead = match (whole, row.forgotten.is_some(), stubbed) {
        (true, true, _) => Some(Cow::Borrowed(forgotten::MARK)),
        (true, false, true) => Some(Cow::Owned(stub(row))),
        _ => None,
    };
    let id = ids.get(row);
    ShownBlock {
        form: row.form,
        text: shown_text(row, share),
        instead: instead.filter(|_| !row.text.is_empty()),
        id: id.map(|(id, _)| id.clone()),
        answers: id.map(|(_, kind)| *kind).unwrap_or_default(),
    }
}

/// Returns the text of a block or its stub; for a part stored whole, its JSON.
pub fn shown_text(row: &Shown, share: Option<i64>) -> Cow<'_, str> {
    let cut = matches!(row.form, Form::Text | Form::Reply | Form::Call);
    match cut && row.forgotten.is_none() && is_stubbed(row, share) {
        true => Cow::Owned(stub(row)),
        false => Cow::Borrowed(&row.text),
    }
}

/// Whether a block is shown as a stub. Only the text counts: the tokens of the message itself,
/// which the first block includes, cannot be cut.
pub fn is_stubbed(row: &Shown, share: Option<i64>) -> bool {
    share.is_some_and(|share| row.text_tokens > share.max(STUB_TOKENS))
}

/// Whether nothing is left of a turn that a provider would accept.
pub fn is_hollow(turn: Turn<'_>, format: Format) -> bool {
    // Reasoning alone does not make a message; any other block that is not empty does.
    let says = |row: &Shown| row.form != Form::Reasoning && !row.text.trim().is_empty();
    !turn.iter().any(says)
        && write_to(&mut RequestWriter::new(format), turn, None, &Ids::default()).is_none()
}

/// Whether a turn's unknown fields are left out: they cannot be cut, and are over their share.
pub fn is_bare(turn: Turn<'_>, share: Option<i64>) -> bool {
    let shapeless = turn.first().is_some_and(|row| row.shapeless);
    !shapeless && share.is_some_and(|share| shape_tokens(turn) > share.max(STUB_TOKENS))
}

pub fn shape_tokens(turn: Turn<'_>) -> i64 {
    (stored(turn) - turn.iter().map(|row| row.text_tokens).sum::<i64>() - MESSAGE_TOKENS).max(0)
}

/// Returns the tokens of a turn as it is shown.
pub fn turn_cost(
    turn: Turn<'_>,
    share: Option<i64>,
    format: Format,
    count: &dyn Fn(&str) -> i64,
) -> i64 {
    if share.is_none() {
        return stored(turn);
    }
    if is_bare(turn, share) {
        let mut writer = RequestWriter::new(format);
        write_to(&mut writer, turn, share, &Ids::of(turn, format, &mut HashSet::new()));
        let shown = writer.finish();
        let all = shown.messages.iter().chain(&shown.system);
        return all.map(|shown| count(shown) + MESSAGE_TOKENS).sum();
    }
    let texts: i64 = turn.iter().map(|row| count_shown(row, share, count)).sum();
    texts + MESSAGE_TOKENS + shape_tokens(turn)
}

pub fn count_shown(row: &Shown, share: Option<i64>, count: &dyn Fn(&str) -> i64) -> i64 {
    if is_stubbed(row, share) { count(&stub(row)) } else { row.text_tokens }
}
