//! The faults that the invariants of frames must find, each invariant alone.

use ambit_core::{
    DeltaRow, Displaced, Entered, Event, Fate, Focused, Forked, FrameChange, FrameRow, ItemNo, Key,
    Noted, ObjectPut, Placed, Rejoined, ScopeNo, State, StreamEntry, Tidied, ViewNo, ViewOpened,
    Visited, What,
};
use ambit_store::Rows;

use super::run::Check;
use crate::fault::{Breaks, Fault, Faults};

const fn inv(name: &'static str) -> Check {
    Check::Invariant(name)
}

const MODEL: Check = Check::Model;

pub const FAULTS: Faults<Check> = &[
    (
        &[Check::Apply],
        Fault {
            name: "the State decided forgets which scopes are active",
            breaks: Breaks::Decided(|state| {
                state.presence.values_mut().for_each(|presence| presence.entered_seq = None);
            }),
        },
    ),
    (
        &[inv("INV-1")],
        Fault::event("views share an id", |_, event| {
            if let Some(opens) = &mut event.body.opens {
                opens.id = "viw_0".into();
            }
        }),
    ),
    (
        &[inv("INV-2"), MODEL],
        Fault::event("a visit reaches one frame alone", |_, event| {
            if let Some((_, visited)) = visit(&mut event.body.what) {
                visited.truncate(1);
            }
        }),
    ),
    (
        &[inv("INV-3"), MODEL],
        Fault::event("a change is captured from its actor's frame", |state, event| {
            let home = state.actor.as_ref().map(|actor| actor.home);
            if let (Some((_, frame)), Some(home)) = (capture(&mut event.body.what), home) {
                *frame = home;
            }
        }),
    ),
    (
        &[inv("INV-4"), MODEL],
        Fault::event("a capture is empty", |_, event| {
            if let Some((context, _)) = capture(&mut event.body.what) {
                context.clear();
            }
        }),
    ),
    (
        &[inv("INV-5"), MODEL],
        Fault::event("a subagent begins with an empty frame", |_, event| {
            if let What::Forked(Forked { child, .. }) = &mut event.body.what {
                child.mind.clear();
            }
        }),
    ),
    (
        &[inv("INV-6"), MODEL],
        Fault::event("a merge is in its parent's stream alone", |_, event| {
            if let What::Rejoined(Rejoined { merge, .. }) = &mut event.body.what {
                merge.streams.truncate(1);
            }
        }),
    ),
    (
        &[inv("INV-6"), inv("INV-15"), Check::Fold, MODEL],
        Fault::rows_of("a frame outlives its merge", frame_stays),
    ),
    (
        &[inv("INV-7"), MODEL],
        Fault::event("the note of a rejoin is visited", |state, event| {
            let home = state.actor.as_ref().map(|actor| actor.home);
            if let (What::Noted(Noted { visited, item, .. }), Some(home)) =
                (&mut event.body.what, home)
                && visited.is_empty()
            {
                visited.push(refilled(state, home, *item, 0));
            }
        }),
    ),
    (
        &[inv("INV-8"), MODEL],
        Fault::event("a view goes on after its actor left", |_, event| {
            event.body.ends_view &= !matches!(event.body.what, What::Left(_));
        }),
    ),
    (
        &[inv("INV-8"), MODEL],
        Fault::event("a view goes on in a scope that its actor closed", |_, event| {
            event.body.ends_view &= !matches!(event.body.what, What::Abandoned(_));
        }),
    ),
    (
        &[inv("INV-9"), MODEL],
        Fault::event("a scope's stream is not linked", |_, event| {
            if let Some(opens) = &mut event.body.opens {
                opens.streams.iter_mut().skip(1).for_each(|entry| entry.prev = None);
            }
        }),
    ),
    (
        &[inv("INV-10"), MODEL],
        Fault::event("a merge follows its subagent's last view", |_, event| {
            if let What::Rejoined(Rejoined { merge, .. }) = &mut event.body.what {
                merge.previous = merge.streams.last().and_then(|entry| entry.prev);
            }
        }),
    ),
    (
        &[inv("INV-11"), MODEL],
        Fault { name: "placing an object enters the scope", breaks: Breaks::Extra(place_enters) },
    ),
    (
        &[inv("INV-11a"), MODEL],
        Fault { name: "entering a scope focuses it", breaks: Breaks::Extra(enter_focuses) },
    ),
    (
        &[inv("INV-11b"), MODEL],
        Fault::rows_of("a subagent begins without a focus", |rows| {
            let subagents = rows.actors.values_mut().filter(|row| row.parent.is_some());
            subagents.for_each(|row| row.primary = None);
        }),
    ),
    (
        &[inv("INV-12"), inv("INV-13"), MODEL],
        Fault::event("a frame holds one item too many", |state, event| {
            resize(state, event, |size| size + 1);
        }),
    ),
    (
        &[inv("INV-13"), MODEL],
        Fault::event("every frame holds seven items", |state, event| {
            resize(state, event, |_| 7);
        }),
    ),
    (
        &[inv("INV-14"), MODEL],
        Fault::rows_of("a frame is empty between views", |rows| {
            let closed = rows.actors.values().filter(|row| !row.view_open).map(|row| row.home);
            for home in closed.collect::<Vec<_>>() {
                rows.frames.retain(|(frame, _), _| *frame != home);
            }
        }),
    ),
    (
        &[inv("INV-16"), MODEL],
        Fault::event("a capture reaches behind a break", |state, event| {
            let Some((context, frame)) = capture(&mut event.body.what) else { return };
            let held = state.frames.get(frame).into_iter().flatten();
            *context = held.take(size(state, *frame)).map(|it| it.item).collect();
        }),
    ),
    (
        &[inv("INV-16"), MODEL],
        Fault::event("a view after a break follows the one before it", |state, event| {
            let broke = state.actor.as_ref().is_some_and(|actor| actor.break_seq > 0);
            if let Some(opens) = event.body.opens.as_mut().filter(|_| broke) {
                let last = state.streams.values().filter_map(|view| *view).max();
                opens.previous = opens.previous.or(last);
            }
        }),
    ),
    (
        &[inv("INV-17"), inv("INV-19"), MODEL],
        Fault::event("a primitive is visited when it changes", |state, event| {
            let home = state.actor.as_ref().map(|actor| actor.home);
            if let (What::Put(ObjectPut { object, delta, .. }), Some(home)) =
                (&mut event.body.what, home)
                && delta.visited.is_empty()
            {
                delta.visited.push(refilled(state, home, *object, 0));
            }
        }),
    ),
    (
        &[inv("INV-18"), MODEL],
        Fault::event("a look visits nothing", |_, event| {
            if let What::Visited(Visited { visited, .. }) = &mut event.body.what {
                visited.clear();
            }
        }),
    ),
    (
        &[inv("INV-19"), MODEL],
        Fault::event("an unlisted type is not visited", |_, event| {
            if let What::Put(ObjectPut { named: Some(named), delta, .. }) = &mut event.body.what
                && named.kind == "dashboard"
            {
                delta.visited.clear();
            }
        }),
    ),
    (
        &[inv("INV-20"), inv("INV-26"), MODEL],
        Fault::event("a subagent shares its parent's frame", |state, event| {
            let home = state.actor.as_ref().map(|actor| actor.home);
            if let (What::Forked(Forked { child, .. }), Some(home)) = (&mut event.body.what, home) {
                child.home = home;
            }
        }),
    ),
    (
        &[inv("INV-21"), MODEL],
        Fault::rows_of("a subagent's frame is owned by its parent", |rows| {
            for actor in rows.actors.values() {
                if let (Some(parent), Some(home)) = (actor.parent, rows.scopes.get_mut(&actor.home))
                {
                    home.owner = Some(parent);
                }
            }
        }),
    ),
    (&[inv("INV-22"), MODEL], Fault::event("every action opens a view", view_each)),
    (
        &[inv("INV-23"), MODEL],
        Fault::event("a view goes on though it is over", |state, event| {
            let open = state.actor.as_ref().filter(|actor| actor.view_open);
            if let (Some(_), Some(view)) = (&event.body.opens, open.and_then(|actor| actor.view)) {
                (event.view, event.body.opens) = (Some(view), None);
            }
        }),
    ),
    (
        &[inv("INV-23"), MODEL],
        Fault::event("a view goes on after its actor entered a scope", |_, event| {
            event.body.ends_view &= !matches!(event.body.what, What::Entered(_));
        }),
    ),
    (
        &[inv("INV-24")],
        Fault::event("a summary forgets what was visited", |_, event| {
            if let What::Tidied(Tidied { fossils, .. }) = &mut event.body.what {
                fossils.iter_mut().for_each(|it| it.visited.clear());
            }
        }),
    ),
    (
        &[inv("INV-25"), Check::Fold],
        Fault::rows_of("a summary counts as a change", |rows| {
            for seq in rows.views.values().filter_map(|view| view.fossil_seq).collect::<Vec<_>>() {
                let row = DeltaRow { frame: ScopeNo::VAULT, seq, item: ItemNo(1) };
                rows.deltas.insert((row.frame, seq), row);
            }
        }),
    ),
];

/// Returns the visits of an event and their effect on frames.
fn visit(what: &mut What) -> Option<(ItemNo, &mut Vec<FrameChange>)> {
    match what {
        What::Noted(Noted { item, visited, .. }) | What::Visited(Visited { item, visited }) => {
            Some((*item, visited))
        }
        What::Put(ObjectPut { object, delta, .. })
        | What::Placed(Placed { object, delta, .. })
        | What::Displaced(Displaced { object, delta, .. }) => Some((*object, &mut delta.visited)),
        _ => None,
    }
}

/// Returns the capture of a change, and its frame.
fn capture(what: &mut What) -> Option<(&mut Vec<ItemNo>, &mut ScopeNo)> {
    match what {
        What::Noted(Noted { context, context_frame, .. }) => Some((context, context_frame)),
        What::Put(ObjectPut { delta, .. })
        | What::Placed(Placed { delta, .. })
        | What::Displaced(Displaced { delta, .. }) => {
            Some((&mut delta.context, &mut delta.context_frame))
        }
        _ => None,
    }
}

fn size(state: &State, frame: ScopeNo) -> usize {
    state.settings.get(frame, Key::FrameSize) as usize
}

/// A visit's effect on a frame of some size; 0 for the size that is set.
fn refilled(state: &State, frame: ScopeNo, item: ItemNo, held: usize) -> FrameChange {
    let held = if held == 0 { size(state, frame) } else { held };
    let others = state.frames.get(&frame).into_iter().flatten().map(|it| it.item);
    let mut behind: Vec<_> = others.filter(|it| *it != item).collect();
    let evicted = behind.split_off(behind.len().min(held - 1));
    FrameChange { frame, evicted, behind: Some(behind) }
}

/// Gives the frames of a visit another size.
fn resize(state: &State, event: &mut Event, to: fn(usize) -> usize) {
    let Some((item, visited)) = visit(&mut event.body.what) else { return };
    for change in visited {
        *change = refilled(state, change.frame, item, to(size(state, change.frame)));
    }
}

fn frame_stays(rows: &mut Rows) {
    let rejoined = rows.actors.values().filter(|it| matches!(it.fate, Some((Fate::Rejoined, _))));
    for scope in rejoined.map(|it| it.home).collect::<Vec<_>>() {
        let row = FrameRow { scope, item: ItemNo(1), last_seq: 1, visits: 1 };
        rows.frames.insert((scope, row.item), row);
    }
}

fn place_enters(state: &State, event: &Event) -> Option<Event> {
    let What::Placed(Placed { place, .. }) = &event.body.what else { return None };
    let inside = state.active_scopes().contains(&place.scope);
    (!inside).then(|| next(event, What::Entered(Entered { scope: place.scope, stands: None })))
}

fn enter_focuses(_: &State, event: &Event) -> Option<Event> {
    let What::Entered(Entered { scope, .. }) = event.body.what else { return None };
    Some(next(event, What::Focused(Focused { scope, stands: None })))
}

/// Another event of the same actor in the same view.
fn next(event: &Event, what: What) -> Event {
    let mut event = event.clone();
    event.body.what = what;
    (event.body.opens, event.body.here, event.body.told_in) = (None, Vec::new(), Vec::new());
    event
}

fn view_each(state: &State, event: &mut Event) {
    let (Some(actor), Some(previous), None) = (&state.actor, event.view, &event.body.opens) else {
        return;
    };
    // A unique number: all others count up from 1.
    let view = ViewNo(1_000_000 + state.vault.head_seq);
    let frames = [actor.home].into_iter().chain(state.active_scopes());
    let entry = |frame| {
        let prev = state.streams.get(&frame).copied().flatten();
        StreamEntry { frame, prev }
    };
    let (id, pin, streams) =
        (format!("viw_{}", view.0), actor.view_pin, frames.map(entry).collect());
    event.body.opens = Some(ViewOpened { view, id, previous: Some(previous), pin, streams });
    event.view = Some(view);
}
