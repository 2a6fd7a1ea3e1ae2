//! Automatic upkeep: ends idle views, drops frames of abandoned subagents, and replaces old views
//! with summaries.

use std::collections::BTreeMap;

use ambit_core::{
    ActorNo, ActorRow, Answer, Command, Fate, Fossil, Key, Needs, Reach, ScopeNo, State, Tidy,
    TidyAnswer, Via, ViewEnded, ViewNo, ViewRow,
};
use ambit_store::{Run, Snapshot};

use crate::engine::{read_state, unexpected};
use crate::names::parsed;
use crate::{Caller, Engine, Result};

/// The number of rows examined at a time, to keep transactions short.
const ACTORS_MAX: i64 = 256;
const VIEWS_MAX: i64 = 64;
const EVENTS_MAX: i64 = 10_000;

/// The number of events in a vault between two automatic tidies.
const TIDY_EVERY: i64 = 128;

/// The number of retries when another process writes in between.
const TRIES_MAX: usize = 3;

/// Where to continue, in the order in which actors and views were created.
#[derive(Clone, Copy, Default)]
struct From {
    actor: ActorNo,
    view: ViewNo,
}

impl Engine {
    /// Does all upkeep that is due, in parts. Returns what was done: all zero if nothing was due,
    /// or if other processes wrote first every time.
    pub fn tidy(&self, caller: &Caller) -> Result<TidyAnswer> {
        let mut done = TidyAnswer::default();
        let mut from = Some(From::default());
        while let Some(part) = from {
            from = self.tidy_part(caller, part, &mut done)?;
        }
        Ok(done)
    }

    /// Does a part of the due upkeep each time a caller's command passes a multiple of the
    /// interval. Library callers call `tidy` themselves. If upkeep fails, the command still
    /// succeeds.
    pub(crate) fn tidy_periodically(&self, caller: &Caller, answer: &Answer) {
        let (last, many) = answer.events();
        let turn = last / TIDY_EVERY;
        if turn != (last - many) / TIDY_EVERY && caller.via != Via::Library {
            let _ = self.tidy_two_parts(&Caller { key: None, ..caller.clone() }, turn);
        }
    }

    /// Tidies the oldest part and one part further on. Otherwise rows that are never due would
    /// hide the due rows behind them.
    fn tidy_two_parts(&self, caller: &Caller, turn: i64) -> Result<()> {
        let mut done = TidyAnswer::default();
        let rest = self.tidy_part(caller, From::default(), &mut done)?;
        if rest.is_some() {
            let next = self.read(caller, &mut |snapshot| Ok(snapshot.vault().next))?;
            let from = spread(turn, next);
            self.tidy_part(caller, From { actor: ActorNo(from), view: ViewNo(from) }, &mut done)?;
        }
        Ok(())
    }

    /// Does the upkeep of one part. Returns where the next part begins.
    fn tidy_part(
        &self,
        caller: &Caller,
        from: From,
        done: &mut TidyAnswer,
    ) -> Result<Option<From>> {
        let context = self.context(caller);
        let needs = Needs::of(&context);
        let mut next = None;
        for _ in 0..TRIES_MAX {
            let due = self.read(caller, &mut |snapshot| {
                let rule = Rule::new(&read_state(snapshot, &needs)?, context.now);
                let mut due = Tidy { head: snapshot.vault().head_seq, ..Tidy::default() };
                next = find_due(snapshot, &rule, from, &mut due)?;
                Ok(due)
            })?;
            if due == (Tidy { head: due.head, ..Tidy::default() }) {
                break;
            }
            match self.run(caller, Command::Tidy(due)) {
                Ok(Answer::Tidied(answer)) => {
                    done.ended += answer.ended;
                    done.frames += answer.frames;
                    done.fossils += answer.fossils;
                    break;
                }
                Ok(other) => return Err(unexpected(&other)),
                Err(error) if error.kind() == crate::Kind::Conflict => {}
                Err(error) => return Err(error),
            }
        }
        Ok(next)
    }
}

/// Returns a number less than `below`, spread evenly over turns so that all stretches are reached
/// soon.
fn spread(turn: i64, below: i64) -> i64 {
    let golden = (turn as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((u128::from(golden) * below.max(0) as u128) >> 64) as i64
}

struct Rule {
    idle_before: i64,
    fossil_before: i64,
    context_min: i64,
}

impl Rule {
    fn new(state: &State, now: i64) -> Rule {
        let get = |key: Key| state.settings.get(ScopeNo::VAULT, key);
        Rule {
            idle_before: now - get(Key::ViewIdleSeconds) * 1_000,
            fossil_before: now - get(Key::FossilDays) * 86_400_000,
            context_min: get(Key::FossilContextMin),
        }
    }
}

fn find_due(
    snapshot: &mut dyn Snapshot,
    rule: &Rule,
    from: From,
    due: &mut Tidy,
) -> Result<Option<From>> {
    let actors = snapshot.actors_after(from.actor, ACTORS_MAX)?;
    for row in &actors {
        actor_due(snapshot, rule, row, due)?;
    }
    let views = snapshot.views_whole(from.view, VIEWS_MAX)?;
    for row in views.iter().filter(|row| row.started_at < rule.fossil_before) {
        let actor = snapshot.actors(&[row.actor])?.pop();
        if !actor.is_some_and(|it| it.view == Some(row.view) && it.view_open) {
            due.fossils.extend(summarise(snapshot, rule, row)?);
        }
    }
    // Views are ordered by their start: all views after a young one are young.
    let young = views.last().is_none_or(|row| row.started_at >= rule.fossil_before);
    let view = views.last().map(|row| row.view).filter(|_| !young);
    let actor = actors.last().map(|row| row.actor);
    Ok((actor.is_some() || view.is_some()).then_some(From {
        actor: actor.unwrap_or(ActorNo(i64::MAX)),
        view: view.unwrap_or(ViewNo(i64::MAX)),
    }))
}

fn actor_due(
    snapshot: &mut dyn Snapshot,
    rule: &Rule,
    row: &ActorRow,
    due: &mut Tidy,
) -> Result<()> {
    if let Some(view) = row.view.filter(|_| row.view_open && row.view_time < rule.idle_before) {
        due.ended.push(ViewEnded { actor: row.actor, view });
    }
    let abandoned = row.fate.is_some_and(|(fate, _)| fate == Fate::Abandoned);
    if abandoned && has_frame(snapshot, &row.name, row.home)? {
        due.frames.push(row.home);
    }
    Ok(())
}

/// Returns whether an actor's frame still exists.
fn has_frame(snapshot: &mut dyn Snapshot, actor: &str, home: ScopeNo) -> Result<bool> {
    let reach = Reach { frames: true, ..Reach::default() };
    let state = snapshot.state(&Needs { actor: actor.to_string(), reach, ..Needs::default() })?;
    Ok(state.frames.get(&home).is_some_and(|frame| !frame.is_empty()))
}

/// Returns a view's summary, or None if the view stays whole or is too long to read at once.
fn summarise(snapshot: &mut dyn Snapshot, rule: &Rule, row: &ViewRow) -> Result<Option<Fossil>> {
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

#[cfg(test)]
mod tests {
    /// Every stretch is reached in little more turns than there are stretches.
    #[test]
    fn every_stretch_is_reached_soon() {
        for (below, stretch) in [(1_000, 64), (100_000, 64), (1 << 40, 1 << 30)] {
            let stretches = (below + stretch - 1) / stretch;
            let turns = 17..17 + 4 * stretches;
            let come: std::collections::BTreeSet<_> =
                turns.map(|turn| super::spread(turn, below) / stretch).collect();
            assert_eq!(come.len() as i64, stretches, "of {below}");
        }
        assert_eq!(super::spread(5, 0), 0);
    }
}
