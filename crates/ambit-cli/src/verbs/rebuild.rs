//! `rebuild`: all rows anew from the log.

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::{Output, counted};
use crate::progress;
use crate::session::Session;

/// Make all rows of the vault anew from its log: what `verify` finds wrong in them is mended
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "The log itself is not touched; where it is damaged, nothing is rebuilt.\n\n\
Example:\n  ambit rebuild && ambit verify"
)]
pub struct Rebuild {}

impl Rebuild {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let engine = session.engine()?;
        let bar = progress::spinner("rebuilding".into());
        let done = |events, rows| {
            let (events, rows) = (counted(events, "event"), counted(rows, "row"));
            bar.set_message(format!("rebuilding: {events} read, {rows} written"));
        };
        let answer = engine.rebuild(&session.caller(), &done);
        bar.finish_and_clear();
        let answer = answer?;
        let (rows, events) = (counted(answer.rows, "row"), counted(answer.events, "event"));
        Output::new(&answer, format!("Rebuilt {rows} from {events}.\n"))
    }
}
