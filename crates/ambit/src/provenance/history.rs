//! `history`: the events of an object, a scope or an actor, within a period.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::{
    ActorRow, Event, ItemNo, Millis, Needs, ObjectPut, ScopeNo, ViewNo, What, moment,
    moment_through, rfc3339,
};
use ambit_store::{Run, Snapshot, Streamed};

use crate::engine::read_state;
use crate::lookup::find;
use crate::names::{Names, event, missing, parsed};
use crate::objects::frames::owner;
use crate::objects::limit;
use crate::provenance::views::{page, stream_of};
use crate::time_travel::{invalid_moment, last_until};
use crate::{Caller, Engine, HistoryAnswer, HistoryLine, QuestionRefusal, Result};

/// Whose history to list, and for which period.
#[derive(Clone, Debug, Default)]
pub struct HistoryRequest {
    /// An object or a note.
    pub named: Option<String>,
    pub actor: Option<String>,
    pub scope: Option<String>,
    pub since: Option<String>,
    pub until: Option<String>,
    /// The event before which the page begins.
    pub before: Option<i64>,
    pub limit: Option<i64>,
    /// Only changes, without visits and switches of scope.
    pub changes: bool,
}

const LIMIT: i64 = 50;

/// The number of views read at a time.
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
                        let (one, other) = ("a thing", "an actor or a scope");
                        return Err(QuestionRefusal::Both { one, other }.into());
                    }
                    let found = find(snapshot, named)?;
                    names.load_things(snapshot, [found.item()])?;
                    let item = found.item();
                    let of = names.thing(item).ok_or_else(|| missing("item", item))?.name.clone();
                    (of, of_thing(snapshot, item, &span)?)
                }
                None => {
                    let (actor, scope) = (request.actor.as_deref(), request.scope.as_deref());
                    let (frame, of) = stream_of(snapshot, actor, scope, state.actor.as_ref())?;
                    match frame {
                        Some(frame) => (of, of_stream(snapshot, frame, &span)?),
                        None => (of, Vec::new()),
                    }
                }
            };
            let full = events.len() as i64 == count;
            let next = events.last().filter(|_| full).map(|event| event.seq);
            let lines = events.iter().map(|event| line(snapshot, &mut names, event));
            Ok(HistoryAnswer { of, entries: lines.collect::<Result<_>>()?, next })
        })
    }
}

/// The number of events of a view that are read first.
const VIEW_EVENTS_FIRST: i64 = 4;

/// The latest `count` events after one event and before another.
struct Span {
    after: i64,
    before: i64,
    count: i64,
    changes: bool,
}

/// The latest events of a span found so far.
struct Latest<'a> {
    span: &'a Span,
    events: BTreeMap<i64, Event>,
}

impl Latest<'_> {
    fn keep(&mut self, event: Event) {
        if event.seq > self.after() && event.seq < self.span.before {
            self.events.insert(event.seq, event);
        }
        while self.events.len() as i64 > self.span.count {
            self.events.pop_first();
        }
    }

    /// Returns the event after which further events are still relevant.
    fn after(&self) -> i64 {
        let full = self.events.len() as i64 == self.span.count;
        let least = self.events.first_key_value().map(|(seq, _)| *seq);
        least.filter(|_| full).unwrap_or(0).max(self.span.after)
    }

    fn latest_first(self) -> Vec<Event> {
        self.events.into_values().rev().collect()
    }
}

fn window(
    snapshot: &mut dyn Snapshot,
    request: &HistoryRequest,
    now: Millis,
) -> Result<(i64, i64)> {
    type Means = fn(&str, Millis) -> Option<Millis>;
    let time = |text: &Option<String>, means: Means| -> Result<Option<Millis>> {
        match text {
            Some(text) => Ok(Some(means(text, now).ok_or_else(|| invalid_moment(text))?)),
            None => Ok(None),
        }
    };
    let (since, until) = (time(&request.since, moment)?, time(&request.until, moment_through)?);
    if let (Some(first), Some(last)) = (since, until)
        && first > last
    {
        let text = |it: &Option<String>| it.clone().unwrap_or_default();
        let (since, until) = (text(&request.since), text(&request.until));
        return Err(QuestionRefusal::SinceAfterUntil { since, until }.into());
    }
    let after = match since {
        Some(since) => last_until(snapshot, since - 1)?,
        None => 0,
    };
    let until = match until {
        Some(until) => last_until(snapshot, until)? + 1,
        None => i64::MAX,
    };
    Ok((after, until.min(request.before.unwrap_or(i64::MAX))))
}

/// Returns the events that visited or changed an item.
fn of_thing(snapshot: &mut dyn Snapshot, item: ItemNo, span: &Span) -> Result<Vec<Event>> {
    let mut seqs = snapshot.changes_of(item, span.before, span.count)?;
    if !span.changes {
        let visits = snapshot.visits_of(item, span.before, span.count)?;
        seqs.extend(visits.into_iter().map(|it| it.seq));
    }
    events_of(snapshot, seqs, span)
}

/// Returns the events of a stream, and the changes captured from its frame.
fn of_stream(snapshot: &mut dyn Snapshot, frame: ScopeNo, span: &Span) -> Result<Vec<Event>> {
    let seqs = snapshot.changes_in(frame, span.before, span.count)?;
    if span.changes {
        return events_of(snapshot, seqs, span);
    }
    let mut latest = Latest { span, events: BTreeMap::new() };
    let mut walked = BTreeSet::new();
    let mut before = span.before;
    // Views that began after the event from which all results are known.
    'walk: loop {
        let views = page(snapshot, frame, Run::Before(before), VIEWS_PAGE)?;
        let Some(last) = views.last().map(|it| it.row.position) else { break };
        for it in views {
            if it.row.position <= latest.after() {
                break 'walk;
            }
            if walked.insert(it.view.view) {
                of_view(snapshot, it.view.view, &mut latest)?;
            }
        }
        before = last;
    }
    // Of the views that began earlier, each actor can have one that continued after that event.
    let after = latest.after();
    for actor in contributors(snapshot, frame)? {
        let view = snapshot.stream(actor.home, Run::Before(after + 1), 2)?;
        let own = view.into_iter().find(|it| it.view.merges.is_none());
        if let Some(own) = own
            && walked.insert(own.view.view)
            && is_in_stream(snapshot, frame, &own)?
        {
            of_view(snapshot, own.view.view, &mut latest)?;
        }
    }
    for seq in seqs.into_iter().filter(|seq| *seq > latest.after()).collect::<Vec<_>>() {
        if let Some(logged) = event(snapshot, seq)? {
            latest.keep(logged.event);
        }
    }
    Ok(latest.latest_first())
}

/// Returns events by their sequences, latest first.
fn events_of(snapshot: &mut dyn Snapshot, mut seqs: Vec<i64>, span: &Span) -> Result<Vec<Event>> {
    seqs.retain(|seq| *seq > span.after);
    seqs.sort_unstable_by(|a, b| b.cmp(a));
    seqs.dedup();
    seqs.truncate(span.count as usize);
    let mut events = Vec::with_capacity(seqs.len());
    for seq in seqs {
        events.extend(event(snapshot, seq)?.map(|it| it.event));
    }
    Ok(events)
}

/// Returns all actors that may have views in a stream.
fn contributors(snapshot: &mut dyn Snapshot, frame: ScopeNo) -> Result<Vec<ActorRow>> {
    match owner(snapshot, frame)? {
        Some(row) if row.home == frame => Ok(vec![row]),
        _ => Ok(snapshot.contributors(frame)?),
    }
}

/// Returns whether a view of its actor's stream is also in another stream.
fn is_in_stream(snapshot: &mut dyn Snapshot, frame: ScopeNo, it: &Streamed) -> Result<bool> {
    let there = snapshot.stream(frame, Run::After(it.row.position - 1), 2)?;
    Ok(there.iter().any(|other| other.view.view == it.view.view))
}

/// Adds the events of a view. A summarised view is listed in full, because the log keeps its
/// events. Reads a few events first and more only if they are relevant.
fn of_view(snapshot: &mut dyn Snapshot, view: ViewNo, latest: &mut Latest<'_>) -> Result<()> {
    let (mut before, mut limit) = (latest.span.before, VIEW_EVENTS_FIRST);
    loop {
        let page = snapshot.view_events(view, Run::Before(before), limit)?;
        let whole = page.len() as i64 == limit;
        for stored in page {
            if stored.seq <= latest.after() {
                return Ok(());
            }
            before = stored.seq;
            latest.keep(parsed(stored)?.event);
        }
        if !whole {
            return Ok(());
        }
        limit = (limit * 4).min(latest.span.count);
    }
}

fn line(snapshot: &mut dyn Snapshot, names: &mut Names, event: &Event) -> Result<HistoryLine> {
    let action = names.action(snapshot, event)?;
    let captured = event.body.what.capture().map(|(items, _)| items);
    let items = captured.unwrap_or_default();
    names.load_things(snapshot, items.iter().copied())?;
    let named = items.iter().filter_map(|item| names.thing(*item));
    let in_mind = named.map(|it| it.name.clone()).collect();
    let context = captured.map(|items| names.ids(items));
    Ok(HistoryLine {
        event: event.seq,
        timestamp: rfc3339(event.time),
        actor: names.actor(snapshot, event.actor)?.1,
        of_type: action.of_type,
        target: action.target,
        name: action.name,
        scope: action.scope,
        context,
        in_mind,
        reverts: match event.body.what {
            What::Put(ObjectPut { reverts, .. }) => reverts,
            _ => None,
        },
        view: match event.view {
            Some(view) => Some(names.view(snapshot, view)?),
            None => None,
        },
    })
}
