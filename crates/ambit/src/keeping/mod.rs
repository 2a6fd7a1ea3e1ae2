//! Maintenance of a vault: settings, the log, `verify`, `rebuild`, `gc`, `backup`, `doctor`,
//! `tidy`, `forget`, `export` and `import`.

pub(crate) mod forget;
mod tidy;
pub(crate) mod transfer;
mod upkeep;
mod verify;

use ambit_core::{
    Answer, ChangeSetting, Command, Needs, SETTINGS, ScopeNo, SetAnswer, State, Via, rfc3339,
};

use crate::answers::{EventLine, LogAnswer, SettingLine, SettingsAnswer};
use crate::conversation::reading::{author, raw};
use crate::engine::{read_state, unexpected};
use crate::{Caller, Engine, Error, Result};

impl Engine {
    /// Changes a setting of the vault, or of the scope the caller names. None restores the
    /// default.
    ///
    /// ```
    /// # use ambit::{Caller, Engine, Request};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// engine.set(&me, "budget", Some("8000"))?;
    /// assert_eq!(engine.compose(&me, &Request::default())?.budget, 8000);
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn set(&self, caller: &Caller, name: &str, value: Option<&str>) -> Result<SetAnswer> {
        let command =
            Command::Set(ChangeSetting { name: name.into(), value: value.map(str::to_string) });
        match self.run(caller, command)? {
            Answer::Set(answer) => Ok(answer),
            other => Err(unexpected(&other)),
        }
    }

    /// Returns all settings with their values in the vault, or in the scope the caller names.
    pub fn settings(&self, caller: &Caller) -> Result<SettingsAnswer> {
        let context = self.context(caller);
        self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &Needs::of(&context))?;
            let scope = match context.pin.as_deref() {
                Some(pin) => Some(state.scope_named(pin)?),
                None => None,
            };
            let owner = scope.map_or(ScopeNo::VAULT, |row| row.scope);
            let from = |key| match (scope, &state) {
                (Some(row), State { settings, .. })
                    if settings.0.contains_key(&(row.scope, key)) =>
                {
                    "scope"
                }
                (_, state) if state.settings.0.contains_key(&(ScopeNo::VAULT, key)) => "vault",
                _ => "default",
            };
            let line = |setting: &'static ambit_core::Setting| SettingLine {
                name: setting.name.to_string(),
                value: setting.show(&state.settings.held(owner, setting.key)),
                default: setting.show(&setting.default()),
                from: from(setting.key),
                help: setting.help,
            };
            Ok(SettingsAnswer {
                scope: scope.and_then(|row| row.name.clone()),
                settings: SETTINGS.iter().map(line).collect(),
            })
        })
    }

    /// Returns the log after a sequence, or its last events.
    pub fn log(&self, caller: &Caller, after: Option<i64>, limit: i64) -> Result<LogAnswer> {
        let needs = Needs::of(&self.context(caller));
        self.read(caller, &mut |snapshot| {
            let after = match after {
                Some(after) => after,
                None => (read_state(snapshot, &needs)?.vault.head_seq - limit).max(0),
            };
            // One row more than requested shows whether there is a next page.
            let mut stored = snapshot.events(after, limit.saturating_add(1))?;
            let more = stored.len() as i64 > limit;
            stored.truncate(usize::try_from(limit).unwrap_or(0));
            let mut events = Vec::with_capacity(stored.len());
            for event in stored {
                let name = author(snapshot, event.actor)?;
                let logged = event
                    .parse()
                    .map_err(|error| Error::damaged(format!("an event's body: {error}")))?;
                events.push(EventLine {
                    seq: logged.event.seq,
                    time: rfc3339(logged.event.time),
                    actor: (logged.event.actor.0 != 0).then_some(name),
                    via: logged.event.body.via.map(Via::as_str),
                    view: logged.event.view.map(|view| view.0),
                    event: logged.event.body.what.word().to_string(),
                    body: raw(logged.text)?,
                    hash: logged.hash.to_hex(),
                });
            }
            let next = events.last().map(|event| event.seq).filter(|_| more);
            Ok(LogAnswer { events, next })
        })
    }
}
