//! Rows of settings.

use ambit_core::setting::Change;

use super::Rows;

impl Rows {
    pub(super) fn change_setting(&mut self, change: Change) {
        match change {
            Change::Set(row) => drop(self.settings.insert((row.scope, row.name), row.value)),
            Change::Unset { scope, name } => drop(self.settings.remove(&(scope, name))),
        }
    }
}
