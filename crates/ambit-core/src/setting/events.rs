//! Events about settings.

use serde::{Deserialize, Serialize};

use super::{Change, SettingRow};
use crate::log::{Fact, Target};
use crate::{Changes, Event, ScopeNo, VaultState, scope, vault};

/// A setting of the vault or of a scope was changed. Without a value, it is reset to the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingSet {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeNo>,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whether the setting affects compositions, so that the event is a boundary.
    pub boundary: bool,
}

impl Fact for SettingSet {
    fn word(&self) -> &'static str {
        "set"
    }

    fn target(&self) -> Target<'_> {
        Target::Named(&self.name, self.scope)
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        let seq = at.seq;
        let (owner, name) = (self.scope.unwrap_or(ScopeNo::VAULT), self.name.clone());
        out.push(match self.value.clone() {
            Some(value) => Change::Set(SettingRow { scope: owner, name, value }),
            None => Change::Unset { scope: owner, name },
        });
        if let Some(scope) = self.scope {
            out.push(scope::Change::Head { scope, seq });
        }
        match (self.boundary, self.scope) {
            (true, Some(scope)) => out.push(scope::Change::Boundary { scope, seq }),
            (true, None) => out.push(vault::Change::Boundary { seq }),
            (false, _) => {}
        }
    }

    fn vault(&self, seq: i64, vault: &mut VaultState) {
        if self.boundary && self.scope.is_none() {
            vault.boundary = seq;
        }
    }
}
