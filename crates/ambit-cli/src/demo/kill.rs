//! A kill in the middle of a write: another process appends and says so after each message; it is
//! killed without warning, and everything it acknowledged must be there.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ambit::{Caller, Engine, Kind, Location};
use ambit_verbs::Failure;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct Killed {
    /// The messages that the writer said were stored.
    pub acknowledged: i64,
    /// The messages found after the kill.
    pub found: i64,
    pub verified: bool,
}

/// How long the writer lives.
const LIFE: Duration = Duration::from_millis(400);

pub fn run(folder: &Path) -> Result<Killed, Failure> {
    let location = Location::Sqlite(folder.join("killed.db"));
    let (engine, _) = Engine::create(&location)?;
    engine.create_vault("default")?;
    drop(engine);
    let acknowledged = write_and_kill(&location).map_err(|error| {
        let hint = "the demo starts itself a second time; is that forbidden here?";
        Failure::new(Kind::Store, format!("cannot run the writer: {error}"), hint)
    })?;
    let engine = Engine::open(&location)?;
    let caller = Caller::new("writer");
    let found = engine.where_am_i(&caller)?.messages;
    let verified = engine.verify(&caller, &|_| {})?.ok;
    Ok(Killed { acknowledged, found, verified })
}

fn write_and_kill(location: &Location) -> std::io::Result<i64> {
    let mut command = Command::new(std::env::current_exe()?);
    for name in super::AMBIT_VARIABLES {
        command.env_remove(name);
    }
    command.args(["demo-writer", "--as", "writer", "--store", &location.to_string()]);
    let mut writer = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn()?;
    let mut acknowledged = 0;
    if let Some(out) = writer.stdout.take() {
        let start = Instant::now();
        let mut lines = BufReader::new(out).lines();
        while start.elapsed() < LIFE {
            match lines.next() {
                Some(line) => acknowledged += i64::from(!line?.is_empty()),
                None => break,
            }
        }
        writer.kill()?;
        // What it had said before it died was said.
        for line in lines {
            acknowledged += i64::from(!line?.is_empty());
        }
    }
    writer.wait()?;
    Ok(acknowledged)
}
