//! `where`: where the actor stands.

use ambit::{WhereAnswer, WhereThenAnswer};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, counted, grouped, stands};

/// Show where you are: your scope, what is in sight, and calls that wait for a reply
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  ambit where\n  ambit where --at 3d")]
pub struct Where {
    /// Show it as of an event or a time
    #[arg(long, value_name = "SEQ|TIME")]
    pub at: Option<String>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum WhereOutput {
    Now(WhereAnswer),
    Then(WhereThenAnswer),
}

impl Run for Where {
    type Answer = WhereOutput;

    fn run(&self, session: &Session) -> Result<Output<WhereOutput>, Failure> {
        if let Some(at) = &self.at {
            let answer = session.engine()?.where_at(&session.caller(), at)?;
            let (actor, at, time) = (clean(&answer.actor), answer.at, &answer.time);
            let text = match answer.registered {
                false => format!("{actor} had not been seen by event {at}.\n"),
                true => {
                    let stands = stands(answer.primary_scope.as_deref(), &answer.active_scopes);
                    format!("{actor} at event {at}, {time}\n{stands}")
                }
            };
            return Ok(Output::new(text, WhereOutput::Then(answer)));
        }
        let answer = session.engine()?.where_am_i(&session.caller())?;
        let scope = answer.primary_scope.as_deref().unwrap_or("no scope");
        let new = if answer.registered { "" } else { ", not seen here before" };
        let mut text = format!(
            "{} ({}{new}) in {} of vault {}\n{}, {}, {} tokens in sight\n",
            clean(&answer.actor),
            answer.kind,
            clean(scope),
            clean(&answer.vault),
            counted(answer.messages, "message"),
            counted(answer.notes, "note"),
            grouped(answer.tokens),
        );
        text += &stands(answer.primary_scope.as_deref(), &answer.active_scopes);
        if let Some(ended) = answer.ended {
            text += &format!("It has ended: {ended}. It can read, but not write.\n");
        }
        if answer.open_calls > 0 {
            text += &format!("{} waiting for a reply\n", counted(answer.open_calls, "call"));
        }
        Ok(Output::new(text, WhereOutput::Now(answer)))
    }
}
