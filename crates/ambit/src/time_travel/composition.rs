//! Composes what a model would have been shown at a past moment: the scope as it was then, always
//! in layers, because a past composition needs no prompt cache.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::compose::{
    Author, Composition, Items, LEADING_BLOCKS, Layout, NoteRange, NoteShown, Places, Plan, Shown,
    compose, gather,
};
use ambit_core::{ActorNo, Form, Inherit, Key, Millis, Needs, Reach, ScopeNo, ScopeRow, State};
use ambit_store::Snapshot;

use crate::conversation::messages::count;
use crate::engine::read_state;
use crate::names::time_of;
use crate::objects::frames::frame_names_at;
use crate::time_travel::standing::primary_scope_at;
use crate::time_travel::{event_at, require_existed};
use crate::{Caller, Engine, Error, QuestionRefusal, Request, Result};

/// The number of blocks read at a time, from the end backwards: first, and later.
const PAGE: i64 = 64;
const PAGE_MAX: i64 = 1_024;

impl Engine {
    /// Composes what a model would have been shown at an event or a time. Writes nothing.
    pub fn compose_at(&self, caller: &Caller, request: &Request, at: &str) -> Result<Composition> {
        let context = self.context(caller);
        if request.layout == Some(Layout::Stable) || caller.expect_head.is_some() {
            return Err(QuestionRefusal::PastLayout.into());
        }
        let layout = Some(Layout::Layered);
        let asked = ambit_core::Request { layout, ..request.counted()? };
        self.read(caller, &mut |snapshot| {
            let reach = Reach { insights: true, ..Reach::default() };
            let mut needs = Needs { reach, ..Needs::of(&context) };
            let at = event_at(snapshot, at, context.now)?;
            if needs.pin.is_none() {
                let state = read_state(snapshot, &needs)?;
                needs.pin = Some(primary_scope_at(snapshot, &state, at)?.id);
            }
            let mut state = read_state(snapshot, &needs)?;
            let row = state.working_scope(needs.pin.as_deref())?;
            require_existed(row, at)?;
            let scope = row.scope;
            let end = snapshot.end_at(scope, at)?;
            set_state_to(&mut state, scope, at, end);
            if let Some(it) = state.scopes.get_mut(&ScopeNo::VAULT) {
                let insights = NoteRange::Before { seq: at + 1 };
                it.row.notes = snapshot.notes(ScopeNo::VAULT, insights, 1)?.len() as i64;
            }
            let mut plan = Plan::new(&state, needs.pin.as_deref(), &asked, context.now)?;
            let (shown, cut) = last_that_fit(snapshot, &[(scope, at)], plan.room)?;
            if let Some(waits) = open_calls(&state, &shown) {
                let idle_ms = state.settings.get(scope, Key::IdleSeconds) * 1000;
                let since = time_of(snapshot, at)? - waits.time;
                if since <= idle_ms {
                    (plan.open, plan.end) = (Some(waits.position), waits.position);
                }
            }
            if let Some(it) = state.scopes.get_mut(&scope) {
                it.row.sum = shown.iter().map(|block| block.tokens).sum();
            }
            let notes_max = plan.notes_shown;
            let mut past = Past { snapshot, scope, at, end, notes_max, shown };
            let mut items = gather(&mut past, &state, &plan)?;
            if cut.is_some() {
                items.from = first_position(&items.messages);
                items.leading = leading(snapshot, (scope, at))?;
                let authors = items.leading.iter().map(|it| it.author).collect();
                items.authors.append(&mut snapshot.authors(&authors)?);
                items.cut = cut;
            }
            items.inherited_messages = inherited_messages(snapshot, &state, &plan)?;
            if plan.caps.mind.is_some() {
                items.mind = frame_names_at(snapshot, &state, scope, at)?;
            }
            Ok(compose(&state, &plan, &items, None, &count)?)
        })
    }
}

/// Adjusts the State to the past event: no turn was answered yet, and no call is open.
fn set_state_to(state: &mut State, scope: ScopeNo, at: i64, end: i64) {
    state.presence.remove(&scope);
    state.calls.clear();
    state.vault.boundary = 0;
    if let Some(it) = state.scopes.get_mut(&scope) {
        (it.row.next_position, it.row.head, it.row.boundary) = (end, at, 0);
    }
}

/// Returns the reader's open calls at the end of the shown messages, if any: where they began, and
/// the time of the reader's last event.
fn open_calls(state: &State, shown: &[Shown]) -> Option<OpenCalls> {
    let reader = state.actor.as_ref()?.actor;
    let own = || shown.iter().rev().filter(|block| block.author == reader);
    let last = own().find(|block| block.call.is_none())?;
    let answered: BTreeSet<_> = shown.iter().filter_map(|block| block.call).collect();
    let calls = shown.iter().filter(|it| it.turn == last.turn && it.form == Form::Call);
    let open = calls.clone().any(|it| !answered.contains(&it.item));
    let time = own().next()?.time;
    open.then_some(OpenCalls { position: last.anchor, time })
}

struct OpenCalls {
    position: i64,
    time: Millis,
}

/// Returns the messages that a subagent's scope inherits: those of the scope it was forked from,
/// as of the fork, and what that scope inherits in turn.
pub(crate) fn inherited_messages(
    snapshot: &mut dyn Snapshot,
    state: &State,
    plan: &Plan,
) -> Result<Option<Box<Items>>> {
    let Some(inner) = plan.of_inherited(&[]) else {
        return Ok(None);
    };
    let mut stretches = Vec::new();
    let mut child = plan.scope;
    while let Some(row) = snapshot.scope_row(child)?.filter(|row| row.inherit == Inherit::Full) {
        let Some(parent) = row.parent else { break };
        stretches.push((parent, row.created_seq));
        child = parent;
    }
    let mut items = Items { own: reader_and_ancestors(snapshot, state)?, ..Items::default() };
    let (mut messages, mut cut) = last_that_fit(snapshot, &stretches, inner.room)?;
    // The omitted messages may begin with instructions, which stay in sight and take room.
    if let (Some(_), Some(first)) = (&cut, stretches.last()) {
        items.leading = leading(snapshot, *first)?;
        let room = plan.of_inherited(&items.leading).map_or(0, |plan| plan.room);
        if room < inner.room {
            (messages, cut) = last_that_fit(snapshot, &stretches, room)?;
        }
    }
    items.from = cut.as_ref().map_or(0, |_| first_position(&messages));
    let authors = messages.iter().chain(&items.leading).map(|it| it.author).collect();
    items.authors = snapshot.authors(&authors)?;
    items.sum_at_end = messages.iter().map(|it| it.tokens).sum();
    (items.messages, items.cut) = (messages, cut);
    Ok(Some(Box::new(items)))
}

/// Returns the reader and all its ancestors.
fn reader_and_ancestors(snapshot: &mut dyn Snapshot, state: &State) -> Result<BTreeSet<ActorNo>> {
    let mut line = BTreeSet::new();
    let mut at = state.actor.as_ref().map(|actor| (actor.actor, actor.parent));
    while let Some((actor, parent)) = at {
        line.insert(actor);
        at = match parent {
            Some(parent) => snapshot.actors(&[parent])?.pop().map(|row| (row.actor, row.parent)),
            None => None,
        };
    }
    Ok(line)
}

/// Returns the blocks that a scope began with at an event.
fn leading(snapshot: &mut dyn Snapshot, (scope, at): (ScopeNo, i64)) -> Result<Vec<Shown>> {
    let end = snapshot.end_at(scope, at)?;
    Ok(snapshot.leading_at(scope, at, end, LEADING_BLOCKS as i64 + 1)?)
}

fn first_position(messages: &[Shown]) -> i64 {
    messages.first().map_or(i64::MAX, |first| first.position)
}

/// The distance between the positions of two scopes that are shown as one conversation.
const APART: i64 = 1 << 40;

/// Returns the last messages of some scopes, each at an event: as many whole turns as fit, and the
/// first block that did not. The last scope comes first.
fn last_that_fit(
    snapshot: &mut dyn Snapshot,
    stretches: &[(ScopeNo, i64)],
    room: i64,
) -> Result<(Vec<Shown>, Option<Shown>)> {
    let (mut shown, mut tokens, mut cut) = (Vec::new(), 0, None);
    let (mut first, mut seen) = (None, BTreeSet::new());
    'stretches: for ((scope, at), apart) in stretches.iter().zip((0..stretches.len()).rev()) {
        let (mut before, mut limit) = (snapshot.end_at(*scope, *at)?, PAGE);
        loop {
            let page = snapshot.shown_at(*scope, *at, before, limit)?;
            let Some(last) = page.last().map(|block| block.position) else { break };
            (before, limit) = (last, (limit * 2).min(PAGE_MAX));
            for mut block in page {
                // A carried chain is shown in the scope it was carried to.
                if !seen.insert(block.item) {
                    continue;
                }
                let position = apart as i64 * APART + block.position;
                let begins = *first.get_or_insert(apart as i64 * APART + block.anchor);
                tokens += block.tokens;
                // The last turn, or batch, is always read: a stub may replace it.
                if tokens > room && position < begins {
                    cut = Some(block);
                    break 'stretches;
                }
                block.anchor += position - block.position;
                block.position = position;
                shown.push(block);
            }
        }
    }
    shown.reverse();
    // A turn whose beginning does not fit is left out as a whole.
    let turn = shown.first().filter(|first| first.block > 0).map(|first| first.turn);
    // So is a reply without its call.
    let here: BTreeSet<_> = shown.iter().map(|block| block.item).collect();
    let alone = |block: &&Shown| block.call.is_some_and(|call| !here.contains(&call));
    let replies = shown.iter().filter(|_| cut.is_some()).filter(alone).map(|block| block.turn);
    let gone: BTreeSet<_> = replies.chain(turn).collect();
    shown.retain(|block| !gone.contains(&block.turn));
    Ok((shown, cut))
}

/// A scope as it was at an event.
struct Past<'a> {
    snapshot: &'a mut dyn Snapshot,
    scope: ScopeNo,
    at: i64,
    end: i64,
    notes_max: i64,
    shown: Vec<Shown>,
}

impl Places for Past<'_> {
    type Error = Error;

    fn sum_before(&mut self, _: ScopeNo, position: i64) -> Result<i64> {
        let before = self.shown.iter().filter(|block| block.position < position);
        Ok(before.map(|block| block.tokens).sum())
    }

    fn place_at(&mut self, _: ScopeNo, tokens: i64) -> Result<Option<i64>> {
        let mut sum = 0;
        let over = self.shown.iter().find(|block| {
            sum += block.tokens;
            sum > tokens
        });
        Ok(over.map(|block| block.position))
    }

    fn messages(&mut self, _: ScopeNo, from: i64, to: i64) -> Result<Vec<Shown>> {
        let within = self.shown.iter().filter(|block| (from..to).contains(&block.position));
        Ok(within.cloned().collect())
    }

    fn leading(&mut self, scope: ScopeNo, limit: i64) -> Result<Vec<Shown>> {
        Ok(self.snapshot.leading_at(scope, self.at, self.end, limit)?)
    }

    fn notes(&mut self, scope: ScopeNo, range: NoteRange, limit: i64) -> Result<Vec<NoteShown>> {
        let (from, to) = match range {
            NoteRange::Places { from, to } => (from, to),
            NoteRange::Before { .. } => return Ok(self.snapshot.notes(scope, range, limit)?),
        };
        // Only the last notes are shown, in the notes layer: no note is looked up by its place.
        let limit = if scope == self.scope { limit.min(self.notes_max) } else { limit };
        let before = NoteRange::Before { seq: self.at + 1 };
        let mut notes = self.snapshot.notes(scope, before, limit)?;
        notes.retain(|note| (from..to).contains(&note.position));
        Ok(notes)
    }

    fn authors(&mut self, actors: &BTreeSet<ActorNo>) -> Result<BTreeMap<ActorNo, Author>> {
        Ok(self.snapshot.authors(actors)?)
    }

    fn scope_row(&mut self, scope: ScopeNo) -> Result<Option<ScopeRow>> {
        Ok(self.snapshot.scope_row(scope)?)
    }
}
