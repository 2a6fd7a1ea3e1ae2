//! `fork`: a subagent with a frame and a scope of its own.

use ambit::{ForkLine, Inherit};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, counted, grouped, warned};

/// Create a subagent with its own scope and frame
///
/// The subagent starts with what you have in mind; --inherit chooses what its scope shows of yours.
/// The answer has what it needs to start: its name, its environment, and what to show it first.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit fork fix-login -m \"Find out why login times out, and fix it\"\n\
\x20 ambit fork tests -m \"Write the tests\" --inherit none\n\
\x20 ambit fork review -m \"Find what we missed\" --inherit full\n\
\x20 ambit --as fix-login where")]
pub struct Fork {
    /// The name of the subagent and of its scope
    pub name: String,
    /// The task; becomes the first note of its scope
    #[arg(
        short = 'm',
        long = "task",
        alias = "message",
        value_name = "TASK",
        allow_hyphen_values = true
    )]
    #[serde(alias = "message", alias = "note")]
    pub task: String,
    /// What its scope shows of yours: none, notes, or full (notes and messages)
    #[arg(
        long,
        value_name = "MODE",
        default_value = "notes",
        value_parser = ["none", "notes", "full"]
    )]
    #[serde(default = "notes")]
    pub inherit: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

fn notes() -> String {
    Inherit::Notes.as_str().to_string()
}

impl Run for Fork {
    type Answer = ForkLine;

    fn run(&self, session: &Session) -> Result<Output<ForkLine>, Failure> {
        let inherit = Inherit::parse(&self.inherit).ok_or_else(|| {
            let message = format!("invalid value {:?} for inherit", self.inherit);
            Failure::usage(message, "expected none, notes or full")
        })?;
        let caller = self.keyed.caller(session);
        let mut answer = session.engine()?.fork(&caller, &self.name, &self.task, inherit)?;
        if let Some(store) = &session.store {
            answer.environment.insert("AMBIT_STORE".into(), store.clone());
        }
        let actor = clean(&answer.actor);
        let begins = match &answer.composition {
            Some(composition) => format!(", {} tokens to begin with", grouped(composition.tokens)),
            None => String::new(),
        };
        let works = session.interface().either(
            &format!("--as {}, or AMBIT_ACTOR", quoted(&actor)),
            &format!("`actor` {actor}"),
        );
        let text = format!(
            "Forked {actor} from {}: {} in mind{begins}.\n\
             It works with {works}; `compose` gives what to show it first.\n",
            clean(&answer.origin),
            counted(answer.in_mind, "thing"),
        );
        Ok(Output::new(text + &warned(&answer.warnings), answer))
    }
}

/// Quotes a text as one word of a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if text.chars().all(plain) {
        return text.to_string();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
