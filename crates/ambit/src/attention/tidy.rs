//! What is due and nobody has to ask for: idle views end, frames of abandoned subagents go, and old
//! views are kept as summaries.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::{
    ActorNo, Answer, Command, Due, Fate, Fossil, Key, Needs, Reach, ScopeNo, TidyAnswer, Via,
    ViewEnded, ViewNo, ViewRow,
};
use ambit_store::{Run, Snapshot};

use super::Read;
use super::tell::parsed;
use crate::engine::{read_state, unexpected};
use crate::{Caller, Engine, Result};

/// How much is done at once, so that nobody waits long for it.
const VIEWS_MAX: i64 = 64;
const EVENTS_MAX: i64 = 10_000;

/// After how many events of a vault it is looked for what is due.
const TIDY_EVERY: i64 = 128;

/// How often it is looked for again where somebody writes in between.
const TRIES_MAX: usize = 3;

impl Engine {
    /// Does what is due, a part at a time. Gives what was done: all zero where nothing was, or
    /// where others were always quicker.
    pub fn tidy(&self, caller: &Caller) -> Result<TidyAnswer> {
        let context = self.context(caller);
        let needs = Needs::of(&context);
        for _ in 0..TRIES_MAX {
            let due = self.read(caller, &mut |snapshot| {
                let state = read_state(snapshot, &needs)?;
                let get = |key: Key| state.settings.get(ScopeNo::VAULT, key);
                let rule = Rule {
                    idle_before: context.now - get(Key::ViewIdleSeconds) * 1_000,
                    fossil_before: context.now - get(Key::FossilDays) * 86_400_000,
                    context_min: get(Key::FossilContextMin),
                };
                due(snapshot, &rule)
            })?;
            if due == (Due { head: due.head, ..Due::default() }) {
                break;
            }
            match self.run(caller, Command::Tidy(due)) {
                Ok(Answer::Tidied(answer)) => return Ok(answer),
                Ok(other) => return Err(unexpected(&other)),
                Err(error) if error.kind() == crate::Kind::Conflict => {}
                Err(error) => return Err(error),
            }
        }
        Ok(TidyAnswer::default())
    }
}

impl Engine {
    /// Whoever brings a vault over another hundred events or so does what is due. A program that
    /// calls the library does it when it likes. It is upkeep: where it fails, the command stands.
    pub(crate) fn tidy_now_and_then(&self, caller: &Caller, answer: &Answer) {
        let (last, many) = answer.events();
        let due = last / TIDY_EVERY != (last - many) / TIDY_EVERY;
        if due && caller.via != Via::Library {
            let _ = self.tidy(&Caller { key: None, ..caller.clone() });
        }
    }
}

struct Rule {
    idle_before: i64,
    fossil_before: i64,
    context_min: i64,
}

fn due(snapshot: &mut dyn Snapshot, rule: &Rule) -> Read<Due> {
    let mut due = Due { head: snapshot.vault().head_seq, ..Due::default() };
    let mut after = ViewNo(0);
    let mut looked = 0;
    let mut actors = BTreeSet::new();
    loop {
        let page = snapshot.views_whole(after, VIEWS_MAX)?;
        let Some(last) = page.last().map(|row| row.view) else { break };
        for row in page {
            // Views come in the order in which they began.
            if row.started_at >= rule.fossil_before.max(rule.idle_before) {
                return Ok(due);
            }
            if actors.insert(row.actor) {
                frames_due(snapshot, row.actor, &mut due)?;
            }
            view_due(snapshot, rule, &row, &mut due)?;
            looked += 1;
        }
        if due.fossils.len() as i64 >= VIEWS_MAX || looked >= 16 * VIEWS_MAX {
            break;
        }
        after = last;
    }
    Ok(due)
}

fn view_due(snapshot: &mut dyn Snapshot, rule: &Rule, row: &ViewRow, due: &mut Due) -> Read<()> {
    let actor = snapshot.actors(&[row.actor])?.pop();
    let open = actor.as_ref().is_some_and(|it| it.view == Some(row.view) && it.view_open);
    let idle = actor.as_ref().is_some_and(|it| it.view_time < rule.idle_before);
    if open && idle {
        due.ended.push(ViewEnded { actor: row.actor, view: row.view });
    }
    let over = !open && row.merges.is_none();
    if over && row.started_at < rule.fossil_before && (due.fossils.len() as i64) < VIEWS_MAX {
        due.fossils.extend(fossil(snapshot, rule, row)?);
    }
    Ok(())
}

/// The frames of the abandoned that an actor leads to: its own, and those of whom it forked, for a
/// subagent that never did anything has no view to be found by.
fn frames_due(snapshot: &mut dyn Snapshot, actor: ActorNo, due: &mut Due) -> Read<()> {
    let mut rows = snapshot.actors(&[actor])?;
    rows.extend(snapshot.children(actor)?);
    for row in rows {
        if row.fate.is_some_and(|(fate, _)| fate == Fate::Abandoned)
            && !due.frames.contains(&row.home)
            && holds(snapshot, &row.name, row.home)?
        {
            due.frames.push(row.home);
        }
    }
    Ok(())
}

/// Whether an actor's frame is still there.
fn holds(snapshot: &mut dyn Snapshot, actor: &str, home: ScopeNo) -> Read<bool> {
    let reach = Reach { frames: true, ..Reach::default() };
    let state = snapshot.state(&Needs { actor: actor.to_string(), reach, ..Needs::default() })?;
    Ok(state.frames.get(&home).is_some_and(|frame| !frame.is_empty()))
}

/// A view's summary; none where it is to stay whole, or is too long to be told at once.
fn fossil(snapshot: &mut dyn Snapshot, rule: &Rule, row: &ViewRow) -> Read<Option<Fossil>> {
    let events = snapshot.view_events(row.view, Run::After(0), EVENTS_MAX)?;
    if events.len() as i64 == EVENTS_MAX {
        return Ok(None);
    }
    let mut actions: BTreeMap<&'static str, i64> = BTreeMap::new();
    let (mut visited, mut ended_seq) = (Vec::new(), row.started_seq);
    for stored in events {
        let logged = parsed(stored)?;
        let what = &logged.event.body.what;
        if logged.event.time >= rule.fossil_before {
            return Ok(None);
        }
        let context = what.capture().map_or(0, |(items, _)| items.len() as i64);
        if rule.context_min > 0 && context >= rule.context_min {
            return Ok(None);
        }
        *actions.entry(what.word()).or_default() += 1;
        if let Some((item, _)) = what.visit()
            && !visited.contains(&item)
        {
            visited.push(item);
        }
        ended_seq = logged.event.seq;
    }
    let actions = actions.into_iter().map(|(word, count)| (word.to_string(), count)).collect();
    Ok(Some(Fossil { view: row.view, actions, visited, ended_seq }))
}
