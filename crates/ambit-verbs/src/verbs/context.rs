//! `context`: what is in mind.

use ambit::ContextAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, table};

/// Show what is in mind (the frame): the last items visited, most recent first
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit context               your own frame\n\
\x20 ambit context alpha         what everybody in alpha has in mind\n\
\x20 ambit context --at 3d       as it was three days ago")]
pub struct Context {
    /// Show this scope's frame instead of your own
    #[arg(value_name = "SCOPE")]
    pub of: Option<String>,
    /// Show it as of an event or a time
    #[arg(long, value_name = "SEQ|TIME")]
    pub at: Option<String>,
}

impl Run for Context {
    type Answer = ContextAnswer;

    fn run(&self, session: &Session) -> Result<Output<ContextAnswer>, Failure> {
        let (engine, caller) = (session.engine()?, session.caller());
        let answer = engine.context_of(&caller, self.of.as_deref(), self.at.as_deref())?;
        let whose = answer.scope.as_deref().unwrap_or(&answer.actor);
        let when = answer.at.map(|at| format!(" at event {at}")).unwrap_or_default();
        let held = answer.things.len();
        let mut text = format!("{}{when}: {held} of {} in mind\n", clean(whose), answer.size);
        let kept = held - answer.before_break as usize;
        let rows = answer.things.iter().enumerate().map(|(index, thing)| {
            let mark = if index >= kept { "before the break" } else { "" };
            let row = [thing.name.as_str(), &thing.of_type, &thing.id, mark];
            row.map(str::to_string).to_vec()
        });
        if held > 0 {
            text += &table(session, &["name", "type", "id", ""], rows.collect());
        }
        Ok(Output::new(text, answer))
    }
}
