//! `get`: an object's text, or a note's; a visit, unless --no-visit.

use ambit::{GetAnswer, GetRequest};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::clean;

/// Print an object's or a note's text; counts as a visit: the item enters your frame
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit get plan.md\n\
\x20 ambit get plan.md --version 1\n\
\x20 ambit get plan.md --at 2026-11-15\n\
\x20 ambit get obj_0192… --no-visit")]
pub struct Get {
    /// An object's id or name, or a note's hash
    pub id: String,
    /// Do not count this as a visit
    #[arg(long)]
    #[serde(default)]
    pub no_visit: bool,
    /// Print this version instead of the latest
    #[arg(long, value_name = "N", conflicts_with = "at")]
    pub version: Option<i64>,
    /// Print it as of an event or a time
    #[arg(long, value_name = "SEQ|TIME")]
    pub at: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Get {
    type Answer = GetAnswer;

    fn run(&self, session: &Session) -> Result<Output<GetAnswer>, Failure> {
        let request = GetRequest {
            named: self.id.clone(),
            version: self.version,
            at: self.at.clone(),
            no_visit: self.no_visit,
        };
        let answer = session.engine()?.get(&self.keyed.caller(session), &request)?;
        // A pipe gets the exact text, as from `read`.
        Ok(match session.screen.is_some() {
            true => Output::new(clean(&answer.text) + "\n", answer),
            false => Output::new(answer.text.clone(), answer).verbatim(),
        })
    }
}
