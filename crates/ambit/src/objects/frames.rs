//! Frames: the items visited last, now or at a past moment, and `break`.

use ambit_core::compose::Plan;
use ambit_core::{
    ActorRow, Command, Forked, FrameChange, ItemNo, Key, Needs, Reach, ScopeNo, StandsAnswer,
    State, What,
};
use ambit_store::{Run, Snapshot};

use crate::engine::read_state;
use crate::names::{Names, event};
use crate::time_travel::{event_at, require_existed};
use crate::{Caller, ContextAnswer, Engine, Result};

/// How many visits are read to reconstruct a frame from an old log, which did not store frames.
const OLD_VISITS_MAX: i64 = 1_000;

impl Engine {
    /// Records a break: earlier visits are no longer captured.
    pub fn context_break(&self, caller: &Caller) -> Result<StandsAnswer> {
        self.run_switch(caller, Command::Break)
    }

    /// Returns the frame of the actor or of a scope, most recent first.
    pub fn context_of(
        &self,
        caller: &Caller,
        scope: Option<&str>,
        at: Option<&str>,
    ) -> Result<ContextAnswer> {
        let context = self.context(caller);
        let reach = Reach { frames: true, ..Reach::default() };
        let mut needs = Needs { reach, ..Needs::of(&context) };
        needs.scopes.extend(scope.map(str::to_string));
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let own = state.actor.as_ref();
            let frame = match scope {
                Some(name) => Some(state.scope_named(name)?.scope),
                None => own.map(|actor| actor.home),
            };
            let at = at.map(|at| event_at(snapshot, at, context.now)).transpose()?;
            if let (Some(name), Some(at)) = (scope, at) {
                require_existed(state.scope_named(name)?, at)?;
            }
            let size = state.settings.get(frame.unwrap_or(ScopeNo::VAULT), Key::FrameSize);
            let broke = own.map_or(0, |actor| actor.break_seq);
            let (items, before_break) = match (frame, at) {
                (None, _) => (Vec::new(), 0),
                (Some(frame), Some(at)) => (frame_at(snapshot, frame, at, size)?, 0),
                (Some(frame), None) => {
                    let held = state.frames.get(&frame).cloned().unwrap_or_default();
                    let shown = held.iter().take(size as usize);
                    let old = shown.clone().filter(|it| it.last_seq <= broke).count();
                    (shown.map(|it| it.item).collect(), old as i64)
                }
            };
            let mut names = Names::default();
            names.load_things(snapshot, items.iter().copied())?;
            let (id, scope) = match frame {
                Some(frame) => names.scope(snapshot, frame)?,
                None => Default::default(),
            };
            Ok(ContextAnswer {
                actor: own.map_or_else(|| caller.actor.clone(), |actor| actor.name.clone()),
                frame: id,
                scope,
                context: names.ids(&items),
                things: items.iter().filter_map(|it| names.thing(*it).cloned()).collect(),
                size,
                before_break,
                at,
            })
        })
    }
}

/// Returns the names in a scope's frame when a reader's epoch there began. Reads the frame before
/// the epoch's first event, so the result is the same before and after the reader's first turn.
pub(crate) fn frame_names_at_epoch(
    snapshot: &mut dyn Snapshot,
    state: &State,
    plan: &Plan,
) -> Result<Vec<String>> {
    frame_names_at(snapshot, state, plan.scope, plan.epoch - 1)
}

/// Returns the names in a scope's frame right after an event.
pub(crate) fn frame_names_at(
    snapshot: &mut dyn Snapshot,
    state: &State,
    scope: ScopeNo,
    at: i64,
) -> Result<Vec<String>> {
    let size = state.settings.get(scope, Key::FrameSize);
    let items = frame_at(snapshot, scope, at, size)?;
    let mut names = Names::default();
    names.load_things(snapshot, items.iter().copied())?;
    let named = items.iter().take(size as usize).filter_map(|item| names.thing(*item));
    Ok(named.map(|thing| format!("{} ({})", thing.name, thing.of_type)).collect())
}

/// Returns a frame right after an event: the result of its last visit until then.
pub(crate) fn frame_at(
    snapshot: &mut dyn Snapshot,
    frame: ScopeNo,
    at: i64,
    size: i64,
) -> Result<Vec<ItemNo>> {
    if owner(snapshot, frame)?.and_then(|row| row.fate).is_some_and(|(_, seq)| seq <= at) {
        return Ok(Vec::new());
    }
    let last = snapshot.visits(&[(frame, Run::Before(at + 1))], 1)?.remove(0).pop();
    let Some(last) = last else {
        return initial_items(snapshot, frame, at);
    };
    let logged = event(snapshot, last.seq)?;
    let visit = logged.as_ref().and_then(|it| it.event.body.what.visit());
    let change = visit.and_then(|(_, frames)| frames.iter().find(|it| it.frame == frame));
    if let Some(FrameChange { behind: Some(behind), .. }) = change {
        return Ok([&[last.item], behind.as_slice()].concat());
    }
    // An old log does not store frames: they are reconstructed visit by visit.
    let visits = snapshot.visits(&[(frame, Run::Before(at + 1))], OLD_VISITS_MAX)?.remove(0);
    let mut items = Vec::new();
    for visit in visits {
        if !items.contains(&visit.item) && (items.len() as i64) < size {
            items.push(visit.item);
        }
    }
    Ok(items)
}

/// Returns the actor whose home a frame is.
pub(crate) fn owner(snapshot: &mut dyn Snapshot, frame: ScopeNo) -> Result<Option<ActorRow>> {
    let owner = snapshot.scopes_numbered(&[frame])?.pop().and_then(|row| row.owner);
    match owner {
        Some(actor) => Ok(snapshot.actors(&[actor])?.pop()),
        None => Ok(None),
    }
}

/// Returns a frame's items before its first visit: none, or those copied at a fork.
fn initial_items(snapshot: &mut dyn Snapshot, frame: ScopeNo, at: i64) -> Result<Vec<ItemNo>> {
    let created = snapshot.scopes_numbered(&[frame])?.pop().map_or(0, |row| row.created_seq);
    if created > at {
        return Ok(Vec::new());
    }
    let logged = event(snapshot, created)?;
    let Some(What::Forked(Forked { child, scope, .. })) = logged.map(|it| it.event.body.what)
    else {
        return Ok(Vec::new());
    };
    let copied = if scope == frame { child.scope_mind } else { child.mind };
    Ok(copied.into_iter().map(|it| it.item).collect())
}
