//! `where`: where the actor stands.

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::{Output, clean, counted, grouped};
use crate::session::Session;

/// Show where you are: scope, what is in sight, what waits
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit where")]
pub struct Where {}

impl Where {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let answer = session.engine()?.where_am_i(&session.caller())?;
        let scope = answer.primary_scope.as_deref().unwrap_or("no scope");
        let new = if answer.registered { "" } else { ", not seen here before" };
        let mut text = format!(
            "{} ({}{new}) in {} of vault {}\n{}, {}, {} tokens in sight\nactive: {}\n",
            clean(&answer.actor),
            answer.kind,
            clean(scope),
            clean(&answer.vault),
            counted(answer.messages, "message"),
            counted(answer.notes, "note"),
            grouped(answer.tokens),
            clean(&answer.active_scopes.join(", ")),
        );
        if answer.open_calls > 0 {
            text += &format!("{} waiting for a reply\n", counted(answer.open_calls, "call"));
        }
        Output::new(&answer, text)
    }
}
