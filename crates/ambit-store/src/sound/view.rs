//! Whether views and streams could be as a log says.

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
                ensure(rows.views.contains_key(&row.view), "its view is not there")?;
                let key = (row.frame, row.position, row.view);
                ensure(!rows.streams.contains_key(&key), "a view stands in a stream once")
            }
            Change::Ended { view, .. } => {
                ensure(rows.views.contains_key(view), "its view is not there")
            }
            Change::Current(it) => {
                let there = rows.actors.contains_key(&it.actor);
                ensure(there && rows.views.contains_key(&it.view), "its view is not there")?;
                it.opened.flatten().map_or(Ok(()), |pin| self.scope_there(pin))
            }
            Change::Last { actor, view } => {
                let there = rows.actors.contains_key(actor) && rows.views.contains_key(view);
                ensure(there, "its view is not there")
            }
            Change::Summarised { view, .. } => {
                let whole = rows.views.get(view).is_some_and(|row| row.fossil_seq.is_none());
                ensure(whole, "the view it summarises is not there, or is summarised already")
            }
        }
    }

    pub(super) fn tidied(&self, it: &Tidied) -> Checked {
        let over = |row: &ActorRow| row.fate.is_some_and(|(it, _)| it == Fate::Abandoned);
        let abandoned = |frame: &ScopeNo| {
            let owner = self.rows.scopes.get(frame).and_then(|row| row.owner);
            owner.and_then(|owner| self.rows.actors.get(&owner)).is_some_and(over)
        };
        ensure(it.frames.iter().all(abandoned), "a frame goes whose subagent is at work")?;
        self.ended(&it.ended)
    }

    /// The views that others end are their actors' last ones. They may be over: who was in a scope
    /// that was closed just before is out.
    pub(super) fn ended(&self, ended: &[ViewEnded]) -> Checked {
        let last = |it: &ViewEnded| {
            let row = self.rows.actors.get(&it.actor);
            row.is_some_and(|row| row.view == Some(it.view))
        };
        ensure(ended.iter().all(last), "a view that it ends is not its actor's last")
    }
}
