//! `log`: what happened, as it was recorded.

use ambit::LogAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, table};

/// Show the last events of the log, or those after an event
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  ambit log\n  ambit log --after 0 --limit 100 --json")]
pub struct Log {
    /// Start after this event [default: show the last events]
    #[arg(long, value_name = "SEQ")]
    pub after: Option<i64>,
    /// The most events to show
    #[arg(long, value_name = "N", default_value_t = limit(),
        value_parser = clap::value_parser!(i64).range(1..=100_000))]
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100_000))]
    pub limit: i64,
}

/// How many events are shown by default.
fn limit() -> i64 {
    20
}

impl Run for Log {
    type Answer = LogAnswer;

    fn run(&self, session: &Session) -> Result<Output<LogAnswer>, Failure> {
        let answer = session.engine()?.log(&session.caller(), self.after, self.limit)?;
        let rows = answer.events.iter().map(|event| {
            vec![
                event.seq.to_string(),
                event.time.clone(),
                event.actor.clone().unwrap_or_default(),
                event.via.unwrap_or_default().to_string(),
                event.event.clone(),
                event.view.map(|view| format!("view {view}")).unwrap_or_default(),
                event.hash[..12].to_string(),
            ]
        });
        let mut text = table(
            session,
            &["seq", "time", "actor", "via", "event", "view", "hash"],
            rows.collect(),
        );
        if let Some(next) = answer.next.filter(|_| self.after.is_some()) {
            let after = session.interface().either("ambit log --after", "`after`");
            text += &clean(&format!("more: {after} {next}\n"));
        }
        Ok(Output::new(text, answer))
    }
}
