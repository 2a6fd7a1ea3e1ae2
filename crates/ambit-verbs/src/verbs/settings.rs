//! `settings`: shows and changes what decides results.

use ambit::{SetAnswer, SettingsAnswer};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Keyed;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, table};

/// Show all settings, or change one for the vault (with --scope: for that scope)
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit settings\n\
\x20 ambit settings budget 100000\n\
\x20 ambit settings notes_shown 10 --scope step-1\n\
\x20 ambit settings budget --unset")]
pub struct Settings {
    /// The setting to show or change
    pub name: Option<String>,
    /// Its new value
    #[arg(requires = "name")]
    pub value: Option<String>,
    /// Reset it to the default
    #[arg(long, requires = "name", conflicts_with = "value")]
    #[serde(default)]
    pub unset: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum SettingsOutput {
    All(SettingsAnswer),
    Changed(SetAnswer),
}

impl Run for Settings {
    type Answer = SettingsOutput;

    fn run(&self, session: &Session) -> Result<Output<SettingsOutput>, Failure> {
        let mut caller = self.keyed.caller(session);
        caller.scope.clone_from(&session.scope_flag);
        let engine = session.engine()?;
        match (&self.name, &self.value) {
            (Some(name), value) if value.is_some() || self.unset => {
                let answer = engine.set(&caller, name, value.as_deref())?;
                let whose = match &answer.scope {
                    Some(scope) => format!("scope {}", clean(scope)),
                    None => "the vault".to_string(),
                };
                let value = clean(&answer.value);
                let text = format!("{} is now {value} in {whose}.\n", answer.name);
                Ok(Output::new(text, SettingsOutput::Changed(answer)))
            }
            (name, _) => {
                let mut answer = engine.settings(&caller)?;
                if let Some(name) = name {
                    ambit::Setting::find(name).map_err(ambit::Error::from)?;
                    answer.settings.retain(|line| line.name == *name);
                }
                let rows = answer.settings.iter().map(|line| {
                    vec![
                        line.name.clone(),
                        line.value.clone(),
                        line.from.to_string(),
                        line.help.to_string(),
                    ]
                });
                let text =
                    table(session, &["setting", "value", "from", "what it is"], rows.collect());
                Ok(Output::new(text, SettingsOutput::All(answer)))
            }
        }
    }
}
