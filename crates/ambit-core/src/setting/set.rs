//! `settings NAME VALUE`: decides a change of a setting of the vault or of the pinned scope.

use crate::decide::{Act, Draft, Stop};
use crate::{Answer, ScopeNo, SetAnswer, Setting, SettingRefusal, SettingSet, What};

impl Draft<'_> {
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) -> Result<Answer, Stop> {
        let setting = Setting::find(name)?;
        let value = match value {
            Some(text) => Some(setting.show(&setting.parse(text)?)),
            None => None,
        };
        let scope = match &self.context.pin {
            Some(name) => Some(self.state.scope_named(name)?.scope),
            None => None,
        };
        if scope.is_some() && !setting.per_scope {
            return Err(SettingRefusal::VaultWide { name: setting.name }.into());
        }
        self.ensure_actor()?;
        let owner = scope.unwrap_or(ScopeNo::VAULT);
        let before = self.state.settings.0.get(&(owner, setting.key)).cloned();
        let after = value.as_deref().and_then(|value| setting.parse(value).ok());
        if before != after {
            self.change_setting(setting, scope, value)?;
        }
        let now = self.state.settings.held(owner, setting.key);
        Ok(Answer::Set(SetAnswer {
            name: name.to_string(),
            value: setting.show(&now),
            scope: scope.map(|scope| self.state.scope_name(scope)),
        }))
    }

    /// Writes the change. It is skipped if the value stays the same, because the event may begin a
    /// new epoch for every reader.
    fn change_setting(
        &mut self,
        setting: &Setting,
        scope: Option<ScopeNo>,
        value: Option<String>,
    ) -> Result<(), Stop> {
        let here = scope.map(|scope| self.presence_change(scope, Act::Other)).into_iter().collect();
        let (name, boundary) = (setting.name.to_string(), setting.decides_reads);
        self.emit(What::Set(SettingSet { scope, name, value, boundary }), here)
    }
}
