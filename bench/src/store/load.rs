//! Loads vaults of a given size through the engine: a scope of 1,000 messages, and a grown scope
//! that holds the rest.

use std::io::{IsTerminal, Write};
use std::time::Instant;

use ambit::Caller;

use super::database::{Database, Opened};
use super::figure::grouped;
use crate::conversation;

/// Bytes of a message's text.
pub const BYTES: usize = 200;

/// Messages appended in one call: one event each, one transaction for all.
const BATCH: u64 = 1_000;

/// A loaded vault.
pub struct Vault {
    pub opened: Opened,
    pub messages: u64,
    /// Bytes of text in the vault.
    pub text: f64,
    /// The sequence of the last message loaded into each scope.
    pub here: i64,
    pub grown: i64,
    /// A note of each scope, written when the scope held 50 messages.
    pub here_note: String,
    pub grown_note: String,
    pub seconds: f64,
}

/// The actor in the scope of 1,000 messages.
pub fn ada() -> Caller {
    Caller::new("ada")
}

/// The actor in the grown scope.
pub fn bob() -> Caller {
    Caller::new("bob")
}

/// Loads a vault with a grown scope of `messages` messages.
pub fn load(database: &Database, messages: u64) -> Vault {
    let opened = database.open(&format!("grown_{messages}"));
    let begun = Instant::now();
    let title = format!("loading {} messages on {}", grouped(messages), database.name());
    let progress = Progress::new(title);
    let mut text = 0.0;
    let mut fill = |caller: &Caller, count: u64, seed: u64| {
        let json = conversation(count as usize, BYTES, seed);
        text += (count as usize * BYTES) as f64;
        opened.engine.append_json(caller, &json).expect("appended").head
    };
    let engine = &opened.engine;
    let (ada, bob) = (ada(), bob());
    engine.scope(&ada, "there", "elsewhere").expect("opened");
    fill(&ada, 50, 1);
    engine.scope(&ada, "here", "measured here").expect("opened");
    fill(&ada, 50, 2);
    let here_note = engine.note(&ada, "fifty messages").expect("noted").hash;
    let here = fill(&ada, 950, 3);
    engine.scope(&bob, "grown", "measured here").expect("opened");
    fill(&bob, 50, 4);
    let grown_note = engine.note(&bob, "fifty messages").expect("noted").hash;
    let mut grown = 0;
    let mut done = 50;
    while done < messages {
        let count = BATCH.min(messages - done);
        grown = fill(&bob, count, 10 + done);
        done += count;
        progress.show(done as f64 / messages as f64);
    }
    progress.end();
    let seconds = begun.elapsed().as_secs_f64();
    opened.settle();
    Vault { opened, messages, text, here, grown, here_note, grown_note, seconds }
}

/// Shows progress: a bar on a terminal, one line elsewhere.
pub struct Progress {
    title: String,
}

impl Progress {
    pub fn new(title: String) -> Progress {
        if !std::io::stderr().is_terminal() {
            eprintln!("{title} …");
        }
        Progress { title }
    }

    pub fn show(&self, share: f64) {
        let mut err = std::io::stderr();
        if err.is_terminal() {
            let full = (share * 20.0) as usize;
            let bar = format!("{}{}", "█".repeat(full), "·".repeat(20 - full.min(20)));
            let _ = write!(err, "\r{} {bar} {:3.0} %", self.title, share * 100.0);
        }
    }

    pub fn end(self) {
        let mut err = std::io::stderr();
        if err.is_terminal() {
            let _ = write!(err, "\r\x1b[K");
        }
    }
}
