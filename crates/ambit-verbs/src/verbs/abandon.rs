//! `abandon`: gives a subagent up.

use ambit::AbandonAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::clean;

/// End a subagent without a result: closes its scope, keeps its views readable
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit abandon fix-login")]
pub struct Abandon {
    /// The subagent's name or id
    pub child: String,
    /// Also abandon its own subagents, the deepest first
    #[arg(long)]
    #[serde(default)]
    pub deep: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Abandon {
    type Answer = AbandonAnswer;

    fn run(&self, session: &Session) -> Result<Output<AbandonAnswer>, Failure> {
        let caller = self.keyed.caller(session);
        let answer = session.engine()?.abandon(&caller, &self.child, self.deep)?;
        let child = clean(&answer.child);
        let also: String = answer.also.iter().map(|it| format!(", {}", clean(it))).collect();
        let views = session.interface().verb("views", &format!("--by {child}"));
        let text = format!("Abandoned {child}{also}. {views} shows what it did.\n");
        Ok(Output::new(text, answer))
    }
}
