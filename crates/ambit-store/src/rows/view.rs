//! Views and streams: how their changes are applied and checked, and how their tables are read and
//! written.

use ambit_core::view::Change;
use ambit_core::{
    ActorNo, ActorRow, CurrentView, Fate, ScopeNo, StreamRow, Tidied, ViewEnded, ViewNo, ViewRow,
};

use super::{Origins, Rows, Table};
use crate::Result;
use crate::sound::{Checked, Sound, ensure};
use crate::tables::map::{int, maybe_int, string};
use crate::tables::{At, Got, Row, values};

impl Rows {
    pub(crate) fn change_view(&mut self, change: Change) {
        match change {
            Change::Opened(row) => drop(self.views.insert(row.view, row)),
            Change::Stream(row) => {
                self.streams.insert((row.frame, row.position, row.view), row);
            }
            Change::Ended { view, seq } => {
                if let Some(row) = self.views.get_mut(&view) {
                    row.ended_seq = Some(seq);
                }
            }
            Change::Current(current) => {
                if let Some(row) = self.actors.get_mut(&current.actor) {
                    current.follow(row);
                }
            }
            Change::Last { actor, view } => {
                if let Some(row) = self.actors.get_mut(&actor) {
                    (row.view, row.view_open) = (Some(view), false);
                }
            }
            Change::Summarised { view, ended_seq, seq } => {
                if let Some(row) = self.views.get_mut(&view) {
                    row.ended_seq = row.ended_seq.or(Some(ended_seq));
                    row.fossil_seq = Some(seq);
                }
            }
        }
    }
}

impl At<'_> {
    pub(crate) fn write_view(&mut self, change: &Change) -> Result<()> {
        let vault = self.vault;
        match change {
            Change::Opened(row) => self.insert_view(row),
            Change::Stream(row) => self.insert_stream(row),
            Change::Ended { view, seq } => self.exec("view_end", &values![vault, view.0, seq]),
            Change::Current(current) => self.write_current_view(current),
            Change::Last { actor, view } => {
                self.exec("actor_last_view", &values![vault, actor.0, view.0])
            }
            Change::Summarised { view, ended_seq, seq } => {
                self.exec("view_fossil", &values![vault, view.0, seq, ended_seq])
            }
        }
    }

    fn write_current_view(&mut self, it: &CurrentView) -> Result<()> {
        let capture = it.capture.map(|scope| scope.0);
        let (actor, view) = (it.actor.0, it.view.0);
        match it.opened {
            Some(pin) => {
                let pin = pin.map(|scope| scope.0);
                let row = values![self.vault, actor, view, it.open, capture, it.time, pin];
                self.exec("actor_view_opened", &row)
            }
            None => self
                .exec("actor_view", &values![self.vault, actor, view, it.open, capture, it.time]),
        }
    }

    pub(crate) fn insert_view(&mut self, row: &ViewRow) -> Result<()> {
        let previous = row.previous.map(|view| view.0);
        let (started, at, ended) = (row.started_seq, row.started_at, row.ended_seq);
        let (view, actor) = (row.view.0, row.actor.0);
        let (merges, fossil) = (row.merges.map(|frame| frame.0), row.fossil_seq);
        let row =
            values![self.vault, view, &row.id, actor, started, at, previous, ended, merges, fossil];
        self.exec("view_insert", &row)
    }

    pub(crate) fn insert_stream(&mut self, row: &StreamRow) -> Result<()> {
        let prev = row.prev.map(|view| view.0);
        let row = values![self.vault, row.frame.0, row.position, row.view.0, prev];
        self.exec("stream_insert", &row)
    }
}

impl Sound {
    pub(crate) fn check_view(&mut self, change: &Change) -> Checked {
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

    pub(crate) fn tidied(&self, it: &Tidied) -> Checked {
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
    pub(crate) fn ended(&self, ended: &[ViewEnded]) -> Checked {
        let last = |it: &ViewEnded| {
            let row = self.rows.actors.get(&it.actor);
            row.is_some_and(|row| row.view == Some(it.view))
        };
        ensure(ended.iter().all(last), "a view that it ends is not its actor's last")
    }
}

impl Table for ViewRow {
    type Key = ViewNo;
    const NAME: &'static str = "view";
    const ALL: &'static str = "all_views";
    const DELETE: &'static str = "all_view_delete";

    fn key(&self) -> Self::Key {
        self.view
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_view(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        Some(self.started_seq)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        Ok(ViewRow {
            view: ViewNo(int(row, 0)?),
            id: string(row, 1)?,
            actor: ActorNo(int(row, 2)?),
            started_seq: int(row, 3)?,
            started_at: int(row, 4)?,
            previous: maybe_int(row, 5)?.map(ViewNo),
            ended_seq: maybe_int(row, 6)?,
            merges: maybe_int(row, 7)?.map(ScopeNo),
            fossil_seq: maybe_int(row, 8)?,
        })
    }
}

impl Table for StreamRow {
    type Key = (ScopeNo, i64, ViewNo);
    const NAME: &'static str = "stream";
    const ALL: &'static str = "all_streams";
    const DELETE: &'static str = "all_stream_delete";

    fn key(&self) -> Self::Key {
        (self.frame, self.position, self.view)
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_stream(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        Some(self.position)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        Ok(StreamRow {
            frame: ScopeNo(int(row, 0)?),
            position: int(row, 1)?,
            view: ViewNo(int(row, 2)?),
            prev: maybe_int(row, 3)?.map(ViewNo),
        })
    }
}
