//! Checks views and streams in a log.

use ambit_core::view::Change;
use ambit_core::{ActorRow, Fate, ScopeNo, Tidied, ViewEnded};

use super::{Checked, Sound, ensure};

impl Sound {
    pub(super) fn check_view(&mut self, change: &Change) -> Checked {
        let rows = &self.rows;
        match change {
            Change::Opened(row) => {
                ensure(!rows.views.contains_key(&row.view), "its number is taken")?;
                self.id(&row.id, "viw_")
            }
            Change::Stream(row) => {
                self.scope_there(row.frame)?;
                ensure(rows.views.contains_key(&row.view), "its view does not exist")?;
                let key = (row.frame, row.position, row.view);
                ensure(!rows.streams.contains_key(&key), "its view is in the stream already")
            }
            Change::Ended { view, .. } => {
                ensure(rows.views.contains_key(view), "its view does not exist")
            }
            Change::Current(it) => {
                let there = rows.actors.contains_key(&it.actor);
                ensure(there && rows.views.contains_key(&it.view), "its view does not exist")?;
                it.opened.flatten().map_or(Ok(()), |pin| self.scope_there(pin))
            }
            Change::Last { actor, view } => {
                let there = rows.actors.contains_key(actor) && rows.views.contains_key(view);
                ensure(there, "its view does not exist")
            }
            Change::Summarised { view, .. } => {
                let whole = rows.views.get(view).is_some_and(|row| row.fossil_seq.is_none());
                ensure(whole, "the view it summarises does not exist or is already summarised")
            }
        }
    }

    pub(super) fn tidied(&self, it: &Tidied) -> Checked {
        let over = |row: &ActorRow| row.fate.is_some_and(|(it, _)| it == Fate::Abandoned);
        let abandoned = |frame: &ScopeNo| {
            let owner = self.rows.scopes.get(frame).and_then(|row| row.owner);
            owner.and_then(|owner| self.rows.actors.get(&owner)).is_some_and(over)
        };
        ensure(it.frames.iter().all(abandoned), "it removes the frame of a running subagent")?;
        self.ended(&it.ended)
    }

    /// Checks that a view ended by another actor is the last one of its own actor. The view may
    /// have ended already, if the actor was in a scope that was closed just before.
    pub(super) fn ended(&self, ended: &[ViewEnded]) -> Checked {
        let last = |it: &ViewEnded| {
            let row = self.rows.actors.get(&it.actor);
            row.is_some_and(|row| row.view == Some(it.view))
        };
        ensure(ended.iter().all(last), "a view that it ends is not its actor's last")
    }
}
