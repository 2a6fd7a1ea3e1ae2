//! `revert`: takes changes back.

use ambit::{RevertAnswer, RevertRequest};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Keyed;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::clean;

/// Undo changes of objects by new versions: one change, or an actor's since a time
///
/// An object that others changed since is reported and left as it is. Nothing is lost: the log
/// keeps every version, and a revert can be reverted.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit revert 812 --dry-run\n\
\x20 ambit revert --by bot --since 1h")]
pub struct Revert {
    /// The event that made the change: `ambit history NAME` shows its number
    pub event: Option<i64>,
    /// Revert all changes of this actor
    #[arg(
        long,
        alias = "actor",
        value_name = "ACTOR",
        requires = "since",
        conflicts_with = "event"
    )]
    pub by: Option<String>,
    /// Only changes since this time
    #[arg(long, value_name = "TIME", requires = "by")]
    pub since: Option<String>,
    /// Only show what would be done
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub keyed: Keyed,
}

impl Run for Revert {
    type Answer = RevertAnswer;

    fn run(&self, session: &Session) -> Result<Output<RevertAnswer>, Failure> {
        let request = RevertRequest {
            event: self.event,
            actor: self.by.clone(),
            since: self.since.clone(),
            dry_run: self.dry_run,
        };
        let answer = session.engine()?.revert(&self.keyed.caller(session), &request)?;
        let would = if answer.done { "" } else { "would go " };
        let mut text = String::new();
        for it in &answer.reverted {
            let (name, to) = (clean(&it.name), it.back_to);
            let now = it.version.map_or(String::new(), |it| format!(", as version {it}"));
            text += &format!("{name}: {would}back to version {to}{now}\n");
        }
        for it in &answer.conflicts {
            text += &format!("{}: left alone, {}\n", clean(&it.name), it.why);
        }
        if text.is_empty() {
            text = "Nothing to take back.\n".into();
        }
        Ok(Output::new(text, answer))
    }
}
