//! Frames, visits and captured changes: how their changes are applied and checked, and how their
//! tables are read and written.

use std::collections::BTreeSet;

use ambit_core::frame::Change;
use ambit_core::{
    ActorKind, ActorNo, DeltaRow, Event, FrameChange, FrameRow, ItemNo, ScopeNo, VisitRow,
};

use super::{Origins, Rows, Table};
use crate::Result;
use crate::sound::{Checked, Sound, ensure};
use crate::tables::map::{flag, int};
use crate::tables::{At, Got, Row, values};

impl Rows {
    pub(crate) fn change_frame(&mut self, change: Change) {
        match change {
            Change::Visit(row) => drop(self.visits.insert((row.frame, row.seq), row)),
            Change::Delta(row) => drop(self.deltas.insert((row.frame, row.seq), row)),
            Change::Remembered { frame, item, seq } => {
                let row = FrameRow { scope: frame, item, last_seq: seq, visits: 0 };
                let row = self.frames.entry((frame, item)).or_insert(row);
                row.last_seq = seq;
                row.visits += 1;
            }
            Change::Evicted { frame, item } => drop(self.frames.remove(&(frame, item))),
            Change::Copied(row) => drop(self.frames.insert((row.scope, row.item), row)),
            Change::Dropped { frame } => self.frames.retain(|(scope, _), _| *scope != frame),
            Change::Broke { actor, seq } => {
                if let Some(row) = self.actors.get_mut(&actor) {
                    (row.break_seq, row.view) = (seq, None);
                }
            }
        }
    }
}

impl At<'_> {
    pub(crate) fn write_frame(&mut self, change: &Change) -> Result<()> {
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

    pub(crate) fn insert_visit(&mut self, row: &VisitRow) -> Result<()> {
        let (frame, item, actor) = (row.frame.0, row.item.0, row.actor.0);
        self.exec("visit_insert", &values![self.vault, frame, row.seq, item, actor, row.own])
    }

    pub(crate) fn insert_delta(&mut self, row: &DeltaRow) -> Result<()> {
        self.exec("delta_insert", &values![self.vault, row.frame.0, row.seq, row.item.0])
    }

    pub(crate) fn insert_frame(&mut self, row: &FrameRow) -> Result<()> {
        let row = values![self.vault, row.scope.0, row.item.0, row.last_seq, row.visits];
        self.exec("frame_insert", &row)
    }
}

impl Sound {
    /// Checks that the frames in an event match the frames' contents.
    pub(crate) fn frames(&self, event: &Event) -> Checked {
        if let Some((item, frames)) = event.body.what.visit() {
            let distinct: BTreeSet<_> = frames.iter().map(|it| it.frame).collect();
            ensure(distinct.len() == frames.len(), "its visit is in the same frame twice")?;
            frames.iter().try_for_each(|it| self.frame(item, it))?;
        }
        if let Some((context, frame)) = event.body.what.capture() {
            ensure(self.held(frame).starts_with(context), "its capture is not its frame")?;
        }
        Ok(())
    }

    /// Checks that the items after a visited one are those of the frame, in its order.
    fn frame(&self, item: ItemNo, change: &FrameChange) -> Checked {
        let Some(behind) = &change.behind else {
            return Ok(());
        };
        let held = self.held(change.frame).into_iter().filter(|it| *it != item);
        let said = behind.iter().chain(&change.evicted).copied();
        ensure(held.eq(said), "its frame holds other items")
    }

    /// Returns the items of a frame, most recent first.
    fn held(&self, frame: ScopeNo) -> Vec<ItemNo> {
        let rows = self.rows.frames.range((frame, ItemNo(0))..=(frame, ItemNo(i64::MAX)));
        let mut rows: Vec<_> = rows.map(|(_, row)| (row.last_seq, row.item)).collect();
        rows.sort_unstable_by(|a, b| b.cmp(a));
        rows.into_iter().map(|(_, item)| item).collect()
    }

    pub(crate) fn check_frame(&mut self, change: &Change) -> Checked {
        let rows = &self.rows;
        match change {
            Change::Visit(row) => {
                let home = rows.actors.get(&row.actor).map(|actor| actor.home);
                ensure(
                    row.own == (home == Some(row.frame)),
                    "its first frame is not the actor's own",
                )?;
                let known = rows.items.contains_key(&row.item);
                let new = !rows.visits.contains_key(&(row.frame, row.seq));
                ensure(known && new, "what it visits does not exist")
            }
            Change::Delta(row) => {
                ensure(rows.items.contains_key(&row.item), "what it changes does not exist")?;
                self.scope_there(row.frame)
            }
            Change::Remembered { frame, item, .. } => {
                ensure(rows.items.contains_key(item), "what it visits does not exist")?;
                self.scope_there(*frame)
            }
            Change::Evicted { frame, item } => ensure(
                rows.frames.contains_key(&(*frame, *item)),
                "what it evicts is not in the frame",
            ),
            Change::Copied(row) => {
                ensure(rows.items.contains_key(&row.item), "an item of its frame does not exist")?;
                self.scope_there(row.scope)
            }
            Change::Dropped { frame } => {
                let subagent = rows.actors.values().find(|row| row.home == *frame);
                let subagent = subagent.is_some_and(|row| row.kind == ActorKind::Subagent);
                ensure(subagent, "it removes the frame of an actor that is not a subagent")
            }
            Change::Broke { actor, .. } => self.actor_there(*actor),
        }
    }
}

impl Table for VisitRow {
    type Key = (ScopeNo, i64);
    const NAME: &'static str = "visit";
    const ALL: &'static str = "all_visits";
    const DELETE: &'static str = "all_visit_delete";

    fn key(&self) -> Self::Key {
        (self.frame, self.seq)
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_visit(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        Some(self.seq)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        Ok(VisitRow {
            frame: ScopeNo(int(row, 0)?),
            seq: int(row, 1)?,
            item: ItemNo(int(row, 2)?),
            actor: ActorNo(int(row, 3)?),
            own: flag(row, 4)?,
        })
    }
}

impl Table for DeltaRow {
    type Key = (ScopeNo, i64);
    const NAME: &'static str = "delta";
    const ALL: &'static str = "all_deltas";
    const DELETE: &'static str = "all_delta_delete";

    fn key(&self) -> Self::Key {
        (self.frame, self.seq)
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_delta(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        Some(self.seq)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        Ok(DeltaRow { frame: ScopeNo(int(row, 0)?), seq: int(row, 1)?, item: ItemNo(int(row, 2)?) })
    }
}

impl Table for FrameRow {
    type Key = (ScopeNo, ItemNo);
    const NAME: &'static str = "frame";
    const ALL: &'static str = "all_frames";
    const DELETE: &'static str = "all_frame_delete";

    fn key(&self) -> Self::Key {
        (self.scope, self.item)
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_frame(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        Some(self.last_seq)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        Ok(FrameRow {
            scope: ScopeNo(int(row, 0)?),
            item: ItemNo(int(row, 1)?),
            last_seq: int(row, 2)?,
            visits: int(row, 3)?,
        })
    }
}
