//! `suggest`: which scope the last visits belong to.

use ambit::SuggestAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::clean;

/// Suggest a scope to enter, based on your last visits; read-only
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit suggest")]
pub struct Suggest {}

impl Run for Suggest {
    type Answer = SuggestAnswer;

    fn run(&self, session: &Session) -> Result<Output<SuggestAnswer>, Failure> {
        let answer = session.engine()?.suggest(&session.caller())?;
        let mut text = String::new();
        for it in &answer.suggestions {
            let (visits, of, scope) = (it.visits, it.of, clean(&it.scope));
            let enter = session.interface().verb("enter", &scope);
            text += &format!("{visits} of your last {of} belong to {scope}: {enter}\n");
        }
        if answer.suggestions.is_empty() {
            text = "Nothing to suggest.\n".into();
        }
        Ok(Output::new(text, answer))
    }
}
