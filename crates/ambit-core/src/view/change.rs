//! Operations on the tables of views and streams.

use super::{StreamRow, ViewRow};
use crate::{ActorNo, ActorRow, Changes, Event, Millis, ScopeNo, State, ViewNo, scope};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Opened(ViewRow),
    /// A view's place in one stream.
    Stream(StreamRow),
    Ended {
        view: ViewNo,
        seq: i64,
    },
    /// Updates the actor's row with its current view.
    Current(CurrentView),
    /// The actor's view has ended, and is its last one.
    Last {
        actor: ActorNo,
        view: ViewNo,
    },
    /// Replaces the view's list of actions by a summary.
    Summarised {
        view: ViewNo,
        ended_seq: i64,
        seq: i64,
    },
}

/// The change that an event makes to its actor's open view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentView {
    pub actor: ActorNo,
    pub view: ViewNo,
    /// The pin of the view, if the event opens it.
    pub opened: Option<Option<ScopeNo>>,
    pub open: bool,
    pub capture: Option<ScopeNo>,
    pub time: Millis,
}

impl CurrentView {
    /// Updates the actor's row.
    pub fn follow(&self, actor: &mut ActorRow) {
        if let Some(pin) = self.opened {
            actor.view_pin = pin;
            actor.view_capture = None;
        }
        actor.view = Some(self.view);
        actor.view_open = self.open;
        actor.view_capture = self.capture.or(actor.view_capture);
        actor.view_time = self.time;
    }
}

/// Adds the operations on the view that an event belongs to.
pub(crate) fn changes(at: &Event, out: &mut Changes) {
    let Event { actor, seq, time, view, .. } = *at;
    let Some(view) = view else {
        return;
    };
    if let Some(opens) = &at.body.opens {
        out.push(Change::Opened(ViewRow {
            view,
            id: opens.id.clone(),
            actor,
            started_seq: seq,
            started_at: time,
            previous: opens.previous,
            ended_seq: None,
            merges: None,
            fossil_seq: None,
        }));
        for entry in &opens.streams {
            let (frame, prev) = (entry.frame, entry.prev);
            out.push(Change::Stream(StreamRow { frame, position: seq, view, prev }));
        }
        if let Some(scope) = opens.pin {
            out.push(scope::Change::Pinned { actor, scope });
        }
    }
    let ends = at.body.ends_view;
    if ends {
        out.push(Change::Ended { view, seq });
    }
    let capture = at.body.what.capture().map(|(_, frame)| frame);
    let opened = at.body.opens.as_ref().map(|opens| opens.pin);
    out.push(Change::Current(CurrentView { actor, view, opened, open: !ends, capture, time }));
}

impl State {
    pub(crate) fn change_view(&mut self, change: Change) {
        match change {
            Change::Stream(row) => {
                if let Some(last) = self.streams.get_mut(&row.frame) {
                    *last = Some(row.view);
                }
            }
            Change::Current(current) => {
                if let Some(own) = self.own_actor(current.actor) {
                    current.follow(own);
                }
            }
            Change::Last { actor, view } => {
                if let Some(own) = self.own_actor(actor) {
                    (own.view, own.view_open) = (Some(view), false);
                }
            }
            // The rows of views are not part of the State.
            Change::Opened(_) | Change::Ended { .. } | Change::Summarised { .. } => {}
        }
    }
}
