//! `backup`: a copy of the whole store, made while others write.

use std::path::PathBuf;

use ambit::size;
use clap::Args;

use crate::failure::Failure;
use crate::output::{Output, clean};
use crate::progress;
use crate::session::Session;

/// Copy the whole store to a file, while others go on reading and writing
#[derive(Debug, Args)]
#[command(after_help = "The copy is a store like any other, of one moment.\n\n\
Examples:\n\
\x20 ambit backup /backups/ambit.db\n\
\x20 ambit verify --store sqlite:/backups/ambit.db")]
pub struct Backup {
    /// The file to write
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Replace the file where there is one
    #[arg(long)]
    pub force: bool,
}

impl Backup {
    pub fn run(&self, session: &Session) -> Result<Output, Failure> {
        let engine = session.engine()?;
        let bar = progress::bytes("copying", 0);
        let done = |copied, total| {
            bar.set_length(total);
            bar.set_position(copied);
        };
        let answer = engine.backup(&self.file, self.force, &done);
        bar.finish_and_clear();
        let answer = answer?;
        let text = format!(
            "Copied {} to {}.\nNext: ambit verify --store sqlite:{}\n",
            size(answer.bytes),
            clean(&answer.file),
            clean(&answer.file),
        );
        Output::new(&answer, text)
    }
}
