//! `doctor`: is all as it should be, and what to do where it is not.

use ambit::{Finding, Kind, Level};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::table;

/// Check the store and its surroundings; print each finding and what to do about it
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Exits with 6 if a finding is bad. `ambit verify` checks the stored \
data.\n\nExample:\n  ambit doctor")]
pub struct Doctor {}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct DoctorAnswer {
    /// False if a finding is bad.
    ok: bool,
    findings: Vec<Finding>,
}

impl Run for Doctor {
    type Answer = DoctorAnswer;

    fn run(&self, session: &Session) -> Result<Output<DoctorAnswer>, Failure> {
        let location = session.location()?;
        let findings = match session.engine() {
            Ok(engine) => engine.doctor(&session.caller(), &location)?,
            // Also a store that does not open has an answer.
            Err(failure) => {
                let hint = failure.hint(session.via.into());
                vec![Finding::bad("store", failure.message, hint)]
            }
        };
        let bad = findings.iter().any(|finding| finding.level == Level::Bad);
        let rows = findings.iter().map(|it| {
            let advice = it.advice.clone().unwrap_or_default();
            vec![it.level.as_str().to_string(), it.name.to_string(), it.found.clone(), advice]
        });
        let text = table(session, &["", "what", "found", "what to do"], rows.collect());
        let alarm = bad.then_some(Kind::Store);
        Ok(Output { alarm, ..Output::new(text, DoctorAnswer { ok: !bad, findings }) })
    }
}
