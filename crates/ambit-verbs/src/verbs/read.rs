//! `read`: gives back what a handle stands for.

use ambit::{NoteLine, Part, PartAnswer, ReadAnswer};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, grouped};

/// Print a message, a block or a note by its handle, even if it is out of sight
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit read 812.0-3fa2        one block, from its start\n\
\x20 ambit read 812.0-3fa2 --range 8000..16000\n\
\x20 ambit read 812.0-3fa2 --lines 200..260\n\
\x20 ambit read 812.0-3fa2 --grep 'error|panic'\n\
\x20 ambit read 812.0-3fa2 --all > file\n\
\x20 ambit read 812               a whole message\n\
\x20 ambit read 1a2b3c4           a note\n\
\x20 ambit read 1a2b3c4 --snapshot  the messages in sight when the note was written")]
pub struct Read {
    /// A handle, a block, a turn, or at least seven digits of a note's hash
    pub handle: String,
    /// For a note: print the messages in sight when it was written
    #[arg(long)]
    #[serde(default)]
    pub snapshot: bool,
    /// Only these bytes, such as 8000..16000
    #[arg(long, value_name = "A..B", conflicts_with_all = ["snapshot", "lines", "grep"])]
    pub range: Option<String>,
    /// Only these lines, such as 200..260; with grep, where to start
    #[arg(long, value_name = "A..B", conflicts_with = "snapshot")]
    pub lines: Option<String>,
    /// Only lines that match this regular expression, numbered
    #[arg(long, value_name = "PATTERN", conflicts_with = "snapshot")]
    pub grep: Option<String>,
    /// Print the whole text, whatever its size
    #[arg(long, conflicts_with_all = ["range", "lines", "grep"])]
    #[serde(skip)]
    pub all: bool,
}

impl Run for Read {
    type Answer = ReadAnswer;

    fn run(&self, session: &Session) -> Result<Output<ReadAnswer>, Failure> {
        let (engine, caller) = (session.engine()?, session.caller());
        let answer = match (self.snapshot, self.all) {
            (true, _) => engine.read_snapshot(&caller, &self.handle)?,
            (false, true) => engine.read_handle(&caller, &self.handle)?,
            (false, false) => engine.read_part(&caller, &self.handle, &self.wanted()?)?,
        };
        // A pipe gets the exact text; a terminal gets a final newline and no control characters.
        let end = if session.screen.is_some() { "\n" } else { "" };
        let text: String = match &answer {
            ReadAnswer::Block(block) => block.text.clone() + end,
            ReadAnswer::Turn { message, .. } => format!("{message}\n"),
            ReadAnswer::Note(note) => note.message.clone() + end,
            ReadAnswer::Snapshot(snapshot) => {
                snapshot.messages.iter().map(|message| format!("{message}\n")).collect()
            }
            ReadAnswer::Part(part) => part.text.clone(),
        };
        let aside = match &answer {
            ReadAnswer::Part(PartAnswer { next: Some(next), bytes, .. }) => {
                let (shown, all) = (grouped(text.len() as i64), grouped(*bytes));
                format!("{shown} of {all} bytes; {next} gives what follows, --all the whole\n")
            }
            ReadAnswer::Note(NoteLine { retracted: true, .. }) => {
                "This insight was retracted: it is no longer shown.\n".to_string()
            }
            _ => String::new(),
        };
        let text = if session.screen.is_some() { clean(&text) } else { text };
        Ok(Output { aside, verbatim: session.screen.is_none(), ..Output::new(text, answer) })
    }
}

impl Read {
    fn wanted(&self) -> Result<Part, Failure> {
        Ok(match (&self.range, &self.lines, &self.grep) {
            (Some(range), ..) => Part::bytes(range)?,
            (None, lines, Some(pattern)) => {
                let from = match lines.as_deref().map(Part::lines).transpose()? {
                    Some(Part::Lines { from, .. }) => from,
                    _ => 1,
                };
                Part::Grep { pattern: pattern.clone(), from }
            }
            (None, Some(lines), None) => Part::lines(lines)?,
            (None, None, None) => Part::Start,
        })
    }
}
