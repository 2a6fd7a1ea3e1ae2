//! `verify`: checks the log, the texts and the rows.

use ambit::{Kind, VerifyAnswer};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::{Progress, Session};
use crate::table::Run;
use crate::text::{clean, counted, grouped, style};

/// Check the store: the log's hash chain, every text, and all rows against the log
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  ambit verify\n  ambit verify --quick")]
pub struct Verify {
    /// Check only the hash chain: neither texts nor rows
    #[arg(long)]
    #[serde(default)]
    pub quick: bool,
}

impl Run for Verify {
    type Answer = VerifyAnswer;

    fn run(&self, session: &Session) -> Result<Output<VerifyAnswer>, Failure> {
        let engine = session.engine()?;
        session.report(Progress::Working("verifying"));
        let done = |events| {
            let what = format!("verifying: {}", counted(events, "event"));
            session.report(Progress::Working(&what));
        };
        let caller = session.caller();
        let answer = match self.quick {
            true => engine.verify_chain(&caller, &done)?,
            false => engine.verify(&caller, &done)?,
        };
        let (red, green, off) = (style::RED, style::GREEN, style::OFF);
        let forgotten = match answer.forgotten {
            0 => String::new(),
            number => format!(" ({} forgotten)", grouped(number)),
        };
        let text = match &answer.problem {
            None if answer.quick => format!(
                "{green}The chain is whole{off}: {}, digest {}\n",
                counted(answer.events, "event"),
                &answer.digest[..12],
            ),
            None => format!(
                "{green}All is well{off}: {}, {}{forgotten}, digest {}\n",
                counted(answer.events, "event"),
                counted(answer.contents, "text"),
                &answer.digest[..12],
            ),
            Some(problem) => format!("{red}Damaged{off}: {}\n", clean(problem)),
        };
        let alarm = (!answer.ok).then_some(Kind::Store);
        Ok(Output { alarm, ..Output::new(text, answer) })
    }
}
