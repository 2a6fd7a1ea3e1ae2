//! `suggest`: which scope the last visits belong to.

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::{Output, clean};
use crate::session::Session;

/// Suggest a scope to enter, by what you looked at last. Nothing is done by it
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit suggest")]
pub struct Suggest {}

impl Suggest {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let answer = session.engine()?.suggest(&session.caller())?;
        let mut text = String::new();
        for it in &answer.suggestions {
            let (visits, of, scope) = (it.visits, it.of, clean(&it.scope));
            text +=
                &format!("{visits} of your last {of} belong to {scope}: `ambit enter {scope}`\n");
        }
        if answer.suggestions.is_empty() {
            text = "Nothing to suggest.\n".into();
        }
        Output::new(&answer, text)
    }
}
