//! The reference page of all verbs, made from their structs.

use clap::{Args, CommandFactory};

use crate::cli::Cli;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

/// Prints every verb's help as one Markdown page
#[derive(Debug, Args)]
pub struct HelpMarkdown {}

impl HelpMarkdown {
    pub fn run(&self, _session: &Session) -> Result<Output, Failure> {
        let mut command = Cli::command().term_width(90);
        command.build();
        let mut page = String::from("# Verbs\n\nMade from the program: `cargo xtask docs`.\n");
        page += &section("ambit", &mut command.clone());
        let verbs: Vec<_> = command.get_subcommands().cloned().collect();
        for mut verb in verbs {
            if !verb.is_hide_set() && verb.get_name() != "help" {
                page += &section(&format!("ambit {}", verb.get_name()), &mut verb);
            }
        }
        Output::new(&serde_json::json!({"page": page}), page.clone())
    }
}

fn section(title: &str, command: &mut clap::Command) -> String {
    let help = command.render_long_help().to_string();
    let help: Vec<_> = help.lines().map(str::trim_end).collect();
    format!("\n## {title}\n\n```text\n{}\n```\n", help.join("\n").trim())
}
