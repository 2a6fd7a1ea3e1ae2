//! Views, streams, frames and captures, walked from the log alone: D0-10, D0-11 and D0-12, and what
//! S0 says of frames (S0-14, S0-18, S0-31, S0-44 to S0-46, S0-62, S0-64, S0-65).

use std::collections::{HashMap, HashSet};

use ambit_core::{
    ActorNo, Appended, Carried, Cleared, Entered, Event, Forgotten, ItemNo, Left, Logged, Millis,
    Noted, Registered, Rewound, ScopeCreated, ScopeNo, SettingSet, VaultCreated, ViewNo,
    ViewOpened, What,
};
use ambit_store::Rows;

/// An actor's open view, and what else decides about the next.
#[derive(Default)]
struct Actor {
    home: ScopeNo,
    /// In the order of entering.
    active: Vec<ScopeNo>,
    last_view: Option<ViewNo>,
    open: Option<Open>,
}

struct Open {
    view: ViewNo,
    time: Millis,
    pin: Option<ScopeNo>,
    capture: Option<ScopeNo>,
}

#[derive(Default)]
struct Walk {
    actors: HashMap<ActorNo, Actor>,
    views: HashSet<ViewNo>,
    streams: HashMap<ScopeNo, ViewNo>,
    /// Most recent first.
    frames: HashMap<ScopeNo, Vec<ItemNo>>,
    sizes: HashMap<ScopeNo, usize>,
}

const VIEW_IDLE_MS: i64 = 300_000;
const FRAME_SIZE: usize = 7;
const VAULT: ScopeNo = ScopeNo(0);

/// Checks a log from its first event on, and the heads that scopes have after it.
pub fn check(log: &[Logged], rows: &Rows) -> Result<(), String> {
    let mut walk = Walk::default();
    for logged in log {
        let event = &logged.event;
        walk.event(event).map_err(|why| format!("event {}: {why}: {event:?}", event.seq))?;
    }
    for scope in rows.scopes.values().filter(|scope| scope.name.is_some()) {
        let touches = |logged: &&Logged| touched(&logged.event.body.what).contains(&scope.scope);
        let head = log.iter().rfind(touches).map_or(0, |logged| logged.event.seq);
        hold(scope.head == head, &format!("{:?} has the head {head}: {scope:?}", scope.name))?;
    }
    Ok(())
}

/// The scopes whose head an event is: places opened, closed or marked, a setting set, or the scope
/// made.
fn touched(what: &What) -> Vec<ScopeNo> {
    match what {
        What::VaultCreated(VaultCreated { main: scope, .. })
        | What::ScopeCreated(ScopeCreated { scope, .. })
        | What::Appended(Appended { scope, .. })
        | What::Noted(Noted { scope, .. })
        | What::Rewound(Rewound { scope, .. })
        | What::Cleared(Cleared { scope, .. }) => vec![*scope],
        What::Carried(Carried { from, to, .. }) => vec![*from, *to],
        What::Retracted(_) => vec![VAULT],
        What::Forgotten(Forgotten { scopes, .. }) => scopes.iter().map(|it| it.scope).collect(),
        What::Set(SettingSet { scope, .. }) => scope.iter().copied().collect(),
        _ => Vec::new(),
    }
}

fn hold(holds: bool, rule: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(rule.to_string()) }
}

impl Walk {
    fn event(&mut self, event: &Event) -> Result<(), String> {
        let body = &event.body;
        match &body.what {
            What::VaultCreated(_) => return hold(event.view.is_none(), "has no view"),
            What::Registered(Registered { actor, home, main, .. }) => {
                let active = vec![*main];
                self.actors.insert(*actor, Actor { home: *home, active, ..Actor::default() });
                return hold(event.view.is_none(), "has no view");
            }
            _ => {}
        }
        let view = event.view.ok_or("every event has its view")?;
        self.view(event, view)?;
        let left = matches!(body.what, What::Left(_));
        hold(body.ends_view == left, "leaving ends a view, nothing else does")?;
        let is_note = matches!(body.what, What::Noted(_));
        if is_note {
            self.noted(event)?;
        }
        let actor = self.actors.entry(event.actor).or_default();
        match &body.what {
            What::Entered(Entered { scope, .. }) => actor.active.push(*scope),
            What::Left(Left { scope, .. }) => {
                actor.active.retain(|it| it != scope);
                actor.open = None;
            }
            What::Set(SettingSet { scope, name, value, .. }) if name == "frame_size" => {
                let size = value.as_ref().and_then(|value| value.parse().ok());
                match size {
                    Some(size) => self.sizes.insert(scope.unwrap_or(VAULT), size),
                    None => self.sizes.remove(&scope.unwrap_or(VAULT)),
                };
            }
            _ => {}
        }
        Ok(())
    }

    /// Actions within a time window are one view, until something ends it.
    fn view(&mut self, event: &Event, view: ViewNo) -> Result<(), String> {
        let captures = match &event.body.what {
            What::Noted(Noted { context_frame, .. }) => Some(*context_frame),
            _ => None,
        };
        let actor = self.actors.get(&event.actor).ok_or("its actor is registered")?;
        let goes_on = actor.open.as_ref().is_some_and(|open| {
            let same = captures.is_none() || open.capture.is_none() || captures == open.capture;
            same && event.time - open.time <= VIEW_IDLE_MS
        });
        match &event.body.opens {
            None => {
                hold(goes_on, "a new view had to open")?;
                let open = actor.open.as_ref().map(|open| open.view);
                hold(open == Some(view), "it is in its actor's open view")?;
            }
            Some(opens) => {
                let pin = actor.open.as_ref().map(|open| open.pin);
                let repinned = pin.is_some_and(|pin| pin != opens.pin);
                hold(!goes_on || repinned, "the open view went on")?;
                self.opened(event, view, opens)?;
            }
        }
        let actor = self.actors.entry(event.actor).or_default();
        let before = actor.open.take().filter(|open| open.view == view);
        let pin = match (&event.body.opens, &before) {
            (Some(opens), _) => opens.pin,
            (None, before) => before.as_ref().and_then(|open| open.pin),
        };
        let capture = captures.or(before.and_then(|open| open.capture));
        actor.open = Some(Open { view, time: event.time, pin, capture });
        actor.last_view = Some(view);
        Ok(())
    }

    /// One view, in the actor's stream and in those of all its active scopes.
    fn opened(&mut self, event: &Event, view: ViewNo, opens: &ViewOpened) -> Result<(), String> {
        let actor = self.actors.get(&event.actor).ok_or("its actor is registered")?;
        hold(opens.view == view, "it is in the view that it opens")?;
        hold(self.views.insert(view), "a view opens once")?;
        hold(opens.previous == actor.last_view, "views form a list")?;
        let entering = match event.body.what {
            What::Entered(Entered { scope, .. }) => Some(scope),
            _ => None,
        };
        let scopes = actor.active.iter().copied().chain(entering).chain(opens.pin);
        let expected: HashSet<_> = scopes.chain([actor.home]).collect();
        let found: HashSet<_> = opens.streams.iter().map(|entry| entry.frame).collect();
        hold(found == expected, "it is in the streams of all active scopes")?;
        hold(found.len() == opens.streams.len(), "once in each stream")?;
        for entry in &opens.streams {
            let last = self.streams.insert(entry.frame, view);
            hold(entry.prev == last, "a stream is a list")?;
        }
        Ok(())
    }

    fn size(&self, frame: ScopeNo) -> usize {
        let sizes = [frame, VAULT].map(|owner| self.sizes.get(&owner).copied());
        sizes[0].or(sizes[1]).unwrap_or(FRAME_SIZE)
    }

    /// A note captures what was in mind, and is then visited.
    fn noted(&mut self, event: &Event) -> Result<(), String> {
        let What::Noted(Noted { scope, item, visited, context, context_frame, .. }) =
            &event.body.what
        else {
            return Ok(());
        };
        let scope = if *scope == VAULT { context_frame } else { scope };
        hold(context_frame == scope, "the capture is taken from the note's scope")?;
        let size = self.size(*context_frame);
        let in_mind = self.frames.entry(*context_frame).or_default();
        let in_mind = &in_mind[..size.min(in_mind.len())];
        hold(context == in_mind, "the capture is what was in mind before the note")?;
        let actor = self.actors.get(&event.actor).ok_or("its actor is registered")?;
        let frames = actor.active.iter().chain([&actor.home, scope]);
        let expected: HashSet<_> = frames.copied().collect();
        let found: HashSet<_> = visited.iter().map(|change| change.frame).collect();
        hold(found == expected, "a visit goes to the actor's frame and all active scopes'")?;
        for change in visited {
            let size = self.size(change.frame);
            let frame = self.frames.entry(change.frame).or_default();
            frame.insert(0, *item);
            let evicted = frame.split_off(size.min(frame.len()));
            hold(change.evicted == evicted, "the least recent go, and no others")?;
        }
        Ok(())
    }
}
