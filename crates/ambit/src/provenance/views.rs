//! `views`: the stream of an actor or a scope, paged in both directions, or one view by its id.

use ambit_core::{ActorNo, ActorRow, Needs, ScopeNo, Tidied, ViewNo, ViewRow, What, rfc3339};
use ambit_store::{Run, Snapshot, Streamed};

use crate::engine::read_state;
use crate::lookup::{find_actor, find_scope};
use crate::names::{Names, event, missing, parsed};
use crate::objects::limit;
use crate::{
    Caller, Engine, MergeLine, QuestionRefusal, Result, SummaryLine, ViewLine, ViewsAnswer,
};

/// Which views to list.
#[derive(Clone, Debug, Default)]
pub struct ViewsRequest {
    /// One view, by its id.
    pub id: Option<String>,
    /// An actor's stream; the default is the caller's own.
    pub actor: Option<String>,
    /// A scope's stream.
    pub scope: Option<String>,
    /// Only views opened before or after this event.
    pub before: Option<i64>,
    pub after: Option<i64>,
    pub limit: Option<i64>,
}

const LIMIT: i64 = 10;

/// The number of actions listed per view: in a list, and for a single view.
const ACTIONS_SHOWN: i64 = 20;
const ACTIONS_MAX: i64 = 1_000;

/// The number of views that a merge lists.
const MERGED_SHOWN: i64 = 1_000;

impl Engine {
    pub fn views(&self, caller: &Caller, request: &ViewsRequest) -> Result<ViewsAnswer> {
        let needs = Needs::of(&self.context(caller));
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let mut names = Names::default();
            if let Some(id) = &request.id {
                return one(snapshot, &mut names, id);
            }
            let (actor, scope) = (request.actor.as_deref(), request.scope.as_deref());
            let (frame, of) = stream_of(snapshot, actor, scope, state.actor.as_ref())?;
            let Some(frame) = frame else {
                let (frame, views) = (String::new(), Vec::new());
                return Ok(ViewsAnswer { of, frame, views, next: None });
            };
            let run = match (request.before, request.after) {
                (Some(_), Some(_)) => {
                    let (one, other) = ("before", "after");
                    return Err(QuestionRefusal::Both { one, other }.into());
                }
                (_, Some(after)) => Run::After(after),
                (before, None) => Run::Before(before.unwrap_or(i64::MAX)),
            };
            let limit = limit(request.limit, LIMIT)?;
            let found = page(snapshot, frame, run, limit)?;
            let full = found.len() as i64 >= limit;
            let next = found.last().filter(|_| full).map(|it| it.row.position);
            let mut views = Vec::with_capacity(found.len());
            for it in found {
                views.push(view_line(snapshot, &mut names, &it, ACTIONS_SHOWN)?);
            }
            let frame = names.scope(snapshot, frame)?.0;
            Ok(ViewsAnswer { of, frame, views, next })
        })
    }
}

/// Returns a page of a stream. One event may create two views, its actor's own and a merge. A page
/// never splits them, so it may have one view more than requested.
pub(crate) fn page(
    snapshot: &mut dyn Snapshot,
    frame: ScopeNo,
    run: Run,
    limit: i64,
) -> Result<Vec<Streamed>> {
    let mut found = snapshot.stream(frame, run, limit)?;
    if found.len() as i64 == limit
        && let Some(last) = found.last().map(|it| it.row.position)
    {
        for it in snapshot.stream(frame, Run::After(last - 1), 2)? {
            if it.row.position == last && !found.contains(&it) {
                found.push(it);
            }
        }
    }
    Ok(found)
}

/// Resolves whose stream was requested.
pub(crate) fn stream_of(
    snapshot: &mut dyn Snapshot,
    actor: Option<&str>,
    scope: Option<&str>,
    own: Option<&ActorRow>,
) -> Result<(Option<ScopeNo>, String)> {
    match (actor, scope) {
        (Some(_), Some(_)) => {
            Err(QuestionRefusal::Both { one: "an actor", other: "a scope" }.into())
        }
        (Some(name), None) => {
            let row = find_actor(snapshot, name)?;
            Ok((Some(row.home), row.name))
        }
        (None, Some(name)) => {
            let row = find_scope(snapshot, name)?;
            Ok((Some(row.scope), row.name.unwrap_or_default()))
        }
        (None, None) => {
            Ok((own.map(|row| row.home), own.map(|row| row.name.clone()).unwrap_or_default()))
        }
    }
}

fn one(snapshot: &mut dyn Snapshot, names: &mut Names, id: &str) -> Result<ViewsAnswer> {
    // The log names views by number.
    let view = match id.parse() {
        Ok(number) => snapshot.view(ViewNo(number))?,
        Err(_) => snapshot.view_named(id)?,
    };
    let view = view.ok_or_else(|| QuestionRefusal::NoView { id: id.into() })?;
    let home = home_of(snapshot, view.actor)?;
    let at = snapshot.stream(home, Run::After(view.started_seq - 1), 2)?;
    let prev = at.into_iter().find(|it| it.view.view == view.view).and_then(|it| it.row.prev);
    let row = ambit_core::StreamRow { frame: home, position: 0, view: view.view, prev };
    let line = view_line(snapshot, names, &Streamed { row, view }, ACTIONS_MAX)?;
    let (of, frame) = (line.actor.clone(), names.scope(snapshot, home)?.0);
    Ok(ViewsAnswer { of, frame, views: vec![line], next: None })
}

fn home_of(snapshot: &mut dyn Snapshot, actor: ActorNo) -> Result<ScopeNo> {
    let row = snapshot.actors(&[actor])?.pop().ok_or_else(|| missing("actor", actor))?;
    Ok(row.home)
}

fn view_line(
    snapshot: &mut dyn Snapshot,
    names: &mut Names,
    at: &Streamed,
    shown: i64,
) -> Result<ViewLine> {
    let Streamed { row, view } = at;
    let id = |snapshot: &mut dyn Snapshot, names: &mut Names, view| match view {
        Some(view) => names.view(snapshot, view).map(Some),
        None => Ok(None),
    };
    let (mut actions, mut more) = (Vec::new(), false);
    if view.fossil_seq.is_none() && view.merges.is_none() {
        let events = snapshot.view_events(view.view, Run::After(0), shown + 1)?;
        more = events.len() as i64 > shown;
        for stored in events.into_iter().take(shown as usize) {
            actions.push(names.action(snapshot, &parsed(stored)?.event)?);
        }
    }
    let ended = match ended_by(snapshot, view)? {
        Some(seq) => snapshot.time_of(seq)?.map(rfc3339),
        None => None,
    };
    Ok(ViewLine {
        id: view.id.clone(),
        actor: names.actor(snapshot, view.actor)?.1,
        event: view.started_seq,
        started: rfc3339(view.started_at),
        ended,
        previous: id(snapshot, names, view.previous)?,
        stream_prev: id(snapshot, names, row.prev)?,
        actions,
        more,
        summary: summary(snapshot, names, view)?,
        merge: merge(snapshot, names, view)?,
    })
}

/// Returns the event that a view ended with: its last one, regardless of who found it idle and
/// when. None while the view is open.
fn ended_by(snapshot: &mut dyn Snapshot, view: &ViewRow) -> Result<Option<i64>> {
    if view.merges.is_some() {
        return Ok(view.ended_seq);
    }
    let actor = snapshot.actors(&[view.actor])?.pop();
    if actor.is_some_and(|row| row.view_open && row.view == Some(view.view)) {
        return Ok(None);
    }
    Ok(snapshot.view_events(view.view, Run::Before(i64::MAX), 1)?.pop().map(|it| it.seq))
}

fn summary(
    snapshot: &mut dyn Snapshot,
    names: &mut Names,
    view: &ViewRow,
) -> Result<Option<SummaryLine>> {
    let Some(seq) = view.fossil_seq else {
        return Ok(None);
    };
    let Some(What::Tidied(Tidied { fossils, .. })) =
        event(snapshot, seq)?.map(|logged| logged.event.body.what)
    else {
        return Ok(None);
    };
    let Some(fossil) = fossils.into_iter().find(|it| it.view == view.view) else {
        return Ok(None);
    };
    names.load_things(snapshot, fossil.visited.iter().copied())?;
    let visited = names.ids(&fossil.visited);
    Ok(Some(SummaryLine { actions: fossil.actions, visited }))
}

/// Describes a merge, with the views of the stream that it ends.
fn merge(
    snapshot: &mut dyn Snapshot,
    names: &mut Names,
    view: &ViewRow,
) -> Result<Option<MergeLine>> {
    let Some(frame) = view.merges else {
        return Ok(None);
    };
    // The merging event may open the subagent's last view: both then have the same position.
    let until = Run::Before(view.started_seq + 1);
    let merged = page(snapshot, frame, until, MERGED_SHOWN + 1)?;
    let own = |it: &&Streamed| it.view.view != view.view;
    let mut merged_views: Vec<_> = merged.iter().filter(own).map(|it| it.view.id.clone()).collect();
    merged_views.reverse();
    let mut count = merged_views.len() as i64;
    let mut rest = merged;
    while let Some(last) = rest.last().filter(|_| rest.len() as i64 > MERGED_SHOWN) {
        rest = page(snapshot, frame, Run::Before(last.row.position), MERGED_SHOWN + 1)?;
        count += rest.len() as i64;
    }
    let child = snapshot.scopes_numbered(&[frame])?.pop().and_then(|row| row.owner);
    let parent = home_of(snapshot, view.actor)?;
    Ok(Some(MergeLine {
        count,
        merged_views,
        parent_frame: names.scope(snapshot, parent)?.0,
        child_frame: names.scope(snapshot, frame)?.0,
        child: match child {
            Some(actor) => names.actor(snapshot, actor)?.1,
            None => String::new(),
        },
    }))
}
