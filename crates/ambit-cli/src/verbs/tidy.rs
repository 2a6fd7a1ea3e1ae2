//! `tidy`: does what is due.

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::{Output, counted};
use crate::session::Session;

/// Do what is due: end idle views, drop frames of abandoned subagents, summarise old views
///
/// Nobody has to ask for it: commands do it now and then.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit tidy")]
pub struct Tidy {}

impl Tidy {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let answer = session.engine()?.tidy(&session.caller())?;
        let text = format!(
            "{} ended, {} dropped, {} summarised.\n",
            counted(answer.ended, "view"),
            counted(answer.frames, "frame"),
            counted(answer.fossils, "view"),
        );
        Output::new(&answer, text)
    }
}
