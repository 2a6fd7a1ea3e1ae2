//! `rebuild`: all rows from the log.

use ambit::RebuildAnswer;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::{Progress, Session};
use crate::table::Run;
use crate::text::counted;

/// Rebuild all rows of the vault from its log; repairs rows that `verify` reports
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "The log itself is not changed. If the log is damaged, nothing is rebuilt.\n\n\
Example:\n  ambit rebuild && ambit verify"
)]
pub struct Rebuild {}

impl Run for Rebuild {
    type Answer = RebuildAnswer;

    fn run(&self, session: &Session) -> Result<Output<RebuildAnswer>, Failure> {
        let engine = session.engine()?;
        session.report(Progress::Working("rebuilding"));
        let done = |events, rows| {
            let (events, rows) = (counted(events, "event"), counted(rows, "row"));
            let what = format!("rebuilding: {events} read, {rows} written");
            session.report(Progress::Working(&what));
        };
        let answer = engine.rebuild(&session.caller(), &done)?;
        let (rows, events) = (counted(answer.rows, "row"), counted(answer.events, "event"));
        Ok(Output::new(format!("Rebuilt {rows} from {events}.\n"), answer))
    }
}
