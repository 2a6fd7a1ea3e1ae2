//! `note`: keeps what was learned, without leaving.

use ambit::NoteAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, warned};

/// Write a note in the current scope: a finding, a decision or a next step
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Example:\n  ambit note -m \"Found: the session lasts 1 s instead of 3600 s\""
)]
pub struct Note {
    /// What you learned, in one line
    #[arg(
        short = 'm',
        long = "message",
        alias = "note",
        value_name = "NOTE",
        allow_hyphen_values = true
    )]
    pub message: String,
    /// Refuse if the scope's head is not this event
    #[arg(long, value_name = "SEQ")]
    pub expect_head: Option<i64>,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Note {
    type Answer = NoteAnswer;

    fn run(&self, session: &Session) -> Result<Output<NoteAnswer>, Failure> {
        let mut caller = self.keyed.caller(session);
        caller.expect_head = self.expect_head;
        let answer = session.engine()?.note(&caller, &self.message)?;
        let text = format!("Noted {} in {}.\n", &answer.hash[..7], clean(&answer.scope));
        Ok(Output::new(text + &warned(&answer.warnings), answer))
    }
}
