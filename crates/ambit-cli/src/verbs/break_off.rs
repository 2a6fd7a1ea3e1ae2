//! `break`: begins a new chapter.

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::output::{Output, stands};
use crate::session::Session;

/// Begin a new chapter: what was in mind until now is captured no more
///
/// The frame stays as it is, and others' captures do too; your next view has none before it.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit break")]
pub struct Break {
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Break {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let answer = session.engine()?.context_break(&self.keyed.caller(session))?;
        let stands = stands(answer.primary_scope.as_deref(), &answer.active_scopes);
        Output::new(
            &answer,
            format!("A new chapter begins after event {}.\n{stands}", answer.event),
        )
    }
}
