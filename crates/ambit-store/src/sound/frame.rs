//! Checks frames, visits and captures in a log.

use std::collections::BTreeSet;

use ambit_core::frame::Change;
use ambit_core::{ActorKind, Event, FrameChange, ItemNo, ScopeNo};

use super::{Checked, Sound, ensure};

impl Sound {
    /// Checks that the frames in an event match the frames' contents.
    pub(super) fn frames(&self, event: &Event) -> Checked {
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

    pub(super) fn check_frame(&mut self, change: &Change) -> Checked {
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
