//! `scopes`: all scopes of the vault.

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::{Output, grouped, table};
use crate::session::Session;

/// List all scopes
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit scopes")]
pub struct Scopes {}

impl Scopes {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let answer = session.engine()?.scopes(&session.caller())?;
        let rows = answer.scopes.iter().map(|scope| {
            vec![
                if scope.current { "*" } else { " " }.to_string(),
                scope.name.clone(),
                grouped(scope.messages),
                grouped(scope.notes),
                grouped(scope.tokens),
                scope.created_at.clone(),
            ]
        });
        let header = ["", "scope", "messages", "notes", "tokens", "created"];
        Output::new(&answer, table(&header, rows.collect()))
    }
}
