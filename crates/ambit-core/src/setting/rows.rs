//! The rows of settings.

use crate::ScopeNo;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingRow {
    /// 0 for the vault's own.
    pub scope: ScopeNo,
    pub name: String,
    pub value: String,
}
