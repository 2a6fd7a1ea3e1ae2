//! `gc`: what nothing refers to.

use ambit::size;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::{Output, counted};
use crate::progress;
use crate::session::Session;

/// Remove what nothing refers to: keys that ran out, and texts that no event names
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit gc --dry-run      say what would go\n\
\x20 ambit gc --vacuum       and give its room back to the disk")]
pub struct Gc {
    /// Only say what would be removed
    #[arg(long, conflicts_with = "vacuum")]
    #[serde(default)]
    pub dry_run: bool,
    /// Give free room back to the disk: the whole store is written anew, and others wait for it
    #[arg(long)]
    #[serde(default)]
    pub vacuum: bool,
}

impl Gc {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let engine = session.engine()?;
        let bar = progress::spinner("collecting".into());
        let done = |events| bar.set_message(format!("collecting: {}", counted(events, "event")));
        let answer = engine.gc(&session.caller(), self.dry_run, self.vacuum, &done);
        bar.finish_and_clear();
        let answer = answer?;
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
        Output::new(&answer, text)
    }
}
