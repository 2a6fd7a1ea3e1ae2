//! The faults that the checks of conversations must find, each check alone.

use ambit_core::compose::Dangling;
use ambit_core::{Appended, Cleared, Event, Forgotten, Noted, Rewound, State, Way, What};

use super::run::Check;
use crate::fault::{Breaks, Fault, Faults};

pub const FAULTS: Faults<Check> = &[
    (
        &[Check::Rows],
        Fault::rows_of("a place keeps its old sum", |rows| {
            let open = |place: &&mut ambit_core::PlaceRow| place.to_seq.is_none();
            if let Some(place) = rows.places.values_mut().rev().find(open) {
                place.sum += 1;
            }
        }),
    ),
    (
        &[Check::Rows],
        Fault::event("an event brings a wrong sum", |_, event| {
            if let What::Rewound(Rewound { sum, .. }) | What::Cleared(Cleared { sum, .. }) =
                &mut event.body.what
            {
                *sum += 1;
            }
        }),
    ),
    (
        &[Check::Apply],
        Fault {
            name: "the State decided forgets when its actor was last heard of",
            breaks: Breaks::Decided(|state| {
                state.presence.values_mut().for_each(|presence| presence.last_time = None);
            }),
        },
    ),
    (&[Check::Valid], Fault::plan("open calls are shown", |plan| plan.dangling = Dangling::Keep)),
    (&[Check::Budget], Fault::plan("the window is too large", |plan| plan.room *= 8)),
    (
        &[Check::Prefix],
        Fault::plan("notes move to the layer at every call", |plan| {
            plan.fold = None;
        }),
    ),
    (&[Check::Prefix], Fault::plan("the window moves with every turn", |plan| plan.step = 1)),
    (
        &[Check::Prefix],
        Fault::plan("everything counts as shared", |plan| {
            plan.answered = Some(plan.end);
        }),
    ),
    (
        &[Check::Prefix],
        Fault::event("a silence begins no epoch", |_, event| {
            event.body.here.iter_mut().for_each(|here| here.boundary = false);
        }),
    ),
    // D1-12
    (
        &[Check::Prefix],
        Fault {
            name: "a chain carried away begins no epoch for other readers",
            breaks: Breaks::Read(|state| {
                state.presence.values_mut().for_each(|presence| presence.boundary = 0);
            }),
        },
    ),
    (
        &[Check::Prefix],
        Fault::event("a forgotten note begins no epoch elsewhere", |_, event| {
            if let What::Forgotten(Forgotten { everywhere, .. }) = &mut event.body.what {
                *everywhere = false;
            }
        }),
    ),
    (&[Check::Model], Fault::event("an arrival is noted where the actor came from", arrival)),
    //
    (&[Check::Model], Fault::event("of calls with equal ids the last is answered", equal_ids)),
    (
        &[Check::Model],
        Fault {
            name: "a turn is shown without its first block",
            breaks: Breaks::Items(|items| {
                let cut = items.messages.windows(2).position(|pair| pair[0].turn == pair[1].turn);
                cut.map(|at| items.messages.remove(at));
            }),
        },
    ),
    // D1-2
    (
        &[Check::Model],
        Fault::event("clearing hides pending chains", |_, event| {
            if let What::Cleared(Cleared { kept, .. }) = &mut event.body.what {
                kept.clear();
            }
        }),
    ),
    (
        &[Check::Model],
        Fault::event("a rewind hides its own turn", |_, event| {
            if let What::Rewound(Rewound { after, .. }) = &mut event.body.what {
                *after -= 1;
            }
        }),
    ),
    (
        &[Check::Model],
        Fault::event("a text is forgotten that others have too", |state, event| {
            if let What::Forgotten(Forgotten { contents, .. }) = &mut event.body.what {
                *contents = state.selected.texts.keys().copied().collect();
            }
        }),
    ),
    // D0-10
    (
        &[Check::Views],
        Fault::event("a view goes on after its actor left", |_, event| {
            event.body.ends_view &= !matches!(event.body.what, What::Left(_));
        }),
    ),
    // S0-44, S0-45
    (
        &[Check::Views],
        Fault::event("a frame holds one item too many", |_, event| {
            if let What::Noted(Noted { visited, .. }) = &mut event.body.what {
                for change in visited {
                    change.evicted.pop();
                }
            }
        }),
    ),
];

fn arrival(state: &State, event: &mut Event) {
    let What::Noted(Noted { scope, position, sum, shown, way: Some(Way::From(origin)), .. }) =
        &mut event.body.what
    else {
        return;
    };
    if let Some(origin) = state.scopes.get(origin) {
        *scope = origin.row.scope;
        *position = origin.row.next_position;
        *sum = origin.row.sum + *shown;
    }
}

fn equal_ids(state: &State, event: &mut Event) {
    let What::Appended(Appended { blocks, .. }) = &mut event.body.what else { return };
    for call in blocks.iter_mut().filter_map(|block| block.call.as_mut()) {
        let Some(own) = state.calls.iter().find(|it| it.item == *call) else { continue };
        let equal = |it: &&ambit_core::OpenCall| {
            (it.scope, it.actor, it.anchor, it.call_id)
                == (own.scope, own.actor, own.anchor, own.call_id)
        };
        *call = state.calls.iter().rfind(equal).map_or(*call, |it| it.item);
    }
}
