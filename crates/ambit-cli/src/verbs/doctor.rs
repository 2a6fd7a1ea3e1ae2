//! `doctor`: is all as it should be, and what to do where it is not.

use ambit::{Finding, Kind, Level};
use ambit_verbs::Interface;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::failure::Failure;
use crate::output::{Output, table};
use crate::session::Session;

/// Look at the store and its surroundings: each line says what was found and what to do
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Exits with 6 where something is bad. What is stored is checked by \
`ambit verify`.\n\nExample:\n  ambit doctor")]
pub struct Doctor {}

impl Doctor {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let location = session.location()?;
        let findings = match session.engine() {
            Ok(engine) => engine.doctor(&session.caller(), &location)?,
            // Also a store that does not open has an answer.
            Err(failure) => {
                let hint = failure.hint.on(Interface::CommandLine);
                vec![Finding::bad("store", failure.message, hint)]
            }
        };
        let bad = findings.iter().any(|finding| finding.level == Level::Bad);
        let rows = findings.iter().map(|it| {
            let advice = it.advice.clone().unwrap_or_default();
            vec![it.level.as_str().to_string(), it.name.to_string(), it.found.clone(), advice]
        });
        let text = table(&["", "what", "found", "what to do"], rows.collect());
        let output = Output::new(&json!({"ok": !bad, "findings": findings}), text)?;
        Ok(if bad { output.alarming(Kind::Store) } else { output })
    }
}
