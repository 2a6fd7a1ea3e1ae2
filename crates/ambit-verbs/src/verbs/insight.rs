//! `insight`: keeps what holds everywhere, and takes it back.

use ambit::InsightAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{counted, warned};

/// Write an insight: a note that is shown in every scope of the vault
///
/// The latest insights are shown before the notes of a scope, with their authors. Retract one that
/// is no longer true; it can still be read by its hash.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit insight -m \"The tests need Docker; use the staging database instead\"\n\
\x20 ambit insight --retract 1a2b3c4")]
pub struct Insight {
    /// What holds in every scope, in one line
    #[arg(
        short = 'm',
        long = "message",
        value_name = "INSIGHT",
        required_unless_present = "retract",
        allow_hyphen_values = true
    )]
    pub message: Option<String>,
    /// Retract the insight with this hash instead
    #[arg(long, value_name = "HASH", conflicts_with = "message")]
    pub retract: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Insight {
    type Answer = InsightAnswer;

    fn run(&self, session: &Session) -> Result<Output<InsightAnswer>, Failure> {
        let (engine, caller) = (session.engine()?, self.keyed.caller(session));
        let answer = match (&self.message, &self.retract) {
            (Some(message), None) => engine.insight(&caller, message)?,
            (None, Some(hash)) => engine.retract(&caller, hash)?,
            _ => {
                let hint = "an insight is kept by its message, or retracted by its hash";
                return Err(Failure::usage("either a message or a hash to retract", hint));
            }
        };
        let done = if answer.retracted { "Retracted" } else { "Kept" };
        let all = counted(answer.insights, "insight");
        let text = format!("{done} {}: {all} shown in every scope.\n", &answer.hash[..7]);
        Ok(Output::new(text + &warned(&answer.warnings), answer))
    }
}
