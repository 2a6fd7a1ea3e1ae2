//! `meta`: everything about an object but its text.

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::{Output, clean, counted, table};
use crate::session::Session;

/// Describe an object or a note without looking at it: never a visit
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit meta plan.md")]
pub struct Meta {
    /// An object's id or name, or a note's hash
    pub id: String,
}

impl Meta {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let answer = session.engine()?.meta(&session.caller(), &self.id)?;
        let comes = if answer.substantive { "comes" } else { "never comes" };
        let scopes = match answer.scopes.is_empty() {
            true => "no scope".to_string(),
            false => clean(&answer.scopes.join(", ")),
        };
        let mut text = format!(
            "{} ({}, {comes} to mind)\n{}\nin {scopes}; {}\n",
            clean(&answer.name),
            clean(&answer.of_type),
            answer.id,
            counted(answer.versions, "version"),
        );
        if let Some(visit) = &answer.last_visit {
            text += &format!("last visited by {} at {}\n", clean(&visit.actor), visit.timestamp);
        }
        let rows = answer.latest.iter().map(|it| {
            let mark = if it.forgotten { "forgotten" } else { "" };
            vec![
                it.version.to_string(),
                it.event.to_string(),
                it.author.clone(),
                it.timestamp.clone(),
                mark.to_string(),
            ]
        });
        text += &table(&["version", "event", "by", "at", ""], rows.collect());
        Output::new(&answer, text)
    }
}
