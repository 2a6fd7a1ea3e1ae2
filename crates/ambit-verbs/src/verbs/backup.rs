//! `backup`: a copy of the whole store, made while others write.

use std::path::PathBuf;

use ambit::{BackupAnswer, size};
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::session::{Progress, Session};
use crate::table::Run;
use crate::text::clean;

/// Copy the whole store to a file; others can read and write meanwhile
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "The copy is a complete store, as of one moment.\n\n\
Examples:\n\
\x20 ambit backup /backups/ambit.db\n\
\x20 ambit verify --store sqlite:/backups/ambit.db")]
pub struct Backup {
    /// The file to write
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
}

impl Run for Backup {
    type Answer = BackupAnswer;

    fn run(&self, session: &Session) -> Result<Output<BackupAnswer>, Failure> {
        let engine = session.engine()?;
        let what = "copying";
        let report = |done, total| session.report(Progress::Bytes { what, done, total });
        let answer = engine.backup(&self.file, self.force, &report)?;
        let text = format!(
            "Copied {} to {}.\nNext: ambit verify --store sqlite:{}\n",
            size(answer.bytes),
            clean(&answer.file),
            clean(&answer.file),
        );
        Ok(Output::new(text, answer))
    }
}
