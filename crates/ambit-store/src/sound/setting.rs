//! Whether settings could be as a log says.

use ambit_core::setting::Change;
use ambit_core::{ScopeNo, Setting};

use super::{Checked, Sound, ensure};

impl Sound {
    pub(super) fn check_setting(&self, change: &Change) -> Checked {
        match change {
            Change::Set(row) => self.setting(row.scope, &row.name, Some(&row.value)),
            Change::Unset { scope, name } => self.setting(*scope, name, None),
        }
    }

    fn setting(&self, scope: ScopeNo, name: &str, value: Option<&str>) -> Checked {
        let setting = Setting::find(name).map_err(|error| error.to_string())?;
        if scope.0 != 0 {
            self.scope_there(scope)?;
            ensure(setting.per_scope, "that setting is the vault's alone")?;
        }
        match value {
            Some(value) => setting.parse(value).map(|_| ()).map_err(|error| error.to_string()),
            None => Ok(()),
        }
    }
}
