//! `place`: puts an object into a scope, or takes it out.

use ambit::PlaceLine;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use super::put::in_mind;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, warned};

/// Add an object to a scope, or remove it from one
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit place plan.md alpha\n\
\x20 ambit place plan.md main --out")]
pub struct Place {
    /// An object's id or name
    pub id: String,
    /// The scope's name or id
    #[arg(id = "named", value_name = "SCOPE")]
    pub scope: String,
    /// Remove it from the scope
    #[arg(long)]
    #[serde(default)]
    pub out: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Place {
    type Answer = PlaceLine;

    fn run(&self, session: &Session) -> Result<Output<PlaceLine>, Failure> {
        let caller = self.keyed.caller(session);
        let answer = session.engine()?.place(&caller, &self.id, &self.scope, self.out)?;
        let moved = if answer.out { "is no longer in {}" } else { "is in {} too" };
        let moved = moved.replace("{}", &clean(&answer.scope));
        let mind = in_mind(answer.delta.as_ref(), answer.event, session.interface());
        let warned = warned(&answer.warnings);
        Ok(Output::new(format!("{} {moved}.\n{mind}{warned}", clean(&answer.name)), answer))
    }
}
