//! `goto`: goes to an existing scope.

use ambit::SwitchAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, counted, grouped, warned};

/// Go to an existing scope; the note is written there and says what you bring
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Example:\n  ambit goto main -m \"Fixed: the session now lasts an hour\"")]
pub struct Goto {
    /// The scope's name or id
    #[arg(value_name = "SCOPE")]
    pub name: String,
    /// The result you bring, in one line
    #[arg(
        short = 'm',
        long = "note",
        alias = "message",
        value_name = "NOTE",
        allow_hyphen_values = true
    )]
    pub note: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Goto {
    type Answer = SwitchAnswer;

    fn run(&self, session: &Session) -> Result<Output<SwitchAnswer>, Failure> {
        let engine = session.engine()?;
        let caller = self.keyed.caller(session);
        let answer = engine.goto(&caller, &self.name, &self.note)?;
        // The goto is done: a read that fails here does not turn it into a failure.
        let here = engine.where_am_i(&session.caller()).ok();
        let mut text = format!(
            "Now in {}, from {} (note {}).{}\n",
            clean(&answer.scope),
            clean(&answer.origin),
            &answer.note.hash[..7],
            carried(answer.carried),
        );
        match here {
            Some(here) if here.primary_scope.as_ref() == Some(&answer.scope) => {
                let (messages, notes) =
                    (counted(here.messages, "message"), counted(here.notes, "note"));
                let tokens = grouped(here.tokens);
                text += &format!("{messages}, {notes}, {tokens} tokens in sight.\n");
            }
            Some(here) => {
                let scope = clean(here.primary_scope.as_deref().unwrap_or("no scope"));
                text = format!("Already done with the same key; you are in {scope}.\n");
            }
            None => {}
        }
        Ok(Output::new(text + &warned(&answer.warnings), answer))
    }
}

/// Reports a pending chain that moved to the new scope.
pub fn carried(turns: i64) -> String {
    if turns == 0 {
        return String::new();
    }
    format!(" A pending tool-call chain came along ({}).", counted(turns, "turn"))
}
