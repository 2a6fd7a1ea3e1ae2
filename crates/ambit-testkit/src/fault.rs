//! Fault injection: data corrupted between the program's parts, to prove that each check can fail.
//! The program itself contains no switches for faults.

use ambit_core::compose::{Items, Plan};
use ambit_core::{Done, Event, Hash, Logged, State, chain};
use ambit_store::Rows;

/// One fault, with a readable name.
#[derive(Clone, Copy)]
pub struct Fault {
    pub name: &'static str,
    pub breaks: Breaks,
}

/// The data that a fault corrupts, and the point at which it does.
#[derive(Clone, Copy)]
pub enum Breaks {
    /// A decided event, before the store writes it. The State is the one before the event.
    Event(fn(&State, &mut Event)),
    /// An additional event after a decided one.
    Extra(fn(&State, &Event) -> Option<Event>),
    /// The State after a decision.
    Decided(fn(&mut State)),
    /// The rows that a snapshot reads.
    Rows(fn(&mut Rows)),
    /// A composition: the State read for it, the plan, or the items.
    Read(fn(&mut State)),
    Plan(fn(&mut Plan)),
    Items(fn(&mut Items)),
    /// An early acknowledgement: a command is answered before it is written.
    Acknowledged,
}

/// A table of faults, each with the checks that must find it alone.
pub type Faults<C> = &'static [(&'static [C], Fault)];

impl std::fmt::Debug for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Fault {
    pub const fn event(name: &'static str, edit: fn(&State, &mut Event)) -> Fault {
        Fault { name, breaks: Breaks::Event(edit) }
    }

    pub const fn rows_of(name: &'static str, edit: fn(&mut Rows)) -> Fault {
        Fault { name, breaks: Breaks::Rows(edit) }
    }

    pub const fn plan(name: &'static str, edit: fn(&mut Plan)) -> Fault {
        Fault { name, breaks: Breaks::Plan(edit) }
    }

    /// Corrupts a decision. Sequences, bodies' texts and hashes stay consistent: only the fault
    /// itself can be found.
    pub fn decided(&self, before: &State, done: &mut Done) {
        match self.breaks {
            Breaks::Event(_) | Breaks::Extra(_) => self.events(before, done),
            Breaks::Decided(edit) => edit(&mut done.state),
            Breaks::Rows(_)
            | Breaks::Read(_)
            | Breaks::Plan(_)
            | Breaks::Items(_)
            | Breaks::Acknowledged => {}
        }
    }

    fn events(&self, before: &State, done: &mut Done) {
        let mut state = before.clone();
        let mut events = Vec::new();
        for mut event in std::mem::take(&mut done.events).into_iter().map(|logged| logged.event) {
            if let Breaks::Event(edit) = self.breaks {
                edit(&state, &mut event);
            }
            let extra = match self.breaks {
                Breaks::Extra(make) => make(&state, &event),
                _ => None,
            };
            for event in [event].into_iter().chain(extra) {
                let logged = seal(&state, event);
                state.apply(&logged);
                events.push(logged);
            }
        }
        state.texts = std::mem::take(&mut done.state.texts);
        (done.events, done.state) = (events, state);
    }

    pub fn rows(&self, rows: &mut Rows) {
        if let Breaks::Rows(edit) = self.breaks {
            edit(rows);
        }
    }
}

/// Writes an event as the log's next one.
fn seal(before: &State, event: Event) -> Logged {
    let event = Event { seq: before.vault.head_seq + 1, ..event };
    let previous: &Hash = &before.vault.head_hash;
    let text = serde_json::to_string(&event.body).unwrap();
    let hash = chain(previous, event.seq, event.time, event.actor, event.view, &text);
    Logged { event, text, hash }
}
