//! Writing rows of frames, visits and captured changes.

use ambit_core::frame::Change;
use ambit_core::{DeltaRow, FrameRow, VisitRow};

use super::{At, values};
use crate::Result;

impl At<'_> {
    pub(super) fn write_frame(&mut self, change: &Change) -> Result<()> {
        let vault = self.vault;
        match change {
            Change::Visit(row) => self.insert_visit(row),
            Change::Delta(row) => self.insert_delta(row),
            Change::Remembered { frame, item, seq } => {
                self.exec("frame_remember", &values![vault, frame.0, item.0, seq])
            }
            Change::Evicted { frame, item } => {
                self.exec("frame_evict", &values![vault, frame.0, item.0])
            }
            Change::Copied(row) => self.insert_frame(row),
            Change::Dropped { frame } => self.exec("frame_drop", &values![vault, frame.0]),
            Change::Broke { actor, seq } => self.exec("actor_break", &values![vault, actor.0, seq]),
        }
    }

    pub(in crate::tables) fn insert_visit(&mut self, row: &VisitRow) -> Result<()> {
        let (frame, item, actor) = (row.frame.0, row.item.0, row.actor.0);
        self.exec("visit_insert", &values![self.vault, frame, row.seq, item, actor, row.own])
    }

    pub(in crate::tables) fn insert_delta(&mut self, row: &DeltaRow) -> Result<()> {
        self.exec("delta_insert", &values![self.vault, row.frame.0, row.seq, row.item.0])
    }

    pub(in crate::tables) fn insert_frame(&mut self, row: &FrameRow) -> Result<()> {
        let row = values![self.vault, row.scope.0, row.item.0, row.last_seq, row.visits];
        self.exec("frame_insert", &row)
    }
}
