//! `rewind`: hides what came after a turn.

use ambit::RewindAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, counted};

/// Hide all messages after a turn, to regenerate what followed; nothing is deleted
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit rewind --to 812")]
pub struct Rewind {
    /// The last turn to keep: its number, or a handle of one of its blocks
    #[arg(long, value_name = "TURN")]
    pub to: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Rewind {
    type Answer = RewindAnswer;

    fn run(&self, session: &Session) -> Result<Output<RewindAnswer>, Failure> {
        let turn = self.to.split('.').next().and_then(|turn| turn.parse().ok());
        let turn = turn.ok_or_else(|| {
            let message = format!("invalid turn {:?}", self.to);
            Failure::usage(message, "a turn is a number, such as 812; `compose` shows them")
        })?;
        let (engine, caller) = (session.engine()?, self.keyed.caller(session));
        if self.to.contains('-') {
            engine.read_handle(&caller, &self.to)?;
        }
        let answer = engine.rewind(&caller, turn)?;
        let text = format!(
            "Rewound {} to turn {}: {} in sight.\n",
            clean(&answer.scope),
            answer.to,
            counted(answer.messages, "message"),
        );
        Ok(Output::new(text, answer))
    }
}
