//! Operations on the tables of frames, visits and captured changes.

use std::collections::BTreeSet;

use super::{Container, DeltaRow, FrameRow, VisitRow};
use crate::log::Fact;
use crate::{ActorNo, Changes, Event, ItemNo, ScopeNo, State};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A visit, as one frame saw it.
    Visit(VisitRow),
    /// A change, in one of the frames that list it.
    Delta(DeltaRow),
    /// An item moves to the front of a frame.
    Remembered {
        frame: ScopeNo,
        item: ItemNo,
        seq: i64,
    },
    Evicted {
        frame: ScopeNo,
        item: ItemNo,
    },
    /// One item of a frame that is copied at a fork.
    Copied(FrameRow),
    /// A frame is deleted with its items.
    Dropped {
        frame: ScopeNo,
    },
    /// The actor's earlier visits are no longer captured.
    Broke {
        actor: ActorNo,
        seq: i64,
    },
}

/// Adds the operations for an event's capture and visit, for every kind of event.
pub(crate) fn changes(at: &Event, fact: &dyn Fact, out: &mut Changes) {
    let Event { seq, actor, .. } = *at;
    let (visited, frames) = fact.visit().unwrap_or_default();
    if let Some(capture) = fact.capture() {
        let told_in = at.body.told_in.iter().copied().chain([capture.frame]);
        let told: BTreeSet<_> = frames.iter().map(|it| it.frame).chain(told_in).collect();
        for frame in told {
            out.push(Change::Delta(DeltaRow { frame, seq, item: capture.item }));
        }
    }
    let item = visited;
    for (index, change) in frames.iter().enumerate() {
        let (frame, own) = (change.frame, index == 0);
        out.push(Change::Visit(VisitRow { frame, seq, item, actor, own }));
        for evicted in &change.evicted {
            out.push(Change::Evicted { frame, item: *evicted });
        }
        out.push(Change::Remembered { frame, item, seq });
    }
}

impl State {
    pub(crate) fn change_frame(&mut self, change: Change) {
        match change {
            Change::Remembered { frame, item, seq } => {
                if let Some(containers) = self.frames.get_mut(&frame) {
                    let known = containers.iter().position(|container| container.item == item);
                    let visits = known.map_or(0, |index| containers.remove(index).visits) + 1;
                    containers.insert(0, Container { item, last_seq: seq, visits });
                }
            }
            Change::Evicted { frame, item } => {
                if let Some(containers) = self.frames.get_mut(&frame) {
                    containers.retain(|container| container.item != item);
                }
            }
            Change::Copied(row) => {
                if let Some(containers) = self.frames.get_mut(&row.scope) {
                    let (item, last_seq, visits) = (row.item, row.last_seq, row.visits);
                    containers.push(Container { item, last_seq, visits });
                }
            }
            Change::Dropped { frame } => {
                if let Some(containers) = self.frames.get_mut(&frame) {
                    containers.clear();
                }
            }
            Change::Broke { actor, seq } => {
                if let Some(own) = self.own_actor(actor) {
                    (own.break_seq, own.view) = (seq, None);
                }
            }
            // The histories of visits and changes are not part of the State.
            Change::Visit(_) | Change::Delta(_) => {}
        }
    }
}
