//! Checks settings in a log.

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
            ensure(setting.per_scope, "its setting cannot be set for a scope")?;
        }
        match value {
            Some(value) => setting.parse(value).map(|_| ()).map_err(|error| error.to_string()),
            None => Ok(()),
        }
    }
}
