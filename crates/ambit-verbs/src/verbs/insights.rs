//! `insights`: what holds everywhere.

use ambit::InsightsAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::notes::note_line;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;

/// List the vault's insights, oldest first
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  ambit insights\n  ambit insights --json")]
pub struct Insights {}

impl Run for Insights {
    type Answer = InsightsAnswer;

    fn run(&self, session: &Session) -> Result<Output<InsightsAnswer>, Failure> {
        let answer = session.engine()?.insights(&session.caller())?;
        let text = match answer.insights.as_slice() {
            [] => {
                let add =
                    session.interface().either("ambit insight -m \"…\"", "`insight` adds one");
                format!("No insights yet: {add}\n")
            }
            insights => insights.iter().map(note_line).collect(),
        };
        Ok(Output::new(text, answer))
    }
}
