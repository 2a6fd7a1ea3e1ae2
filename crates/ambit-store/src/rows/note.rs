//! Rows of notes.

use ambit_core::note::Change;

use super::Rows;

impl Rows {
    pub(super) fn change_note(&mut self, change: Change) {
        match change {
            Change::Written(row) => {
                if let Some(scope) = self.scopes.get_mut(&row.scope) {
                    scope.last_note = Some(row.hash);
                }
                self.notes.insert((row.scope, row.position), row);
            }
        }
    }
}
