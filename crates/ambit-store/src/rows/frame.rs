//! Rows of frames, visits and captured changes.

use ambit_core::FrameRow;
use ambit_core::frame::Change;

use super::Rows;

impl Rows {
    pub(super) fn change_frame(&mut self, change: Change) {
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
