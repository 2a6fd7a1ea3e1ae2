//! `history`: what happened to an object, in a scope, or by an actor, in a time.

use std::collections::BTreeMap;

use ambit_core::{
    ActorNo, Event, ItemNo, Millis, Needs, Rejection, ScopeNo, ViewNo, moment, rfc3339,
};
use ambit_store::{Run, Snapshot, Streamed};

use super::ask::{Found, find};
use super::at::{last_until, not_a_moment};
use super::objects::limit;
use super::tell::{Names, event, parsed};
use super::views::{page, stream_of};
use super::{HistoryAnswer, HistoryLine, Read, ViewsRequest};
use crate::engine::read_state;
use crate::{Caller, Engine, Result};

/// Whose history, and of which time.
#[derive(Clone, Debug, Default)]
pub struct HistoryRequest {
    /// An object or a note.
    pub named: Option<String>,
    pub actor: Option<String>,
    pub scope: Option<String>,
    pub since: Option<String>,
    pub until: Option<String>,
    /// The event to go on before.
    pub before: Option<i64>,
    pub limit: Option<i64>,
    /// Changes alone, without looks and moves.
    pub changes: bool,
}

const LIMIT: i64 = 50;

/// How many views are read at a time.
const VIEWS_PAGE: i64 = 8;

impl Engine {
    pub fn history(&self, caller: &Caller, request: &HistoryRequest) -> Result<HistoryAnswer> {
        let context = self.context(caller);
        let needs = Needs::of(&context);
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let count = limit(request.limit, LIMIT)?;
            let (after, before) = window(snapshot, request, context.now)?;
            let span = Span { after, before, count, changes: request.changes };
            let mut names = Names::default();
            let (of, events) = match &request.named {
                Some(named) => {
                    if request.actor.is_some() || request.scope.is_some() {
                        let hint = "a history is a thing's, an actor's or a scope's";
                        return Err(Rejection::usage("one of them: not two", hint).into());
                    }
                    let found = find(snapshot, named)?;
                    names.learn_things(snapshot, [found.item()])?;
                    let of = names.thing(found.item()).map(|it| it.name.clone());
                    (of.unwrap_or_default(), of_thing(snapshot, &found, &span)?)
                }
                None => {
                    let stream = ViewsRequest {
                        actor: request.actor.clone(),
                        scope: request.scope.clone(),
                        ..ViewsRequest::default()
                    };
                    let (frame, of) = stream_of(snapshot, &stream, state.actor.as_ref())?;
                    match frame {
                        Some(frame) => (of, of_stream(snapshot, frame, &span)?),
                        None => (of, Vec::new()),
                    }
                }
            };
            let full = events.len() as i64 == count;
            let next = events.last().filter(|_| full).map(|event| event.seq);
            let lines = events.iter().map(|event| line(snapshot, &mut names, event));
            Ok(HistoryAnswer { of, entries: lines.collect::<Read<_>>()?, next })
        })
    }
}

/// Events after one and before another, so many.
struct Span {
    after: i64,
    before: i64,
    count: i64,
    changes: bool,
}

impl Span {
    fn takes(&self, event: &Event) -> bool {
        event.seq > self.after
            && event.seq < self.before
            && (!self.changes || event.body.what.capture().is_some())
    }
}

fn window(snapshot: &mut dyn Snapshot, request: &HistoryRequest, now: Millis) -> Read<(i64, i64)> {
    let time = |text: &Option<String>| -> Read<Option<Millis>> {
        match text {
            Some(text) => Ok(Some(moment(text, now).ok_or_else(|| not_a_moment(text))?)),
            None => Ok(None),
        }
    };
    let after = match time(&request.since)? {
        Some(since) => last_until(snapshot, since - 1)?,
        None => 0,
    };
    let until = match time(&request.until)? {
        Some(until) => last_until(snapshot, until)? + 1,
        None => i64::MAX,
    };
    Ok((after, until.min(request.before.unwrap_or(i64::MAX))))
}

/// Whatever visited or changed it.
fn of_thing(snapshot: &mut dyn Snapshot, found: &Found, span: &Span) -> Read<Vec<Event>> {
    let item: ItemNo = found.item();
    // Where only changes are asked for, looks are passed over: the versions tell.
    let mut seqs: Vec<i64> = match span.changes {
        true => Vec::new(),
        false => {
            let visits = snapshot.visits_of(item, span.before, span.count)?;
            visits.into_iter().map(|it| it.seq).collect()
        }
    };
    match found {
        Found::Object(row) => {
            let below = match span.before {
                i64::MAX => i64::MAX,
                before => snapshot
                    .version(row.item, ambit_store::Which::At(before.saturating_sub(1)))?
                    .map_or(0, |it| it.version + 1),
            };
            let versions = snapshot.versions(item, below, span.count)?;
            seqs.extend(versions.into_iter().map(|it| it.seq));
        }
        Found::Note(note, _) => seqs.push(note.seq),
    }
    seqs.sort_unstable_by(|a, b| b.cmp(a));
    seqs.dedup();
    let mut events = Vec::new();
    for seq in seqs {
        if events.len() as i64 == span.count {
            break;
        }
        events.extend(event(snapshot, seq)?.map(|it| it.event).filter(|it| span.takes(it)));
    }
    Ok(events)
}

/// What stands in a stream, and the changes captured from its frame.
fn of_stream(snapshot: &mut dyn Snapshot, frame: ScopeNo, span: &Span) -> Read<Vec<Event>> {
    let mut events: BTreeMap<i64, Event> = BTreeMap::new();
    let keep = |events: &mut BTreeMap<i64, Event>, event: Event| {
        if span.takes(&event) {
            events.insert(event.seq, event);
        }
        while events.len() as i64 > span.count {
            events.pop_first();
        }
    };
    for delta in snapshot.deltas(frame, span.before, span.count)? {
        if let Some(logged) = event(snapshot, delta.seq)? {
            keep(&mut events, logged.event);
        }
    }
    let mut walk = Walk::new(snapshot, frame, span.before)?;
    while let Some((view, bound)) = walk.next(snapshot, &events, span.count)? {
        // Of a view that was summarised, all is still told: nothing of the log is gone. Where only
        // changes are asked for, they may stand far behind looks.
        let (mut bound, mut kept) = (bound, 0);
        while kept < span.count {
            let page = snapshot.view_events(view, Run::Before(bound), span.count)?;
            let Some(last) = page.last().map(|it| it.seq) else { break };
            for stored in page {
                let event = parsed(stored)?.event;
                kept += i64::from(span.takes(&event));
                keep(&mut events, event);
            }
            bound = last;
            if last <= span.after {
                break;
            }
        }
    }
    Ok(events.into_values().rev().collect())
}

/// A walk back through a stream, no further than the latest events need.
struct Walk {
    frame: ScopeNo,
    page: Vec<Streamed>,
    /// Where the next page of views ends, and all events that are asked for.
    before: i64,
    before_events: i64,
    /// Where each actor's views begin that were walked through: its earlier ones end before.
    walked: BTreeMap<ActorNo, i64>,
    /// Whoever may still have a view here that was not come to, and its last moment.
    awaited: BTreeMap<ActorNo, Millis>,
}

impl Walk {
    fn new(snapshot: &mut dyn Snapshot, frame: ScopeNo, before: i64) -> Read<Walk> {
        let known = snapshot.contributors(frame)?;
        let awaited = known.into_iter().map(|row| (row.actor, row.view_time)).collect();
        let (page, walked) = (Vec::new(), BTreeMap::new());
        Ok(Walk { frame, page, before, before_events: before, walked, awaited })
    }

    /// The next view that may have later events than those at hand, and the event before which they
    /// stand. None where there is none.
    fn next(
        &mut self,
        snapshot: &mut dyn Snapshot,
        events: &BTreeMap<i64, Event>,
        count: i64,
    ) -> Read<Option<(ViewNo, i64)>> {
        let full = events.len() as i64 == count;
        loop {
            let least = events.first_key_value().map_or((0, 0), |(seq, it)| (*seq, it.time));
            let later = self.awaited.values().any(|time| *time >= least.1)
                || self.walked.values().any(|began| *began > least.0);
            if full && !later {
                return Ok(None);
            }
            if self.page.is_empty() {
                self.page = page(snapshot, self.frame, Run::Before(self.before), VIEWS_PAGE)?;
                self.page.reverse();
            }
            let Some(it) = self.page.pop() else {
                return Ok(None);
            };
            if self.page.is_empty() {
                self.before = it.row.position;
            }
            // A merge has no events of its own, and begins with one of another view.
            if it.view.merges.is_some() {
                continue;
            }
            let bound = self.walked.insert(it.view.actor, it.view.started_seq);
            self.awaited.remove(&it.view.actor);
            let bound = bound.unwrap_or(i64::MAX).min(self.before_events);
            if !full || bound > least.0 {
                return Ok(Some((it.view.view, bound)));
            }
        }
    }
}

fn line(snapshot: &mut dyn Snapshot, names: &mut Names, event: &Event) -> Read<HistoryLine> {
    let action = names.action(snapshot, event)?;
    let context = match event.body.what.capture() {
        Some((items, _)) => {
            names.learn_things(snapshot, items.iter().copied())?;
            Some(names.ids(items))
        }
        None => None,
    };
    Ok(HistoryLine {
        event: event.seq,
        timestamp: rfc3339(event.time),
        actor: names.actor(snapshot, event.actor)?.1,
        of_type: action.of_type,
        target: action.target,
        name: action.name,
        context,
        view: match event.view {
            Some(view) => Some(names.view(snapshot, view)?),
            None => None,
        },
    })
}
