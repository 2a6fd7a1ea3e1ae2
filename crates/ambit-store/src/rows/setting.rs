//! Settings: how their changes are applied and checked, and how their tables are read and written.

use ambit_core::setting::Change;
use ambit_core::{ScopeNo, Setting, SettingRow};

use super::{Origins, Rows, Table};
use crate::Result;
use crate::sound::{Checked, Sound, ensure};
use crate::tables::map::{int, string};
use crate::tables::{At, Got, Row, values};

impl Rows {
    pub(crate) fn change_setting(&mut self, change: Change) {
        match change {
            Change::Set(row) => drop(self.settings.insert(row.key(), row)),
            Change::Unset { scope, name } => drop(self.settings.remove(&(scope, name))),
        }
    }
}

impl At<'_> {
    pub(crate) fn write_setting(&mut self, change: &Change) -> Result<()> {
        match change {
            Change::Set(row) => self.set(row.scope, &row.name, &row.value),
            Change::Unset { scope, name } => {
                self.exec("setting_unset", &values![self.vault, scope.0, name])
            }
        }
    }

    pub(crate) fn set(&mut self, scope: ScopeNo, name: &str, value: &str) -> Result<()> {
        self.exec("setting_set", &values![self.vault, scope.0, name, value])
    }
}

impl Sound {
    pub(crate) fn check_setting(&self, change: &Change) -> Checked {
        match change {
            Change::Set(row) => self.setting(row.scope, &row.name, Some(&row.value)),
            Change::Unset { scope, name } => self.setting(*scope, name, None),
        }
    }

    fn setting(&self, scope: ScopeNo, name: &str, value: Option<&str>) -> Checked {
        let setting = Setting::find(name).map_err(|error| error.to_string())?;
        if scope.0 != 0 {
            self.scope_there(scope)?;
            ensure(setting.per_scope, "its setting cannot be set for a scope")?;
        }
        match value {
            Some(value) => setting.parse(value).map(|_| ()).map_err(|error| error.to_string()),
            None => Ok(()),
        }
    }
}

impl Table for SettingRow {
    type Key = (ScopeNo, String);
    const NAME: &'static str = "setting";
    const ALL: &'static str = "all_settings";
    const DELETE: &'static str = "all_setting_delete";

    fn key(&self) -> Self::Key {
        (self.scope, self.name.clone())
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.set(self.scope, &self.name, &self.value)
    }

    fn event(&self, origins: &Origins<'_>) -> Option<i64> {
        // The row does not hold the event that set it.
        origins.settings.get(&self.key()).copied()
    }

    fn read(row: &dyn Row) -> Got<Self> {
        Ok(SettingRow {
            scope: ScopeNo(int(row, 0)?),
            name: string(row, 1)?,
            value: string(row, 2)?,
        })
    }
}
