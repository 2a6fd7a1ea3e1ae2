//! Checks messages and calls in a log.

use ambit_core::message::Change;

use super::{Checked, Sound, ensure};

impl Sound {
    pub(super) fn check_message(&mut self, change: &Change) -> Checked {
        match change {
            Change::Shape(row) => {
                ensure(!self.rows.turns.contains_key(&row.turn), "its number is taken")?;
                self.uses_text(row.shape)
            }
            Change::CallOpened(row) => {
                let key = (row.scope, row.item);
                ensure(!self.rows.calls.contains_key(&key), "its call is already open")
            }
            Change::CallAnswered { scope, .. }
            | Change::CallsGivenUp { scope, .. }
            | Change::Hidden { scope, .. } => self.scope_there(*scope),
        }
    }
}
