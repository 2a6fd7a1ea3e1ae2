//! `read`: gives back what a handle stands for.

use ambit::ReadAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::{Output, clean, on_terminal};
use crate::session::Session;

/// Give back what a handle, a turn or a note stands for, also when it is out of sight
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit read 812.0-3fa2        one block\n\
\x20 ambit read 812               a whole message\n\
\x20 ambit read 1a2b3c4           a note\n\
\x20 ambit read 1a2b3c4 --snapshot  the messages in sight when the note was written")]
pub struct Read {
    /// A handle, a block, a turn, or at least seven digits of a note's hash
    pub handle: String,
    /// For a note: the messages that were in sight when it was written
    #[arg(long)]
    #[serde(default)]
    pub snapshot: bool,
}

impl Read {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let (engine, caller) = (session.engine()?, session.caller());
        let answer = match self.snapshot {
            true => engine.read_snapshot(&caller, &self.handle)?,
            false => engine.read_handle(&caller, &self.handle)?,
        };
        let text: String = match &answer {
            ReadAnswer::Block(block) => format!("{}\n", block.text),
            ReadAnswer::Turn { message, .. } => format!("{message}\n"),
            ReadAnswer::Note(note) => format!("{}\n", note.message),
            ReadAnswer::Snapshot(snapshot) => {
                snapshot.messages.iter().map(|message| format!("{message}\n")).collect()
            }
        };
        // In a pipe the very text: only a screen has to be kept safe from it.
        let text = if on_terminal() { clean(&text) } else { text };
        let output = Output::new(&answer, text)?;
        Ok(if on_terminal() { output } else { output.verbatim() })
    }
}
