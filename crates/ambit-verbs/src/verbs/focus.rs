//! `focus`: chooses the primary scope.

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

/// Make an active scope the primary one: the scope in which you work
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit focus alpha")]
pub struct Focus {
    /// The scope's name or id
    #[arg(id = "named", value_name = "SCOPE")]
    pub scope: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Focus {
    type Answer = StandsAnswer;

    fn run(&self, session: &Session) -> Result<Output<StandsAnswer>, Failure> {
        let answer = session.engine()?.focus(&self.keyed.caller(session), &self.scope)?;
        let text = stands(answer.primary_scope.as_deref(), &answer.active_scopes);
        Ok(Output::new(text, answer))
    }
}
