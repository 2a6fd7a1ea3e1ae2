//! `import`: a vault from lines of JSON.

use std::fs::File;
use std::io::{Seek, SeekFrom};

use ambit::{Engine, Error, Kind, Location, check_export};
use clap::{Args, ValueHint};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{Output, clean, counted};
use crate::progress;
use crate::session::{Session, here};

/// Bring a vault in from an export, into a new vault; interrupted, the same command goes on
///
/// The whole file is checked before anything is stored. Where there is no store yet, one is made.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n\
\x20 ambit import vault.jsonl --vault copy\n\
\x20 ambit import - --store postgres://db/ambit < vault.jsonl\n\
\x20 ambit import --abandon --vault copy")]
pub struct Import {
    /// The export; - is standard input
    #[arg(value_name = "FILE", required_unless_present = "abandon",
        value_hint = ValueHint::FilePath)]
    pub file: Option<String>,
    /// Remove what an interrupted import has left of the vault
    #[arg(long, conflicts_with = "file")]
    pub abandon: bool,
}

impl Import {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        Engine::check_vault_name(&session.vault)?;
        let Some(name) = &self.file else {
            return abandon(session);
        };
        let mut file = open(name)?;
        let bytes = file.metadata().map_or(0, |it| it.len());
        let bar = progress::bytes("checking", bytes);
        let checked = check_export(&mut file, &|done| bar.set_position(done));
        bar.finish_and_clear();
        let checked = checked?;
        // Only now: a file that is no export makes no store.
        let (engine, _) = Engine::create(&location(session)?)?;
        let bar = progress::events("importing");
        bar.set_length(checked.events() as u64);
        let answer = engine.import(&session.vault, &checked, &mut file, &|done| {
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        let answer = answer?;
        let mut text = format!(
            "Imported {} and {} into the vault {}.\n",
            counted(answer.events, "event"),
            counted(answer.contents, "text"),
            clean(&answer.vault),
        );
        if answer.resumed > 0 {
            let before = counted(answer.resumed, "event");
            text += &format!("{before} were there from a run that was interrupted.\n");
        }
        Output::new(&answer, text)
    }
}

fn abandon(session: &Session) -> Result<Output, Failure> {
    session.engine()?.abandon_import(&session.vault).map_err(|error| match error {
        Error::Store(ambit::StoreError::VaultThere(name)) => Failure {
            kind: Kind::Conflict,
            message: format!("the vault {name:?} is not being imported"),
            hint: "it is left as it is".into(),
        },
        other => other.into(),
    })?;
    let text = format!("What was there of {} is removed.\n", clean(&session.vault));
    Output::new(&json!({"vault": session.vault, "abandoned": true}), text)
}

/// The store that is named or found; else the one that `init` would make here.
fn location(session: &Session) -> Result<Location, Failure> {
    match session.location() {
        Err(failure) if failure.kind == Kind::NotFound => Ok(Location::within(&here()?)),
        found => found,
    }
}

/// The file, to be read twice. Standard input is kept in a file that nobody else can open.
fn open(name: &str) -> Result<File, Failure> {
    let failed = |error: std::io::Error| Failure {
        kind: match error.kind() {
            std::io::ErrorKind::NotFound => Kind::NotFound,
            _ => Kind::Usage,
        },
        message: format!("{name}: {error}"),
        hint: "give a file that `ambit export` has written, or - for standard input".into(),
    };
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
