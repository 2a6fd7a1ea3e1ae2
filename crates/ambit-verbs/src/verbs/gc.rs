//! `gc`: what nothing refers to.

use ambit::{GcAnswer, size};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::{Progress, Session};
use crate::table::Run;
use crate::text::counted;

/// Remove unreferenced data: expired idempotency keys, and texts that no event names
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit gc --dry-run      show what would be removed\n\
\x20 ambit gc --vacuum       also return the free space to the disk")]
pub struct Gc {
    /// Only show what would be removed
    #[arg(long, conflicts_with = "vacuum")]
    #[serde(default)]
    pub dry_run: bool,
    /// Return free space to the disk; rewrites the whole store while others wait
    #[arg(long)]
    #[serde(default)]
    pub vacuum: bool,
}

impl Run for Gc {
    type Answer = GcAnswer;

    fn run(&self, session: &Session) -> Result<Output<GcAnswer>, Failure> {
        let engine = session.engine()?;
        session.report(Progress::Working("collecting"));
        let done = |events| {
            let what = format!("collecting: {}", counted(events, "event"));
            session.report(Progress::Working(&what));
        };
        let answer = engine.gc(&session.caller(), self.dry_run, self.vacuum, &done)?;
        let what = if self.dry_run { "Would remove" } else { "Removed" };
        let mut text = format!(
            "{what} {} and {}: {}.\n",
            counted(answer.keys, "key"),
            counted(answer.texts, "text"),
            size(answer.bytes),
        );
        if !self.dry_run {
            let (before, after) = (size(answer.disk_before), size(answer.disk_after));
            text += &format!("On disk: {before} before, {after} now.\n");
        }
        Ok(Output::new(text, answer))
    }
}
