//! `man`: the manual pages of all verbs, made from their structs.

use std::path::{Path, PathBuf};

use ambit::Kind;
use ambit_verbs::text::{clean, counted};
use ambit_verbs::{Erased, Failure, Output};
use clap::{Args, ValueHint};
use serde_json::json;

use crate::cli;

/// Write a manual page for the program and for each verb
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ambit man --out ~/.local/share/man/man1 && man ambit-goto")]
pub struct Man {
    /// The folder to write to; created if missing
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
}

impl Man {
    pub fn run(&self) -> Result<Erased, Failure> {
        let failed = |error: std::io::Error| {
            let message = format!("cannot write to {}: {error}", self.out.display());
            let hint = "name a folder of your own, such as --out ~/.local/share/man/man1";
            Failure::new(Kind::Store, message, hint)
        };
        std::fs::create_dir_all(&self.out).map_err(failed)?;
        let mut command = cli::command();
        command.build();
        let mut pages = vec![page(&command, "ambit", &self.out).map_err(failed)?];
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let name = format!("ambit-{}", verb.get_name());
            pages.push(page(verb, &name, &self.out).map_err(failed)?);
        }
        let text = format!(
            "Wrote {} to {}.\n",
            counted(pages.len() as i64, "page"),
            clean(&self.out.display().to_string())
        );
        Output::new(text, json!({"pages": pages})).erase()
    }
}

fn page(command: &clap::Command, name: &str, folder: &Path) -> std::io::Result<String> {
    let file = format!("{name}.1");
    let mut text = Vec::new();
    let man = clap_mangen::Man::new(command.clone()).title(name);
    man.source(concat!("ambit ", env!("CARGO_PKG_VERSION"))).render(&mut text)?;
    std::fs::write(folder.join(&file), text)?;
    Ok(file)
}
