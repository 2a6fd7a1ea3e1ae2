//! `diff`: what changed between two versions of an object.

use ambit::DiffAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, style};

/// Show what changed between two versions of an object, or between two times
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit diff plan.md                  the last change\n\
\x20 ambit diff plan.md --from 1 --to 3\n\
\x20 ambit diff plan.md --from 3d        what changed in three days")]
pub struct Diff {
    /// An object's id or name
    pub id: String,
    /// A version's number, or a time [default: the version before --to]
    #[arg(long, value_name = "N|TIME")]
    pub from: Option<String>,
    /// A version's number, or a time [default: the latest version]
    #[arg(long, value_name = "N|TIME")]
    pub to: Option<String>,
}

impl Run for Diff {
    type Answer = DiffAnswer;

    fn run(&self, session: &Session) -> Result<Output<DiffAnswer>, Failure> {
        let (engine, caller) = (session.engine()?, session.caller());
        let answer = engine.diff(&caller, &self.id, self.from.as_deref(), self.to.as_deref())?;
        let line = |line: &str| {
            let colour = match line.as_bytes().first() {
                Some(b'+') => style::GREEN,
                Some(b'-') => style::RED,
                Some(b'@') => style::CYAN,
                _ => "",
            };
            let off = if colour.is_empty() { "" } else { style::OFF };
            format!("{colour}{}{off}\n", clean(line))
        };
        let text = match answer.hunks.is_empty() {
            true if answer.to == 0 => "There was no version yet.\n".into(),
            true => format!("Versions {} and {} are equal.\n", answer.from, answer.to),
            false => answer.unified.lines().map(line).collect(),
        };
        Ok(Output::new(text, answer))
    }
}
