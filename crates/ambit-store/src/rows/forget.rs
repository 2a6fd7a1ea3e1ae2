//! Rows whose texts are forgotten.

use ambit_core::ContentNo;
use ambit_core::forget::Change;

use super::Rows;

impl Rows {
    pub(super) fn change_forget(&mut self, change: Change) {
        match change {
            Change::Item { item, seq } => {
                if let Some(row) = self.items.get_mut(&item) {
                    row.content = ContentNo::forgotten(seq);
                }
            }
            Change::Shape { turn, seq } => {
                if let Some(row) = self.turns.get_mut(&turn) {
                    row.shape = ContentNo::forgotten(seq);
                }
            }
            // Texts are not part of the rows.
            Change::Content { .. } => {}
            Change::Marked { scope, position, tokens } => {
                if let Some(row) = self.places.get_mut(&(scope, position)) {
                    row.tokens = tokens;
                }
            }
        }
    }
}
