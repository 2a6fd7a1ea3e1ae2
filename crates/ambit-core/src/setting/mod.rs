//! Settings: values of a vault or a scope that affect results. Events change them.

mod events;
mod requests;
mod rows;
mod set;
mod table;
#[cfg(test)]
mod tests;

pub use events::SettingSet;
pub use requests::{ChangeSetting, SetAnswer};
pub use rows::SettingRow;
pub use table::{Held, Key, SETTINGS, Setting, Settings, TYPES, Value};

use crate::{ScopeNo, State};

/// An operation on the table of settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Set(SettingRow),
    Unset { scope: ScopeNo, name: String },
}

impl State {
    pub(crate) fn change_setting_row(&mut self, change: Change) {
        match change {
            Change::Set(row) => {
                if self.has_settings_of(row.scope)
                    && let Ok(setting) = Setting::find(&row.name)
                    && let Ok(value) = setting.parse(&row.value)
                {
                    self.settings.0.insert((row.scope, setting.key), value);
                }
            }
            Change::Unset { scope, name } => {
                if self.has_settings_of(scope)
                    && let Ok(setting) = Setting::find(&name)
                {
                    self.settings.0.remove(&(scope, setting.key));
                }
            }
        }
    }

    /// Whether the State holds the settings of a scope: it does for the vault and the scopes read.
    fn has_settings_of(&self, scope: ScopeNo) -> bool {
        scope == ScopeNo::VAULT || self.scopes.contains_key(&scope)
    }
}
