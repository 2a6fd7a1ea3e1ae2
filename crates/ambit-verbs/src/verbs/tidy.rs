//! `tidy`: runs the maintenance that is due.

use ambit::TidyAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::counted;

/// End idle views, drop frames of abandoned subagents, summarise old views
///
/// You do not need to run this: other commands do this work from time to time.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit tidy")]
pub struct Tidy {}

impl Run for Tidy {
    type Answer = TidyAnswer;

    fn run(&self, session: &Session) -> Result<Output<TidyAnswer>, Failure> {
        let answer = session.engine()?.tidy(&session.caller())?;
        let text = format!(
            "{} ended, {} dropped, {} summarised.\n",
            counted(answer.ended, "view"),
            counted(answer.frames, "frame"),
            counted(answer.fossils, "view"),
        );
        Ok(Output::new(text, answer))
    }
}
