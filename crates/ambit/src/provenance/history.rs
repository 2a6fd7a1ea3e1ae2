//! `history`: what happened to an object, in a scope, or by an actor, in a time.

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
use crate::time_travel::{last_until, not_a_moment};
use crate::{Caller, Engine, HistoryAnswer, HistoryLine, QuestionRefusal, Result, ViewsRequest};

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
                        let (one, other) = ("a thing", "an actor or a scope");
                        return Err(QuestionRefusal::Both { one, other }.into());
                    }
                    let found = find(snapshot, named)?;
                    names.learn_things(snapshot, [found.item()])?;
                    let item = found.item();
                    let of = names.thing(item).ok_or_else(|| missing("item", item))?.name.clone();
                    (of, of_thing(snapshot, item, &span)?)
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
            Ok(HistoryAnswer { of, entries: lines.collect::<Result<_>>()?, next })
        })
    }
}

/// How many events of a view are read at first.
const VIEW_EVENTS_FIRST: i64 = 4;

/// Events after one and before another, the latest so many.
struct Span {
    after: i64,
    before: i64,
    count: i64,
    changes: bool,
}

/// The latest events of a span that were come to.
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

    /// Only what came after it can still be asked for.
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
            Some(text) => Ok(Some(means(text, now).ok_or_else(|| not_a_moment(text))?)),
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

/// Whatever visited or changed it.
fn of_thing(snapshot: &mut dyn Snapshot, item: ItemNo, span: &Span) -> Result<Vec<Event>> {
    let mut seqs = snapshot.changes_of(item, span.before, span.count)?;
    if !span.changes {
        let visits = snapshot.visits_of(item, span.before, span.count)?;
        seqs.extend(visits.into_iter().map(|it| it.seq));
    }
    told(snapshot, seqs, span)
}

/// What is in a stream, and the changes captured from its frame.
fn of_stream(snapshot: &mut dyn Snapshot, frame: ScopeNo, span: &Span) -> Result<Vec<Event>> {
    let seqs = snapshot.changes_in(frame, span.before, span.count)?;
    if span.changes {
        return told(snapshot, seqs, span);
    }
    let mut latest = Latest { span, events: BTreeMap::new() };
    let mut walked = BTreeSet::new();
    let mut before = span.before;
    // Views that began after the moment down to which all is known.
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
    // Of those that began earlier, each actor can have one that went on after it.
    let after = latest.after();
    for actor in contributors(snapshot, frame)? {
        let view = snapshot.stream(actor.home, Run::Before(after + 1), 2)?;
        let own = view.into_iter().find(|it| it.view.merges.is_none());
        if let Some(own) = own
            && walked.insert(own.view.view)
            && stands_in(snapshot, frame, &own)?
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

/// Events by their numbers, the latest first.
fn told(snapshot: &mut dyn Snapshot, mut seqs: Vec<i64>, span: &Span) -> Result<Vec<Event>> {
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

/// All actors that may have views in a stream.
fn contributors(snapshot: &mut dyn Snapshot, frame: ScopeNo) -> Result<Vec<ActorRow>> {
    match owner(snapshot, frame)? {
        Some(row) if row.home == frame => Ok(vec![row]),
        _ => Ok(snapshot.contributors(frame)?),
    }
}

/// Whether a view of its actor's stream is in another one too.
fn stands_in(snapshot: &mut dyn Snapshot, frame: ScopeNo, it: &Streamed) -> Result<bool> {
    let there = snapshot.stream(frame, Run::After(it.row.position - 1), 2)?;
    Ok(there.iter().any(|other| other.view.view == it.view.view))
}

/// A summarised view is still listed whole: nothing of the log is gone. Where it has little
/// to add, little is read: first a few events, then more.
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
    names.learn_things(snapshot, items.iter().copied())?;
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
