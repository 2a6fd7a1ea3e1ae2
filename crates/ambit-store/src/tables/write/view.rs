//! Writing rows of views and streams.

use ambit_core::view::Change;
use ambit_core::{CurrentView, StreamRow, ViewRow};

use super::{At, values};
use crate::Result;

impl At<'_> {
    pub(super) fn write_view(&mut self, change: &Change) -> Result<()> {
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

    pub(in crate::tables) fn insert_view(&mut self, row: &ViewRow) -> Result<()> {
        let previous = row.previous.map(|view| view.0);
        let (started, at, ended) = (row.started_seq, row.started_at, row.ended_seq);
        let (view, actor) = (row.view.0, row.actor.0);
        let (merges, fossil) = (row.merges.map(|frame| frame.0), row.fossil_seq);
        let row =
            values![self.vault, view, &row.id, actor, started, at, previous, ended, merges, fossil];
        self.exec("view_insert", &row)
    }

    pub(in crate::tables) fn insert_stream(&mut self, row: &StreamRow) -> Result<()> {
        let prev = row.prev.map(|view| view.0);
        let row = values![self.vault, row.frame.0, row.position, row.view.0, prev];
        self.exec("stream_insert", &row)
    }
}
