//! `why`: for a change, its author, their active scopes, the captured items as they were then, and
//! the actions just before.

use ambit_core::{Event, ItemNo, Needs, ObjectPut, ScopeNo, What, rfc3339};
use ambit_store::{Run, Snapshot, Which};

use crate::engine::read_state;
use crate::lookup::{Found, find};
use crate::names::{Names, event, missing, parsed, thing_line};
use crate::time_travel::standing::{opening, scopes_of_actor_at};
use crate::{ActionLine, Caller, Engine, Error, MindLine, QuestionRefusal, Result, WhyAnswer};

/// The number of actions listed before the change.
const BEFORE_SHOWN: i64 = 5;

/// How much of each captured text is shown.
const TEXT_LINES: usize = 6;
const TEXT_CHARS: usize = 400;

impl Engine {
    /// Explains a change: by its event, or the last change of an object or a note.
    pub fn why(&self, caller: &Caller, named: &str) -> Result<WhyAnswer> {
        let needs = Needs::of(&self.context(caller));
        self.read(caller, &mut |snapshot| {
            read_state(snapshot, &needs)?;
            let event = change(snapshot, named)?;
            answer(snapshot, &event)
        })
    }
}

fn change(snapshot: &mut dyn Snapshot, named: &str) -> Result<Event> {
    let number = named.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(seq) = named.parse::<i64>().ok().filter(|_| number) {
        let found = if seq > 0 { event(snapshot, seq)? } else { None };
        let Some(logged) = found else {
            return Err(QuestionRefusal::NoEvent { event: seq }.into());
        };
        if logged.event.body.what.capture().is_none() {
            let word = logged.event.body.what.word();
            return Err(QuestionRefusal::NotAChange { event: seq, word }.into());
        }
        return Ok(logged.event);
    }
    let seq = match find(snapshot, named)? {
        Found::Object(row) => row.latest_seq,
        Found::Note(note, _) => note.seq,
    };
    match event(snapshot, seq)? {
        Some(logged) => Ok(logged.event),
        None => Err(Error::damaged(format!("event {seq} is missing"))),
    }
}

fn answer(snapshot: &mut dyn Snapshot, event: &Event) -> Result<WhyAnswer> {
    let mut names = Names::default();
    let action = names.action(snapshot, event)?;
    let (items, frame) = event.body.what.capture().unwrap_or((&[], Default::default()));
    let stand = scopes_of_actor_at(snapshot, event.actor, event.seq)?;
    let (mut primary, mut active) = stand.map_or((None, Vec::new()), |it| (it.primary, it.active));
    // The scope given by --scope counts as active and primary.
    if let Some(pin) = pinned(snapshot, event)? {
        active.retain(|scope| *scope != pin);
        active.insert(0, pin);
        primary = Some(pin);
    }
    let (context_frame, context_scope) = names.scope(snapshot, frame)?;
    let actor = snapshot.actors(&[event.actor])?.pop();
    let actor = actor.ok_or_else(|| missing("actor", event.actor))?;
    let mut context = Vec::with_capacity(items.len());
    for item in items {
        // As it was when the change began: the change may have been to one of these items.
        context.push(in_mind(snapshot, *item, event.seq - 1)?);
    }
    Ok(WhyAnswer {
        event: event.seq,
        timestamp: rfc3339(event.time),
        actor_kind: actor.kind.as_str(),
        actor: actor.name,
        of_type: action.of_type,
        target: action.target,
        name: action.name,
        primary_scope: match primary {
            Some(scope) => names.scope(snapshot, scope)?.1,
            None => None,
        },
        active_scopes: names.scope_names(snapshot, &active)?,
        context_frame,
        context_scope,
        context,
        before: before(snapshot, &mut names, event)?,
        view: match event.view {
            Some(view) => Some(names.view(snapshot, view)?),
            None => None,
        },
        reverts: match event.body.what {
            What::Put(ObjectPut { reverts, .. }) => reverts,
            _ => None,
        },
    })
}

/// Returns the scope that was pinned for the command.
fn pinned(snapshot: &mut dyn Snapshot, event: &Event) -> Result<Option<ScopeNo>> {
    let view = match event.view {
        Some(view) => snapshot.view(view)?,
        None => None,
    };
    match view {
        Some(view) => Ok(opening(snapshot, &view)?.and_then(|opened| opened.pin)),
        None => Ok(None),
    }
}

/// Describes a captured item as it was at an event.
fn in_mind(snapshot: &mut dyn Snapshot, item: ItemNo, at: i64) -> Result<MindLine> {
    let thing = snapshot.things(&[item])?.pop().ok_or_else(|| missing("item", item))?;
    let version = snapshot.version(item, Which::At(at))?;
    let (number, event, looked) = match version {
        Some(version) => (version.version, version.seq, snapshot.things(&[version.item])?.pop()),
        None => (1, snapshot.changes_of(item, at + 1, 1)?.pop().unwrap_or(0), None),
    };
    let line = thing_line(&thing);
    let looked = looked.unwrap_or(thing);
    Ok(MindLine {
        thing: line,
        version: number,
        event,
        forgotten: looked.forgotten.is_some(),
        text: beginning(&looked.text),
    })
}

fn beginning(text: &str) -> String {
    let lines: Vec<_> = text.lines().take(TEXT_LINES).collect();
    let shown = lines.join("\n");
    match shown.char_indices().nth(TEXT_CHARS) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None if shown.len() < text.trim_end().len() => format!("{shown}\n…"),
        None => shown,
    }
}

/// Returns the actor's preceding actions, in this view and earlier ones.
fn before(
    snapshot: &mut dyn Snapshot,
    names: &mut Names,
    event: &Event,
) -> Result<Vec<ActionLine>> {
    let mut lines = Vec::new();
    let mut view = event.view;
    // A break ends the list: earlier actions are unrelated.
    while let Some(at) = view
        && (lines.len() as i64) < BEFORE_SHOWN
    {
        let left = BEFORE_SHOWN - lines.len() as i64;
        for stored in snapshot.view_events(at, Run::Before(event.seq), left)? {
            lines.push(names.action(snapshot, &parsed(stored)?.event)?);
        }
        view = snapshot.view(at)?.and_then(|row| row.previous);
    }
    Ok(lines)
}
