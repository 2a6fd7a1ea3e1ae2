//! `scopes`: all scopes of the vault.

use ambit::{ScopesAnswer, ScopesThenAnswer};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{grouped, table};

/// List all scopes with their sizes
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  ambit scopes\n  ambit scopes --at 2026-11-15")]
pub struct Scopes {
    /// List them as of an event or a time
    #[arg(long, value_name = "SEQ|TIME")]
    pub at: Option<String>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum ScopesOutput {
    Now(ScopesAnswer),
    Then(ScopesThenAnswer),
}

impl Run for Scopes {
    type Answer = ScopesOutput;

    fn run(&self, session: &Session) -> Result<Output<ScopesOutput>, Failure> {
        if let Some(at) = &self.at {
            let answer = session.engine()?.scopes_at(&session.caller(), at)?;
            let rows = answer.scopes.iter().map(|scope| {
                let mark = if scope.current { "*" } else { " " };
                let closed = if scope.closed { "closed" } else { "" };
                let row = [mark, &scope.name, &scope.created_at, closed];
                row.map(str::to_string).to_vec()
            });
            let text = table(session, &["", "scope", "created", ""], rows.collect());
            return Ok(Output::new(text, ScopesOutput::Then(answer)));
        }
        let answer = session.engine()?.scopes(&session.caller())?;
        let rows = answer.scopes.iter().map(|scope| {
            vec![
                if scope.current { "*" } else { " " }.to_string(),
                scope.name.clone(),
                grouped(scope.messages),
                grouped(scope.notes),
                grouped(scope.tokens),
                scope.created_at.clone(),
                if scope.closed { "closed" } else { "" }.to_string(),
            ]
        });
        let header = ["", "scope", "messages", "notes", "tokens", "created", ""];
        let text = table(session, &header, rows.collect());
        Ok(Output::new(text, ScopesOutput::Now(answer)))
    }
}
