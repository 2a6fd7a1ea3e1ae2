//! `where`, `scopes` and `notes` at a past moment.

use ambit_core::compose::{NoteRange, inherited_notes};
use ambit_core::{
    ActiveScopes, ActorNo, Needs, ScopeNo, ScopeRow, State, ViewOpened, ViewRow, rfc3339,
};
use ambit_store::{Run, Snapshot};

use crate::conversation::reading::note_line;
use crate::engine::read_state;
use crate::names::{Names, event, time_of};
use crate::time_travel::{event_at, require_existed};
use crate::{Caller, Engine, NotesAnswer, Result, ScopeThen, ScopesThenAnswer, WhereThenAnswer};

impl Engine {
    /// Returns an actor's primary and active scopes at an event or a time.
    pub fn where_at(&self, caller: &Caller, at: &str) -> Result<WhereThenAnswer> {
        let context = self.context(caller);
        let needs = Needs::of(&context);
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let at = event_at(snapshot, at, context.now)?;
            let stood = match &state.actor {
                Some(actor) => scopes_of_actor_at(snapshot, actor.actor, at)?,
                None => None,
            };
            let mut names = Names::default();
            let own = state.actor.as_ref().map(|actor| actor.name.clone());
            let primary = stood.as_ref().and_then(|stands| stands.primary);
            let active = stood.as_ref().map_or(&[][..], |stands| stands.active.as_slice());
            Ok(WhereThenAnswer {
                vault: caller.vault.clone(),
                actor: own.unwrap_or_else(|| caller.actor.clone()),
                registered: stood.is_some(),
                primary_scope: match primary {
                    Some(scope) => names.scope(snapshot, scope)?.1,
                    None => None,
                },
                active_scopes: names.scope_names(snapshot, active)?,
                at,
                time: rfc3339(time_of(snapshot, at)?),
            })
        })
    }

    /// Returns the scopes that existed at an event or a time.
    pub fn scopes_at(&self, caller: &Caller, at: &str) -> Result<ScopesThenAnswer> {
        let context = self.context(caller);
        let needs = Needs { all_scopes: true, ..Needs::of(&context) };
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let at = event_at(snapshot, at, context.now)?;
            let stood = match &state.actor {
                Some(actor) => scopes_of_actor_at(snapshot, actor.actor, at)?,
                None => None,
            };
            let primary = stood.as_ref().and_then(|stands| stands.primary);
            let active = stood.as_ref().map_or(&[][..], |stands| stands.active.as_slice());
            let line = |row: &ScopeRow| ScopeThen {
                id: row.id.clone(),
                name: row.name.clone().unwrap_or_default(),
                current: primary == Some(row.scope),
                active: active.contains(&row.scope),
                parent: row.parent.map(|parent| state.scope_name(parent)),
                created_at: rfc3339(row.created_at),
                closed: row.closed_seq.is_some_and(|seq| seq <= at),
            };
            let mut rows: Vec<_> = state.scopes.values().map(|scope| &scope.row).collect();
            rows.retain(|row| row.created_seq <= at);
            rows.sort_by_key(|row| row.created_seq);
            Ok(ScopesThenAnswer { scopes: rows.into_iter().map(line).collect(), at })
        })
    }

    /// Returns a scope's notes as they were at an event or a time, inherited ones first.
    pub fn notes_at(&self, caller: &Caller, scope: Option<&str>, at: &str) -> Result<NotesAnswer> {
        let context = self.context(caller);
        let mut needs = Needs::of(&context);
        needs.scopes.extend(scope.map(str::to_string));
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let at = event_at(snapshot, at, context.now)?;
            let row = match scope.or(context.pin.as_deref()) {
                Some(name) => state.scope_named(name)?.clone(),
                None => primary_scope_at(snapshot, &state, at)?,
            };
            require_existed(&row, at)?;
            let mut notes = Vec::new();
            for note in inherited_notes(snapshot, &state, row.scope, i64::MAX)? {
                notes.push(note_line(snapshot, &note, true)?);
            }
            let before = NoteRange::Before { seq: at + 1 };
            for note in snapshot.notes(row.scope, before, i64::MAX)? {
                notes.push(note_line(snapshot, &note, false)?);
            }
            Ok(NotesAnswer { scope: row.name.unwrap_or_default(), notes })
        })
    }
}

/// Returns the reader's primary scope at an event, or the current one if it had none then.
pub(crate) fn primary_scope_at(
    snapshot: &mut dyn Snapshot,
    state: &State,
    at: i64,
) -> Result<ScopeRow> {
    let stood = match &state.actor {
        Some(actor) => scopes_of_actor_at(snapshot, actor.actor, at)?,
        None => None,
    };
    let scope = stood.and_then(|stands| stands.primary);
    let row = match scope {
        Some(scope) => snapshot.scopes_numbered(&[scope])?.pop(),
        None => None,
    };
    Ok(match row {
        Some(row) => row,
        None => state.working_scope(None)?.clone(),
    })
}

/// Returns an actor's active and primary scopes at an event. All actors had left a scope that was
/// closed by then.
pub(crate) fn scopes_of_actor_at(
    snapshot: &mut dyn Snapshot,
    actor: ActorNo,
    at: i64,
) -> Result<Option<ActiveScopes>> {
    let Some(row) = snapshot.stand(actor, at)? else {
        return Ok(None);
    };
    let mut stands = row.stands;
    let rows = snapshot.scopes_numbered(&stands.active)?;
    let closed = rows.iter().filter(|row| row.closed_seq.is_some_and(|seq| seq <= at));
    let closed: Vec<_> = closed.map(|row| row.scope).collect();
    stands.active.retain(|scope| !closed.contains(scope));
    stands.primary = stands.primary.filter(|scope| !closed.contains(scope));
    if let Some(active) = scopes_of_last_view(snapshot, actor, (row.seq, at), &stands.active)? {
        // The actor left its recorded primary scope without an event, so its only other
        // scope is primary.
        let only = active.first().copied().filter(|_| active.len() == 1);
        stands.primary = match stands.primary {
            Some(primary) if !active.contains(&primary) => only,
            primary => primary,
        };
        stands.active = active;
    }
    Ok(Some(stands))
}

/// Returns the scopes in which an actor's last view at an event began, if they differ from the
/// scopes recorded as active. Old logs do not record switches of scope, but their views do.
fn scopes_of_last_view(
    snapshot: &mut dyn Snapshot,
    actor: ActorNo,
    (since, at): (i64, i64),
    active: &[ScopeNo],
) -> Result<Option<Vec<ScopeNo>>> {
    let Some(row) = snapshot.actors(&[actor])?.pop() else {
        return Ok(None);
    };
    let last = snapshot.stream(row.home, Run::Before(at + 1), 1)?.pop().map(|it| it.view);
    let Some(view) = last.filter(|it| it.started_seq > since && it.merges.is_none()) else {
        return Ok(None);
    };
    let Some(opened) = opening(snapshot, &view)? else {
        return Ok(None);
    };
    let scopes = opened.streams.iter().map(|entry| entry.frame).filter(|it| *it != row.home);
    let named = |scope: &ScopeNo| Some(*scope) == opened.pin && !active.contains(scope);
    let scopes: Vec<_> = scopes.filter(|scope| !named(scope)).collect();
    let same = scopes.len() == active.len() && scopes.iter().all(|it| active.contains(it));
    Ok((!same).then_some(scopes))
}

/// Returns how a view was opened: in which streams, and with which pinned scope.
pub(crate) fn opening(snapshot: &mut dyn Snapshot, view: &ViewRow) -> Result<Option<ViewOpened>> {
    Ok(event(snapshot, view.started_seq)?.and_then(|it| it.event.body.opens))
}
