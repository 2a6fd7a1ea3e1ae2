//! What a model would have been shown at a moment that was: the scope as it stood then, in layers,
//! for there is no prompt cache to keep.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::compose::{
    Author, Composition, Layout, NoteRange, NoteShown, Places, Plan, Shown, compose, gather,
};
use ambit_core::{ActorNo, Needs, Reach, ScopeNo, ScopeRow, Setting, State};
use ambit_store::{Error, Snapshot};

use super::Read;
use super::at::{event_at, was_there};
use super::frames::mind_at;
use crate::engine::{counted, read_state};
use crate::messages::count;
use crate::{Caller, Engine, Request, Result};

/// How many blocks are read at a time, from the end backwards.
const PAGE: i64 = 64;

impl Engine {
    /// Composes what a model would have been shown at an event or a time. Writes nothing.
    pub fn compose_at(&self, caller: &Caller, request: &Request, at: &str) -> Result<Composition> {
        let context = self.context(caller);
        if let Some(budget) = request.budget {
            Setting::find("budget")?.parse(&budget.to_string())?;
        }
        let asked = ambit_core::Request {
            budget: request.budget,
            layout: Some(Layout::Layered),
            system: request.system.as_deref().filter(|text| !text.is_empty()).map(counted),
            format: request.format,
        };
        self.read(caller, &mut |snapshot| {
            let reach = Reach { insights: true, ..Reach::default() };
            let mut state = read_state(snapshot, &Needs { reach, ..Needs::of(&context) })?;
            let at = event_at(snapshot, at, context.now)?;
            let row = state.working_scope(context.pin.as_deref())?;
            was_there(row, at)?;
            let scope = row.scope;
            let end = snapshot.end_at(scope, at)?;
            then(&mut state, scope, at, end);
            let plan = Plan::new(&state, context.pin.as_deref(), &asked, context.now)?;
            let shown = last_that_fit(snapshot, scope, (at, end), plan.room)?;
            if let Some(it) = state.scopes.get_mut(&scope) {
                it.row.sum = shown.iter().map(|block| block.tokens).sum();
            }
            let mut past = Past { snapshot, scope, at, shown };
            let mut items = gather(&mut past, &state, &plan)?;
            if plan.mind_cap.is_some() {
                items.mind = mind_at(snapshot, &state, scope, at)?;
            }
            Ok(compose(&state, &plan, &items, None, &count)?)
        })
    }
}

/// The State as far as a composition goes by it: nothing was answered, and nothing waits.
fn then(state: &mut State, scope: ScopeNo, at: i64, end: i64) {
    state.presence.remove(&scope);
    state.calls.clear();
    state.vault.boundary = 0;
    if let Some(it) = state.scopes.get_mut(&scope) {
        (it.row.next_position, it.row.head, it.row.boundary) = (end, at, 0);
    }
}

/// The last messages that a scope showed at an event, as many whole turns as fit.
fn last_that_fit(
    snapshot: &mut dyn Snapshot,
    scope: ScopeNo,
    (at, end): (i64, i64),
    room: i64,
) -> Read<Vec<Shown>> {
    let (mut shown, mut tokens, mut before) = (Vec::new(), 0, end);
    'pages: loop {
        let page = snapshot.shown_at(scope, at, before, PAGE)?;
        let Some(last) = page.last().map(|block| block.position) else { break };
        before = last;
        for block in page {
            tokens += block.tokens;
            if tokens > room {
                break 'pages;
            }
            shown.push(block);
        }
    }
    shown.reverse();
    // A turn of which the beginning does not fit goes as a whole.
    let cut = shown.first().filter(|first| first.block > 0).map(|first| first.turn);
    shown.retain(|block| Some(block.turn) != cut);
    Ok(shown)
}

/// A scope as it stood at an event.
struct Past<'a> {
    snapshot: &'a mut dyn Snapshot,
    scope: ScopeNo,
    at: i64,
    shown: Vec<Shown>,
}

impl Places for Past<'_> {
    type Error = Error;

    fn sum_before(&mut self, _: ScopeNo, position: i64) -> Read<i64> {
        let before = self.shown.iter().filter(|block| block.position < position);
        Ok(before.map(|block| block.tokens).sum())
    }

    fn place_at(&mut self, _: ScopeNo, tokens: i64) -> Read<Option<i64>> {
        let mut sum = 0;
        let over = self.shown.iter().find(|block| {
            sum += block.tokens;
            sum > tokens
        });
        Ok(over.map(|block| block.position))
    }

    fn messages(&mut self, _: ScopeNo, from: i64, to: i64) -> Read<Vec<Shown>> {
        let within = self.shown.iter().filter(|block| (from..to).contains(&block.position));
        Ok(within.cloned().collect())
    }

    fn leading(&mut self, scope: ScopeNo, limit: i64) -> Read<Vec<Shown>> {
        self.snapshot.leading_at(scope, self.at, limit)
    }

    fn notes(&mut self, scope: ScopeNo, range: NoteRange, limit: i64) -> Read<Vec<NoteShown>> {
        let (from, to) = match range {
            NoteRange::Places { from, to } => (from, to),
            NoteRange::Before { .. } => return self.snapshot.notes(scope, range, limit),
        };
        // Only the last of them are shown, in layers: none has to be looked for in its place.
        let limit = if scope == self.scope { limit.min(PAGE) } else { limit };
        let before = NoteRange::Before { seq: self.at + 1 };
        let mut notes = self.snapshot.notes(scope, before, limit)?;
        notes.retain(|note| (from..to).contains(&note.position));
        Ok(notes)
    }

    fn authors(&mut self, actors: &BTreeSet<ActorNo>) -> Read<BTreeMap<ActorNo, Author>> {
        self.snapshot.authors(actors)
    }

    fn scope_row(&mut self, scope: ScopeNo) -> Read<Option<ScopeRow>> {
        self.snapshot.scope_row(scope)
    }
}
