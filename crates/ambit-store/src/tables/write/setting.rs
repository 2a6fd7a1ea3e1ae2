//! Writing rows of settings.

use ambit_core::ScopeNo;
use ambit_core::setting::Change;

use super::{At, values};
use crate::Result;

impl At<'_> {
    pub(super) fn write_setting(&mut self, change: &Change) -> Result<()> {
        match change {
            Change::Set(row) => self.set(row.scope, &row.name, &row.value),
            Change::Unset { scope, name } => {
                self.exec("setting_unset", &values![self.vault, scope.0, name])
            }
        }
    }

    pub(in crate::tables) fn set(&mut self, scope: ScopeNo, name: &str, value: &str) -> Result<()> {
        self.exec("setting_set", &values![self.vault, scope.0, name, value])
    }
}
