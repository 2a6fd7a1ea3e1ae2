//! Rows of actors.

use ambit_core::actor::Change;

use super::Rows;

impl Rows {
    pub(super) fn change_actor(&mut self, change: Change) {
        match change {
            Change::Registered(row) => drop(self.actors.insert(row.actor, *row)),
            Change::Ended { actor, fate, seq } => {
                if let Some(row) = self.actors.get_mut(&actor) {
                    row.fate = Some((fate, seq));
                }
            }
        }
    }
}
