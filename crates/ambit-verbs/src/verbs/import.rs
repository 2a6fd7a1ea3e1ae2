//! `import`: a vault from lines of JSON.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;

use ambit::{Engine, Error, ImportAnswer, Kind, Location, check_export};
use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::files;
use crate::output::Output;
use crate::session::{Progress, Session};
use crate::table::Run;
use crate::text::{clean, counted};

/// Import an export into a new vault; if interrupted, repeat the command to resume
///
/// The whole file is checked before anything is stored. A missing store is created.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit import vault.jsonl --vault copy\n\
\x20 ambit import - --store postgres://db/ambit < vault.jsonl\n\
\x20 ambit import --abandon --vault copy")]
pub struct Import {
    /// The file that `ambit export` wrote; - is standard input
    #[arg(value_name = "FILE", required_unless_present = "abandon",
        value_hint = ValueHint::FilePath)]
    pub file: Option<String>,
    /// Remove what an interrupted import left in the vault
    #[arg(long, conflicts_with = "file")]
    #[serde(default)]
    pub abandon: bool,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum ImportOutput {
    Imported(ImportAnswer),
    Abandoned { vault: String, abandoned: bool },
}

impl Run for Import {
    type Answer = ImportOutput;

    fn run(&self, session: &Session) -> Result<Output<ImportOutput>, Failure> {
        Engine::check_vault_name(&session.vault)?;
        let Some(name) = &self.file else {
            return abandon(session);
        };
        let mut file = open(name)?;
        let total = file.metadata().map_or(0, |it| it.len());
        let what = "checking";
        let report = |done| session.report(Progress::Bytes { what, done, total });
        let checked = check_export(&mut file, &report)?;
        // Only now: an invalid file must not create a store.
        let (engine, _) = Engine::create(&location(session)?)?;
        let (what, total) = ("importing", checked.events());
        let report = |done| session.report(Progress::Events { what, done, total });
        let answer = engine.import(&session.vault, &checked, &mut file, &report)?;
        let mut text = format!(
            "Imported {} and {} into the vault {}.\n",
            counted(answer.events, "event"),
            counted(answer.contents, "text"),
            clean(&answer.vault),
        );
        if answer.resumed > 0 {
            let before = counted(answer.resumed, "event");
            text += &format!("{before} came from an interrupted run.\n");
        }
        Ok(Output::new(text, ImportOutput::Imported(answer)))
    }
}

fn abandon(session: &Session) -> Result<Output<ImportOutput>, Failure> {
    session.engine()?.abandon_import(&session.vault).map_err(|error| match error {
        Error::Store(ambit::StoreError::VaultThere(name)) => {
            let message = format!("the vault {name:?} is not being imported");
            Failure::new(Kind::Conflict, message, "it is left as it is")
        }
        other => other.into(),
    })?;
    let text = format!("Removed the unfinished import of {}.\n", clean(&session.vault));
    let answer = ImportOutput::Abandoned { vault: session.vault.clone(), abandoned: true };
    Ok(Output::new(text, answer))
}

/// Returns the store that is named or found, otherwise the one that `init` would create here.
fn location(session: &Session) -> Result<Location, Failure> {
    match session.location() {
        Err(failure) if failure.kind == Kind::NotFound => Ok(Location::within(session.folder()?)),
        found => found,
    }
}

/// Opens the file for two reads. Standard input is copied to a private temporary file.
fn open(name: &str) -> Result<File, Failure> {
    let hint = "give a file that `ambit export` has written, or - for standard input";
    let failed = |error: std::io::Error| files::unreadable(Path::new(name), &error, hint);
    if name != "-" {
        let file = File::open(name).map_err(failed)?;
        return match file.metadata().map_err(failed)?.is_file() {
            true => Ok(file),
            // A pipe can be read once.
            false => spool(file).map_err(failed),
        };
    }
    spool(std::io::stdin().lock()).map_err(failed)
}

fn spool(mut source: impl std::io::Read) -> std::io::Result<File> {
    let mut file = tempfile::tempfile()?;
    std::io::copy(&mut source, &mut file)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}
