//! `verify`: checks the log, the texts and the rows.

use ambit::Kind;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::{Output, clean, counted, grouped, style};
use crate::progress;
use crate::session::Session;

/// Check the chain, every text, and all rows against a rebuild from the log
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  ambit verify\n  ambit verify --quick")]
pub struct Verify {
    /// The chain of events alone: neither texts nor rows
    #[arg(long)]
    #[serde(default)]
    pub quick: bool,
}

impl Verify {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let engine = session.engine()?;
        let bar = progress::spinner("verifying".into());
        let done = |events| bar.set_message(format!("verifying: {}", counted(events, "event")));
        let caller = session.caller();
        let answer = match self.quick {
            true => engine.verify_chain(&caller, &done),
            false => engine.verify(&caller, &done),
        };
        bar.finish_and_clear();
        let answer = answer?;
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
        let output = Output::new(&answer, text)?;
        Ok(if answer.ok { output } else { output.alarming(Kind::Store) })
    }
}
