//! `rejoin`: a subagent hands its work back.

use ambit::RejoinLine;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, warned};

/// End a subagent with its result: merge its stream into its parent's, close its scope
///
/// The subagent itself, an ancestor of it, or an operator may call this. The note goes to the scope
/// that the subagent was forked from. A repeated call returns the first answer.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit --as fix-login rejoin -m \"It was the unit: fixed\"\n\
\x20 ambit rejoin fix-login -m \"It crashed; what it found is in its notes\" --deep")]
pub struct Rejoin {
    /// The subagent's name or id [default: the caller]
    pub child: Option<String>,
    /// The result it brings, in one line
    #[arg(
        short = 'm',
        long = "note",
        alias = "message",
        value_name = "NOTE",
        allow_hyphen_values = true
    )]
    #[serde(alias = "message")]
    pub note: Option<String>,
    /// Also end its own subagents, the deepest first
    #[arg(long)]
    #[serde(default)]
    pub deep: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Rejoin {
    type Answer = RejoinLine;

    fn run(&self, session: &Session) -> Result<Output<RejoinLine>, Failure> {
        let caller = self.keyed.caller(session);
        let (child, note) = (self.child.as_deref(), self.note.as_deref());
        let answer = session.engine()?.rejoin(&caller, child, note, self.deep)?;
        let also = match answer.also.is_empty() {
            true => String::new(),
            false => format!(" With it: {}.", clean(&answer.also.join(", "))),
        };
        let text = format!(
            "{} rejoined {} at {}.{also}\n",
            clean(&answer.child),
            clean(&answer.parent_scope),
            answer.merged_at,
        );
        Ok(Output::new(text + &warned(&answer.warnings), answer))
    }
}
