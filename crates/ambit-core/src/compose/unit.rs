//! Units: the messages that are shown or left out together. A unit is a turn, a note, or a batch of
//! calls with its replies, in the reader's order.

use std::collections::{HashMap, HashSet};

use super::{Items, NoteShown, Plan, Shown};
use crate::{Form, ItemNo, Role};

/// A turn's blocks.
pub type Turn<'a> = &'a [Shown];

#[derive(Clone, Debug)]
pub enum Unit<'a> {
    Note(&'a NoteShown),
    /// Shown as it was written.
    Plain(Turn<'a>),
    /// Shown as attributed text: another actor's turn, or a reply without its call.
    Attributed(Turn<'a>),
    /// The reader's own calls with their replies.
    Batch {
        call: Turn<'a>,
        replies: Vec<Turn<'a>>,
        fate: Fate,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Complete,
    /// Calls and replies are left out, the turn's text stays.
    GivenUp,
    /// Some replies are missing.
    Open,
}

/// A unit at its position in the reader's order.
#[derive(Clone, Debug)]
pub struct Placed<'a> {
    pub position: i64,
    /// Tokens by the stored counts, and their running sum.
    pub stored: i64,
    pub sum: i64,
    pub unit: Unit<'a>,
}

/// Splits rows into turns.
pub fn turns(rows: &[Shown]) -> impl Iterator<Item = Turn<'_>> {
    rows.chunk_by(|a, b| a.turn == b.turn)
}

pub fn stored(turn: Turn<'_>) -> i64 {
    turn.iter().map(|row| row.tokens).sum()
}

/// Whether a turn is shown to a reader as it was written.
pub fn is_plain(turn: Turn<'_>, items: &Items) -> bool {
    let Some(first) = turn.first() else {
        return false;
    };
    let own = items.own.contains(&first.author);
    let by_operator = || {
        let author = items.authors.get(&first.author);
        author.is_none_or(|author| author.kind == crate::ActorKind::Operator)
    };
    match first.role {
        Role::User => true,
        Role::Assistant => own,
        // Instructions of an operator apply to every reader.
        Role::System | Role::Developer => own || by_operator(),
        Role::Tool => false,
    }
}

/// Returns the units that a reader is shown, in the reader's order: that of the places, except that
/// the reader's own replies directly follow their call.
pub fn units<'a>(items: &'a Items, plan: &Plan) -> Vec<Placed<'a>> {
    let mut out: Vec<Placed<'a>> = Vec::new();
    let mut batch_of: HashMap<ItemNo, usize> = HashMap::new();
    let mut notes = items.notes.iter().filter(|note| note.position >= items.from).peekable();
    for turn in turns(&items.messages) {
        let first = &turn[0];
        while let Some(note) = notes.next_if(|note| note.position < first.position) {
            out.push(placed(note.position, note.tokens, Unit::Note(note)));
        }
        let own = items.own.contains(&first.author);
        let call = turn.iter().find_map(|row| row.call);
        if own && let Some(index) = call.and_then(|call| batch_of.get(&call)) {
            if let Unit::Batch { replies, .. } = &mut out[*index].unit {
                replies.push(turn);
                out[*index].stored += stored(turn);
            }
            continue;
        }
        let has_calls = turn.iter().any(|row| row.form == Form::Call);
        let unit = if own && has_calls {
            for row in turn.iter().filter(|row| row.form == Form::Call) {
                batch_of.insert(row.item, out.len());
            }
            Unit::Batch { call: turn, replies: Vec::new(), fate: Fate::Open }
        } else if is_plain(turn, items) && !has_calls {
            Unit::Plain(turn)
        } else {
            Unit::Attributed(turn)
        };
        out.push(placed(first.position, stored(turn), unit));
    }
    out.extend(notes.map(|note| placed(note.position, note.tokens, Unit::Note(note))));
    settle(&mut out, items.base, plan.open);
    out
}

fn placed(position: i64, stored: i64, unit: Unit<'_>) -> Placed<'_> {
    Placed { position, stored, sum: 0, unit }
}

/// Returns the calls that replies answer.
pub fn answered(replies: &[Turn<'_>]) -> HashSet<ItemNo> {
    replies.iter().copied().flatten().filter_map(|row| row.call).collect()
}

/// Decides how each batch is shown, and adds up the tokens in the reader's order.
fn settle(units: &mut [Placed<'_>], base: i64, open: Option<i64>) {
    let mut sum = base;
    for placed in units {
        sum += placed.stored;
        placed.sum = sum;
        if let Unit::Batch { call, replies, fate } = &mut placed.unit {
            let calls = call.iter().filter(|row| row.form == Form::Call);
            let answered: HashSet<_> = answered(replies);
            let whole = calls.clone().all(|row| answered.contains(&row.item));
            *fate = if whole {
                Fate::Complete
            } else if open == Some(call[0].anchor) {
                Fate::Open
            } else {
                Fate::GivenUp
            };
        }
    }
}
