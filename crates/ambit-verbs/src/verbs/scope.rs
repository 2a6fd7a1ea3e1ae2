//! `scope`: opens a new scope and goes there.

use ambit::SwitchAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, warned};

/// Open a new scope and go there; the note stays in the old scope and says why
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit scope step-1 -m \"Investigating the login timeout\"")]
pub struct Scope {
    /// The new scope's name
    pub name: String,
    /// Why you leave, in one line
    #[arg(
        short = 'm',
        long = "note",
        alias = "message",
        value_name = "NOTE",
        allow_hyphen_values = true
    )]
    pub note: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Scope {
    type Answer = SwitchAnswer;

    fn run(&self, session: &Session) -> Result<Output<SwitchAnswer>, Failure> {
        let engine = session.engine()?;
        let answer = engine.scope(&self.keyed.caller(session), &self.name, &self.note)?;
        let text = format!(
            "Now in {}, opened from {} (note {}).{}\n",
            clean(&answer.scope),
            clean(&answer.origin),
            &answer.note.hash[..7],
            super::goto::carried(answer.carried),
        );
        Ok(Output::new(text + &warned(&answer.warnings), answer))
    }
}
