//! `export`: a vault as lines of JSON.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

use ambit::{Engine, ExportAnswer, Kind};
use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::{Progress, Session};
use crate::table::Run;
use crate::text::{counted, grouped};

/// Write the vault as JSON lines: the whole log and every text, checked while written
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit export vault.jsonl\n\
\x20 ambit export | gzip > vault.jsonl.gz\n\
\x20 ambit export - | ambit import - --store postgres://db/ambit --vault team")]
pub struct Export {
    /// The file to write; - is standard output
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true,
        value_hint = ValueHint::FilePath)]
    pub file: String,
    /// Replace an existing file
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct ExportOutput {
    #[serde(flatten)]
    answer: ExportAnswer,
    /// The file that was written; absent for standard output.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

impl Run for Export {
    type Answer = ExportOutput;

    fn run(&self, session: &Session) -> Result<Output<ExportOutput>, Failure> {
        if self.file == "-" {
            return self.to_standard_output(session);
        }
        let path = Path::new(&self.file);
        if !self.force && path.symlink_metadata().is_ok() {
            return Err(there(path));
        }
        let engine = session.engine()?;
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        // Beside its place, readable by its owner alone, and gone where anything goes wrong.
        let failed = |error| unwritable(path, &error);
        let mut file = NamedTempFile::new_in(folder).map_err(failed)?;
        let answer = write(&engine, session, &mut file)?;
        file.as_file().sync_all().map_err(failed)?;
        let kept = match self.force {
            true => file.persist(path),
            false => file.persist_noclobber(path),
        };
        kept.map_err(|error| match error.error.kind() {
            std::io::ErrorKind::AlreadyExists => there(path),
            _ => failed(error.error),
        })?;
        // The name too must survive a power cut.
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
        let text = format!(
            "Exported {} to {}: {} bytes.\n",
            amounts(&answer),
            path.display(),
            grouped(answer.bytes as i64)
        );
        Ok(Output::new(text, ExportOutput { answer, file: Some(self.file.clone()) }))
    }
}

impl Export {
    fn to_standard_output(&self, session: &Session) -> Result<Output<ExportOutput>, Failure> {
        if session.json {
            return Err(Failure::usage(
                "on standard output the export itself is the answer",
                "leave out --json, or name a file",
            ));
        }
        let engine = session.engine()?;
        let answer = write(&engine, session, &mut std::io::stdout().lock())?;
        let aside = format!("Exported {}.\n", amounts(&answer));
        Ok(Output { aside, ..Output::new("", ExportOutput { answer, file: None }) })
    }
}

fn amounts(answer: &ExportAnswer) -> String {
    let forgotten = match answer.forgotten {
        0 => String::new(),
        number => format!(" ({} forgotten)", grouped(number)),
    };
    let (events, texts) = (counted(answer.events, "event"), counted(answer.contents, "text"));
    format!("{events} and {texts}{forgotten}")
}

fn write(engine: &Engine, session: &Session, out: &mut dyn Write) -> Result<ExportAnswer, Failure> {
    let mut out = BufWriter::new(out);
    let what = "exporting";
    let report = |done, total| session.report(Progress::Events { what, done, total });
    let answer = engine.export(&session.caller(), &mut out, &report)?;
    out.flush().map_err(|error| {
        let message = format!("cannot write the export: {error}");
        Failure::new(Kind::Store, message, "check the disk")
    })?;
    Ok(answer)
}

fn there(path: &Path) -> Failure {
    let message = format!("{} exists already", path.display());
    Failure::new(Kind::Conflict, message, "name another file, or replace it with --force")
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    let message = format!("cannot write {}: {error}", path.display());
    Failure::new(Kind::Store, message, "check the path, its permissions and the disk")
}
