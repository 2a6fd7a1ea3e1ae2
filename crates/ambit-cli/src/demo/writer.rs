//! A writer to be killed: it appends numbered texts, each under a key of its own, and says each
//! text once it is stored. What it said must be found whatever happened to it, and said again it
//! must not be stored twice.

use std::io::Write;
use std::time::{Duration, Instant};

use ambit::{Caller, Engine, Kind};
use ambit_verbs::{Erased, Failure, Output, Session};
use clap::Args;

/// How long a writer that tries again goes on with one text.
const PATIENCE: Duration = Duration::from_secs(60);

const PAUSE: Duration = Duration::from_millis(20);

/// Appends until it is killed, saying each text once it is stored
#[derive(Debug, Args)]
pub struct DemoWriter {
    /// How many write at once, each an actor of its own: NAME-1, NAME-2 and so on
    #[arg(long, value_name = "N", default_value_t = 1)]
    writers: usize,
    /// For each writer the last number that was said, to go on after it
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    after: Vec<u64>,
    /// How many texts each writes
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    count: u64,
    /// Give the same text again under the same key where the store fails
    #[arg(long)]
    retry: bool,
}

impl DemoWriter {
    pub fn run(&self, session: &Session) -> Result<Erased, Failure> {
        let engine = session.engine()?;
        let mut done = Vec::new();
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..self.writers)
                .map(|index| {
                    let mut caller = session.caller();
                    caller.actor = format!("{}-{}", caller.actor, index + 1);
                    let after = self.after.get(index).copied().unwrap_or(0);
                    let engine = &engine;
                    scope.spawn(move || self.write(engine, &caller, after))
                })
                .collect();
            done.extend(writers.into_iter().map(|writer| writer.join()));
        });
        for result in done {
            match result {
                Ok(result) => result?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Output::new("", ()).erase()
    }

    fn write(&self, engine: &Engine, caller: &Caller, after: u64) -> Result<(), Failure> {
        let mut out = std::io::stdout();
        for number in after + 1..=after.saturating_add(self.count) {
            let text = format!("{} {number:06}", caller.actor);
            self.append(engine, &caller.clone().with_key(&text), &text)?;
            // The reader is gone once it has killed us.
            if out.write_all(format!("{text}\n").as_bytes()).and_then(|()| out.flush()).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn append(&self, engine: &Engine, caller: &Caller, text: &str) -> Result<(), Failure> {
        let begun = Instant::now();
        loop {
            match engine.append_text(caller, "user", text) {
                Ok(_) => return Ok(()),
                Err(error)
                    if self.retry
                        && matches!(error.kind(), Kind::Store | Kind::Busy)
                        && begun.elapsed() < PATIENCE =>
                {
                    // Only for people who watch.
                    let _ = writeln!(std::io::stderr(), "{text}: {error}");
                    std::thread::sleep(PAUSE);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}
