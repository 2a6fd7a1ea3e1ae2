//! `meta`: everything about an object but its text.

use ambit::MetaAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, counted, table};

/// Describe an object or a note without its text; does not count as a visit
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit meta plan.md")]
pub struct Meta {
    /// An object's id or name, or a note's hash
    pub id: String,
}

impl Run for Meta {
    type Answer = MetaAnswer;

    fn run(&self, session: &Session) -> Result<Output<MetaAnswer>, Failure> {
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
        text += &table(session, &["version", "event", "by", "at", ""], rows.collect());
        Ok(Output::new(text, answer))
    }
}
