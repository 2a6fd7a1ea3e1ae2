//! `break`: begins a new chapter.

use ambit::StandsAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::stands;

/// Begin a new chapter: your later changes do not capture earlier visits
///
/// Your frame and the captures of others do not change. Your next view has no previous view.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit break")]
pub struct Break {
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Break {
    type Answer = StandsAnswer;

    fn run(&self, session: &Session) -> Result<Output<StandsAnswer>, Failure> {
        let answer = session.engine()?.context_break(&self.keyed.caller(session))?;
        let stands = stands(answer.primary_scope.as_deref(), &answer.active_scopes);
        let text = format!("A new chapter begins after event {}.\n{stands}", answer.event);
        Ok(Output::new(text, answer))
    }
}
