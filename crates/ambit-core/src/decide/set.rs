//! `settings NAME VALUE`: a setting of the vault, or of the scope that `--scope` names.

use super::{Act, Draft, Stop};
use crate::{Answer, Rejection, SetAnswer, Setting, Settings, What};

impl Draft<'_> {
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) -> Result<Answer, Stop> {
        let setting = Setting::find(name)?;
        let value = match value {
            Some(text) => Some(setting.show(setting.parse(text)?)),
            None => None,
        };
        let scope = match &self.context.pin {
            Some(name) => Some(self.state.scope_named(name)?.scope),
            None => None,
        };
        if scope.is_some() && !setting.per_scope {
            return Err(Rejection::usage(
                format!("{name} is a setting of the whole vault"),
                format!("leave out --scope: ambit settings {name} VALUE"),
            )
            .into());
        }
        self.ensure_actor()?;
        let here = scope.map(|scope| self.here(scope, Act::Other)).into_iter().collect();
        let name = name.to_string();
        let boundary = setting.decides_reads;
        self.emit(What::Set { scope, name: name.clone(), value, boundary }, here)?;
        let now = self.state.settings.get(scope.unwrap_or(Settings::VAULT), setting.key);
        Ok(Answer::Set(SetAnswer {
            name,
            value: setting.show(now),
            scope: scope.map(|scope| self.state.scope_name(scope)),
        }))
    }
}
