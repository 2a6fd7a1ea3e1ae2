//! Rows of views and streams.

use ambit_core::view::Change;

use super::Rows;

impl Rows {
    pub(super) fn change_view(&mut self, change: Change) {
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
