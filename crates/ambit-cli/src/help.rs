//! Help: the overview of all verbs, one family, and the reference page.

use ambit_verbs::{Erased, Failure, Family, Output, VERBS, Verb, find};
use clap::{Args, Command};
use serde_json::json;

use crate::cli;

/// The verbs that a newcomer needs, in the order in which they are needed.
const FIRST: [&str; 10] =
    ["init", "append", "compose", "note", "notes", "scope", "goto", "where", "search", "read"];

/// Show help for a verb, or list the verbs of a family
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ambit help goto\n  ambit help keeping")]
pub struct Help {
    /// A verb, or a family: scopes, conversation, objects, asking-back, subagents, keeping
    #[arg(value_name = "VERB|FAMILY")]
    pub topic: Option<String>,
}

impl Help {
    pub fn run(&self) -> Result<Erased, Failure> {
        let mut command = cli::command();
        command.build();
        let Some(topic) = &self.topic else {
            return page(command.render_long_help().ansi().to_string());
        };
        if let Some(verb) = command.find_subcommand_mut(topic) {
            let mut text = verb.render_long_help().ansi().to_string();
            // A family may have a verb's name: its list follows.
            if let Some(family) = family(topic) {
                text += &format!("\n{}", listed(family, |_| true));
            }
            return page(text);
        }
        let Some(family) = family(topic) else {
            let hint = "`ambit --help` lists the verbs by family";
            return Err(Failure::usage(format!("there is no verb or family {topic:?}"), hint));
        };
        page(listed(family, |_| true))
    }
}

fn page(text: String) -> Result<Erased, Failure> {
    Output::new(text.clone(), json!({"page": text})).erase()
}

fn family(name: &str) -> Option<Family> {
    // As in the overview, where "Asking back" is a heading.
    let name = name.to_lowercase().replace(' ', "-");
    Family::ALL.into_iter().find(|family| family.name() == name)
}

/// The template of `ambit --help`: the first verbs, then the others by family.
pub fn overview(command: &Command) -> String {
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n\nStart with:\n".to_string();
    text += &line("demo", &about(command, "demo"));
    for verb in FIRST.iter().filter_map(|name| find(name)) {
        text += &line(verb.name, &about(command, verb.name));
    }
    for family in Family::ALL {
        text.push('\n');
        text += &listed(family, |verb| !FIRST.contains(&verb.name));
    }
    text += "\nThis program:\n";
    for name in ["mcp", "completions", "man", "help"] {
        text += &line(name, &about(command, name));
    }
    text + "\nEverywhere:\n{options}\n\n`ambit VERB --help` shows a verb's flags and examples; \
            `ambit help FAMILY` lists one family.\n"
}

/// A family's verbs, a line each.
fn listed(family: Family, wanted: impl Fn(&Verb) -> bool) -> String {
    let verbs = VERBS.iter().filter(|verb| verb.family == family && wanted(verb));
    let lines: String = verbs.map(|verb| line(verb.name, &verb.summary())).collect();
    format!("{} ({}):\n{lines}", family.title(), family.summary())
}

fn about(command: &Command, name: &str) -> String {
    let about = command.find_subcommand(name).and_then(Command::get_about);
    about.map(ToString::to_string).unwrap_or_default()
}

fn line(name: &str, summary: &str) -> String {
    format!("  {name:<12} {summary}\n")
}

/// Prints every verb's help as one Markdown page
#[derive(Debug, Args)]
pub struct HelpMarkdown {}

impl HelpMarkdown {
    pub fn run(&self) -> Result<Erased, Failure> {
        let mut command = cli::command().term_width(90);
        command.build();
        let mut page = String::from("# Verbs\n\nMade from the program: `cargo xtask docs`.\n");
        page += &section("ambit", &mut command.clone());
        for family in Family::ALL {
            for verb in VERBS.iter().filter(|verb| verb.family == family) {
                page += &of(&command, verb.name);
            }
        }
        for name in ["demo", "mcp", "completions", "man", "help"] {
            page += &of(&command, name);
        }
        Output::new(page.clone(), json!({"page": page})).erase()
    }
}

fn of(command: &Command, name: &str) -> String {
    let verb = command.find_subcommand(name).cloned();
    verb.map(|mut verb| section(&format!("ambit {name}"), &mut verb)).unwrap_or_default()
}

fn section(title: &str, command: &mut Command) -> String {
    let help = command.render_long_help().to_string();
    let help: Vec<_> = help.lines().map(str::trim_end).collect();
    format!("\n## {title}\n\n```text\n{}\n```\n", help.join("\n").trim())
}
