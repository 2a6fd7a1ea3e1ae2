//! The command line as a whole: what every verb takes, the verbs of the table, and the commands
//! that only a program has.

use std::ffi::OsString;

use ambit_verbs::{Erased, Failure, Session, VERBS, Verb, find};
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};

use crate::{completions, demo, help, man, mcp};

/// The arguments, read.
pub struct Cli {
    pub globals: Globals,
    called: Called,
}

enum Called {
    Verb(&'static Verb, ArgMatches),
    Program(Program),
}

/// What every verb takes, before or after its name.
#[derive(Clone, Debug, Default, Args)]
pub struct Globals {
    /// Answer in JSON: {ok, actor, timestamp, result | error}
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,
    /// The store: sqlite:PATH or postgres://… [env: AMBIT_STORE] [default: nearest .ambit/]
    #[arg(long, global = true, value_name = "STORE", help_heading = "Everywhere")]
    pub store: Option<String>,
    /// Use this vault of the store [env: AMBIT_VAULT] [default: default]
    #[arg(long, global = true, value_name = "NAME", help_heading = "Everywhere")]
    pub vault: Option<String>,
    /// Act as this actor, by name or id [env: AMBIT_ACTOR] [default: the user's name]
    #[arg(long = "as", global = true, value_name = "ACTOR", help_heading = "Everywhere")]
    pub actor: Option<String>,
    /// Work in this scope for this command only [env: AMBIT_SCOPE]
    #[arg(long, global = true, value_name = "SCOPE", help_heading = "Everywhere")]
    pub scope: Option<String>,
    /// The kind of a new actor: a person (operator) or an agent
    #[arg(long, global = true, value_name = "KIND", value_parser = ["operator", "agent"],
        help_heading = "Everywhere")]
    pub kind: Option<String>,
}

/// The commands that are about this program, not about what a store holds.
#[derive(Debug, Subcommand)]
enum Program {
    Demo(demo::Demo),
    Mcp(mcp::Mcp),
    Completions(completions::Completions),
    Man(man::Man),
    Help(help::Help),
    #[command(hide = true)]
    DemoWriter(demo::writer::DemoWriter),
    #[command(hide = true)]
    HelpMarkdown(help::HelpMarkdown),
}

/// What the program is for.
const ABOUT: &str = "Memory for LLM agents: keeps an agent's context small without losing anything";

/// The whole command line.
pub fn command() -> Command {
    let command = Command::new("ambit").version(env!("CARGO_PKG_VERSION"));
    let command = Globals::augment_args(command).subcommands(VERBS.iter().map(Verb::command));
    let command = Program::augment_subcommands(command).about(ABOUT).long_about(None);
    let page = help::overview(&command);
    command.subcommand_required(true).disable_help_subcommand(true).help_template(page)
}

/// Reads the arguments. The error is clap's own: also help and the version.
pub fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = command().try_get_matches_from(arguments)?;
    let globals = Globals::from_arg_matches(&matches)?;
    let verb = matches.subcommand().and_then(|(name, matches)| Some((find(name)?, matches)));
    let called = match verb {
        Some((verb, matches)) => Called::Verb(verb, matches.clone()),
        None => Called::Program(Program::from_arg_matches(&matches)?),
    };
    Ok(Cli { globals, called })
}

impl Cli {
    /// Runs the command. A server returns no answer.
    pub fn run(&self, session: &Session) -> Result<Option<Erased>, Failure> {
        Ok(Some(match &self.called {
            Called::Verb(verb, matches) => verb.run_matches(matches, session)?,
            Called::Program(Program::Mcp(mcp)) => {
                mcp.run(session)?;
                return Ok(None);
            }
            Called::Program(Program::Demo(demo)) => demo.run()?,
            Called::Program(Program::Completions(completions)) => completions.run()?,
            Called::Program(Program::Man(man)) => man.run()?,
            Called::Program(Program::Help(help)) => help.run()?,
            Called::Program(Program::DemoWriter(writer)) => writer.run(session)?,
            Called::Program(Program::HelpMarkdown(page)) => page.run()?,
        }))
    }

    pub fn is_demo(&self) -> bool {
        matches!(self.called, Called::Program(Program::Demo(_)))
    }

    /// Whether people are shown the active scopes below the answer.
    pub fn shows_scopes(&self) -> bool {
        matches!(self.called, Called::Verb(verb, _) if verb.shows_scopes)
    }
}

/// Returns the verb that the arguments name, even if they are invalid otherwise.
pub fn verb_named(arguments: &[OsString]) -> Option<String> {
    let matches = command().ignore_errors(true).try_get_matches_from(arguments).ok()?;
    matches.subcommand_name().map(str::to_string)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_sound_and_every_verb_has_an_example() {
        let command = super::command();
        command.clone().debug_assert();
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("  ambit "), "{} has no example", verb.get_name());
        }
    }

    #[test]
    fn the_overview_lists_every_verb_once_and_fits_a_terminal() {
        let page = super::command().render_help().to_string();
        for verb in ambit_verbs::VERBS {
            let line = format!("\n  {:<12} ", verb.name);
            assert_eq!(page.matches(&line).count(), 1, "{}: {page}", verb.name);
        }
        for line in page.split("\nEverywhere:").next().into_iter().flat_map(str::lines) {
            assert!(line.chars().count() <= 100, "{line}");
        }
        assert!(page.starts_with(super::ABOUT), "{page}");
    }
}
