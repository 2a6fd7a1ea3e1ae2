//! Reads the input of a composition: a window of places, the notes around it, and their authors.
//! This module decides what to read; a store implements the reads.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ambit_wire::forgotten;

use super::Plan;
use crate::{
    ActorKind, ActorNo, ContentNo, Form, Hash, Inherit, ItemKind, ItemNo, Millis, Role, ScopeNo,
    ScopeRow, State,
};

/// One block of a message in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub position: i64,
    pub anchor: i64,
    pub tokens: i64,
    pub item: ItemNo,
    pub kind: ItemKind,
    pub form: Form,
    pub role: Role,
    pub author: ActorNo,
    pub turn: i64,
    pub block: i64,
    pub time: Millis,
    pub call: Option<ItemNo>,
    pub text: String,
    pub text_tokens: i64,
    pub key: Hash,
    /// The shape of the message, on the turn's first block only.
    pub shape: Option<Arc<str>>,
    /// The event that forgot the text: then the text is the mark.
    pub forgotten: Option<i64>,
    /// Whether the shape of the message was forgotten.
    pub shapeless: bool,
}

impl Shown {
    /// Replaces a forgotten text by its mark, and notes whether the turn's shape was forgotten.
    pub fn marked(mut self, content: ContentNo, shape: Option<ContentNo>) -> Shown {
        self.forgotten = content.forgotten_by();
        if self.forgotten.is_some() {
            self.text = forgotten::mark(self.form).to_string();
            self.text_tokens = forgotten::mark_tokens(self.form);
        }
        let first = self.block == 0;
        self.shapeless = first && shape.is_some_and(|shape| shape.forgotten_by().is_some());
        self
    }
}

/// Returns the shape of a turn, or a skeleton if the shape was forgotten.
pub fn shape_of(turn: &[Shown]) -> Option<Cow<'_, str>> {
    let first = turn.first()?;
    if first.shapeless {
        // An empty part is a placeholder in a message that has no parts.
        let part = |row: &Shown| matches!(row.form, Form::Media | Form::Other | Form::Reasoning);
        let form = |row: &Shown| (!part(row) || !row.text.is_empty()).then_some(row.form);
        let forms: Vec<_> = turn.iter().map(form).collect();
        let answers: Vec<_> = turn.iter().map(|row| row.call.map(|call| call.0)).collect();
        return Some(Cow::Owned(forgotten::skeleton(first.role, &forms, &answers)));
    }
    first.shape.as_deref().map(Cow::Borrowed)
}

/// A note in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteShown {
    pub scope: ScopeNo,
    pub position: i64,
    pub seq: i64,
    pub tokens: i64,
    pub hash: Hash,
    pub parent: Option<Hash>,
    pub snapshot: i64,
    /// For a note written on leaving or arriving: whether on leaving, and the other scope's name.
    pub way: Option<(bool, String)>,
    pub text: String,
    pub key: Hash,
    pub author: ActorNo,
    pub time: Millis,
    /// The event that forgot the text: then the text is the mark.
    pub forgotten: Option<i64>,
}

impl NoteShown {
    /// Replaces a forgotten text by its mark.
    pub fn marked(mut self, content: ContentNo) -> NoteShown {
        self.forgotten = content.forgotten_by();
        if self.forgotten.is_some() {
            self.text = forgotten::MARK.to_string();
        }
        self
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    pub name: String,
    pub kind: ActorKind,
}

/// The reads that a store offers for composing, all within one snapshot. Only open places count.
pub trait Places {
    type Error;
    /// Returns the sum of tokens shown before a position.
    fn sum_before(&mut self, scope: ScopeNo, position: i64) -> Result<i64, Self::Error>;
    /// Returns the first position whose sum exceeds a number of tokens.
    fn place_at(&mut self, scope: ScopeNo, tokens: i64) -> Result<Option<i64>, Self::Error>;
    /// Returns the message blocks from one position up to another.
    fn messages(&mut self, scope: ScopeNo, from: i64, to: i64) -> Result<Vec<Shown>, Self::Error>;
    /// Returns the first message blocks of a scope.
    fn leading(&mut self, scope: ScopeNo, limit: i64) -> Result<Vec<Shown>, Self::Error>;
    /// Returns the last notes of a range, in order.
    fn notes(
        &mut self,
        scope: ScopeNo,
        range: NoteRange,
        limit: i64,
    ) -> Result<Vec<NoteShown>, Self::Error>;
    fn authors(
        &mut self,
        actors: &BTreeSet<ActorNo>,
    ) -> Result<BTreeMap<ActorNo, Author>, Self::Error>;
    fn scope_row(&mut self, scope: ScopeNo) -> Result<Option<ScopeRow>, Self::Error>;
}

/// The range of a scope's notes to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteRange {
    /// From one position up to another.
    Places { from: i64, to: i64 },
    /// The notes that were open before an event.
    Before { seq: i64 },
}

impl NoteRange {
    pub const ALL: NoteRange = NoteRange::Places { from: 0, to: i64::MAX };
}

/// The input that was read for one composition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Items {
    /// The first position read, the sum before it, and the sums at the two ends.
    pub from: i64,
    pub base: i64,
    pub sum_at_end: i64,
    pub sum_at_answered: Option<i64>,
    pub messages: Vec<Shown>,
    /// The notes from the first position on, and the last ones before it.
    pub notes: Vec<NoteShown>,
    pub inherited: Vec<NoteShown>,
    pub insights: Vec<NoteShown>,
    /// The names of the items in the scope's frame when the epoch began, most recent first. The
    /// caller of `compose` fills it in if the plan has room for it.
    pub mind: Vec<String>,
    /// The leading system messages, if the window begins after them.
    pub leading: Vec<Shown>,
    /// The actors whose turns are shown as the reader's own: the reader, and its ancestors in the
    /// messages that it inherits.
    pub own: BTreeSet<ActorNo>,
    /// The last block that was not read because there was no room.
    pub cut: Option<Shown>,
    /// The messages that a subagent's scope inherits. The caller of `compose` fills it in.
    pub inherited_messages: Option<Box<Items>>,
    pub authors: BTreeMap<ActorNo, Author>,
}

/// The largest number of blocks at a scope's start that may be pinned.
pub const LEADING_BLOCKS: usize = 256;

/// Reads the items that a plan needs. The stored sums locate the window, so the cost does not grow
/// with the length of the scope.
pub fn gather<P: Places + ?Sized>(
    places: &mut P,
    state: &State,
    plan: &Plan,
) -> Result<Items, P::Error> {
    let scope = plan.scope;
    let sum_at_end = match state.scopes.get(&scope) {
        Some(at) if plan.end == at.row.next_position => at.row.sum,
        _ => places.sum_before(scope, plan.end)?,
    };
    let sum_at_answered = match plan.answered {
        Some(position) => Some(places.sum_before(scope, position)?),
        None => None,
    };
    let first = window_start(plan, sum_at_end, sum_at_answered);
    let mut from = match first {
        0 => 0,
        tokens => places.place_at(scope, tokens)?.unwrap_or(plan.end),
    };
    let mut messages = places.messages(scope, from, plan.read_end)?;
    // A step may end within a turn, which is then read whole. The reader's own replies are shown
    // with their call, so a batch that begins before the window is read whole too.
    let reader = state.actor.as_ref().map(|actor| actor.actor);
    let turn = messages.first().map(|it| it.position - it.block);
    let replies = messages.iter().filter(|it| it.call.is_some() && Some(it.author) == reader);
    let begins = replies.map(|it| it.anchor).chain(turn).min();
    if let Some(anchor) = begins.filter(|begins| *begins < from) {
        let mut earlier = places.messages(scope, anchor, from)?;
        earlier.append(&mut messages);
        (messages, from) = (earlier, anchor);
    }
    let base = if from == 0 { 0 } else { places.sum_before(scope, from)? };
    let before = NoteRange::Places { from: 0, to: from };
    let mut notes = places.notes(scope, before, plan.notes_shown)?;
    let within = NoteRange::Places { from, to: plan.read_end };
    notes.extend(places.notes(scope, within, i64::MAX)?);
    let inherited = inherited_notes(places, state, scope, plan.notes_shown)?;
    let insights = match plan.caps.insights {
        Some(_) => places.notes(ScopeNo::VAULT, NoteRange::ALL, plan.insights_shown)?,
        None => Vec::new(),
    };
    // One more block than can be pinned, to see where the last turn ends.
    let leading = match from {
        0 => Vec::new(),
        _ => places.leading(scope, LEADING_BLOCKS as i64 + 1)?,
    };
    let authors = messages.iter().chain(&leading).map(|it| it.author);
    let authors = authors.chain(insights.iter().map(|it| it.author)).collect();
    let authors = places.authors(&authors)?;
    Ok(Items {
        from,
        base,
        sum_at_end,
        sum_at_answered,
        messages,
        notes,
        inherited,
        insights,
        mind: Vec::new(),
        leading,
        own: reader.into_iter().collect(),
        cut: None,
        inherited_messages: None,
        authors,
    })
}

/// Returns the last notes that a scope inherits, in order: those of its parent when the scope was
/// created, and those that the parent inherits itself.
pub fn inherited_notes<P: Places + ?Sized>(
    places: &mut P,
    state: &State,
    scope: ScopeNo,
    limit: i64,
) -> Result<Vec<NoteShown>, P::Error> {
    let mut notes: Vec<NoteShown> = Vec::new();
    let mut at = scope;
    while (notes.len() as i64) < limit {
        let row = match state.scopes.get(&at) {
            Some(at) => Some(at.row.clone()),
            None => places.scope_row(at)?,
        };
        let Some(row) = row.filter(|row| row.inherit != Inherit::None) else { break };
        let Some(parent) = row.parent else { break };
        let before = NoteRange::Before { seq: row.created_seq };
        let mut own = places.notes(parent, before, limit - notes.len() as i64)?;
        own.append(&mut notes);
        (notes, at) = (own, parent);
    }
    Ok(notes)
}

/// Returns the token to read from: the earliest start of this window or, if they overlap, of the
/// last answered one, because the part that they share must be known.
fn window_start(plan: &Plan, sum_at_end: i64, sum_at_answered: Option<i64>) -> i64 {
    let now = least_step(plan, sum_at_end) * plan.step;
    match sum_at_answered {
        Some(sum) if sum > now => now.min(least_step(plan, sum) * plan.step),
        _ => now,
    }
}

/// Returns the least number of steps after which the remaining tokens fit the room, by stored sums.
pub(super) fn least_step(plan: &Plan, sum: i64) -> i64 {
    if sum <= plan.room { 0 } else { (sum - plan.room + plan.step - 1) / plan.step }
}
