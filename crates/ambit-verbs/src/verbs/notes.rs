//! `notes`: a scope's notes.

use ambit::{NoteLine, NotesAnswer};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, style};

/// List a scope's notes, oldest first
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  ambit notes\n  ambit notes step-1 --json")]
pub struct Notes {
    /// The scope's name or id [default: the current scope]
    #[arg(value_name = "SCOPE")]
    pub name: Option<String>,
    /// Show them as of an event or a time
    #[arg(long, value_name = "SEQ|TIME")]
    pub at: Option<String>,
}

impl Run for Notes {
    type Answer = NotesAnswer;

    fn run(&self, session: &Session) -> Result<Output<NotesAnswer>, Failure> {
        let (engine, caller) = (session.engine()?, session.caller());
        let answer = match &self.at {
            Some(at) => engine.notes_at(&caller, self.name.as_deref(), at)?,
            None => engine.notes(&caller, self.name.as_deref())?,
        };
        let mut text: String = answer.notes.iter().map(note_line).collect();
        if answer.notes.is_empty() {
            let add = session.interface().either("ambit note -m \"…\"", "`note` adds one");
            text = format!("No notes in {} yet: {add}\n", clean(&answer.scope));
        }
        Ok(Output::new(text, answer))
    }
}

/// A note for people.
pub fn note_line(note: &NoteLine) -> String {
    let (cyan, dim, off) = (style::CYAN, style::DIM, style::OFF);
    let inherited = if note.inherited { " (inherited)" } else { "" };
    format!(
        "{cyan}{}{off} {} {dim}{} {}{inherited}{off}\n",
        &note.hash[..7],
        clean(&note.message).replace('\n', " "),
        note.timestamp,
        clean(&note.author),
    )
}
