//! The command line as a whole: what every verb takes, and the list of verbs.

use std::ffi::OsString;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;
use crate::{demo, help, mcp, verbs};

/// Keeps what an agent, and the person it works for, are thinking about: bounded, auditable,
/// shared.
#[derive(Debug, Parser)]
#[command(
    name = "ambit",
    version,
    after_help = "Start with:\n\
\x20 ambit demo            see what it does, in a few seconds\n\
\x20 ambit init            a store for this folder\n\
\x20 ambit where           where you are"
)]
pub struct Cli {
    #[command(flatten)]
    pub globals: Globals,
    #[command(subcommand)]
    pub verb: Verb,
}

/// What every verb takes, before or after its name.
#[derive(Clone, Debug, Default, Args)]
pub struct Globals {
    /// Answer in JSON: {ok, actor, timestamp, result | error}
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,
    /// The store: sqlite:PATH or postgres://… [env: AMBIT_STORE] [default: .ambit/ here or above]
    #[arg(long, global = true, value_name = "STORE", help_heading = "Everywhere")]
    pub store: Option<String>,
    /// The vault [env: AMBIT_VAULT] [default: default]
    #[arg(long, global = true, value_name = "NAME", help_heading = "Everywhere")]
    pub vault: Option<String>,
    /// Who acts: an actor's name or id [env: AMBIT_ACTOR] [default: the user's name]
    #[arg(long = "as", global = true, value_name = "ACTOR", help_heading = "Everywhere")]
    pub actor: Option<String>,
    /// Work in this scope for this command alone [env: AMBIT_SCOPE]
    #[arg(long, global = true, value_name = "SCOPE", help_heading = "Everywhere",
        add = verbs::completions::scopes())]
    pub scope: Option<String>,
    /// What the actor is when it is seen for the first time
    #[arg(long, global = true, value_name = "KIND", value_parser = ["operator", "agent"],
        help_heading = "Everywhere")]
    pub kind: Option<String>,
}

macro_rules! verbs {
    ($($(#[$meta:meta])* $variant:ident($args:ty),)+) => {
        /// All verbs, in the order in which help lists them.
        #[derive(Debug, Subcommand)]
        pub enum Verb { $($(#[$meta])* $variant($args),)+ }

        impl Verb {
            pub fn run(&self, session: &Session) -> Result<Output, Failure> {
                match self { $(Verb::$variant(args) => args.run(session),)+ }
            }
        }
    };
}

verbs! {
    Init(verbs::init::Init),
    Where(verbs::where_am_i::Where),
    Append(verbs::append::Append),
    Compose(verbs::compose::Compose),
    Note(verbs::note::Note),
    Notes(verbs::notes::Notes),
    Insight(verbs::insight::Insight),
    Insights(verbs::insights::Insights),
    Scope(verbs::scope::Scope),
    Goto(verbs::goto::Goto),
    Scopes(verbs::scopes::Scopes),
    Put(verbs::put::Put),
    Get(verbs::get::Get),
    Meta(verbs::meta::Meta),
    Diff(verbs::diff::Diff),
    Place(verbs::place::Place),
    Objects(verbs::objects::Objects),
    Context(verbs::context::Context),
    Enter(verbs::enter::Enter),
    Leave(verbs::leave::Leave),
    Focus(verbs::focus::Focus),
    Break(verbs::break_off::Break),
    Suggest(verbs::suggest::Suggest),
    Fork(verbs::fork::Fork),
    Rejoin(verbs::rejoin::Rejoin),
    Abandon(verbs::abandon::Abandon),
    Views(verbs::views::Views),
    History(verbs::history::History),
    Why(verbs::why::Why),
    Related(verbs::related::Related),
    Revert(verbs::revert::Revert),
    Read(verbs::read::Read),
    Search(verbs::search::Search),
    Rewind(verbs::rewind::Rewind),
    Settings(verbs::settings::Settings),
    Log(verbs::log::Log),
    Check(verbs::check::Check),
    Verify(verbs::verify::Verify),
    Forget(verbs::forget::Forget),
    Export(verbs::export::Export),
    Import(verbs::import::Import),
    Rebuild(verbs::rebuild::Rebuild),
    Gc(verbs::gc::Gc),
    Tidy(verbs::tidy::Tidy),
    Backup(verbs::backup::Backup),
    Doctor(verbs::doctor::Doctor),
    Mcp(mcp::Mcp),
    Completions(verbs::completions::Completions),
    Man(verbs::man::Man),
    Demo(demo::Demo),
    #[command(hide = true)]
    DemoWriter(demo::writer::DemoWriter),
    #[command(hide = true)]
    HelpMarkdown(help::HelpMarkdown),
}

impl Verb {
    pub fn is_demo(&self) -> bool {
        matches!(self, Verb::Demo(_))
    }

    /// Whether people are shown the active scopes below its answer: they always know where they
    /// stand. Some tell it themselves, some are not about scopes at all.
    pub fn stands_in_scopes(&self) -> bool {
        !matches!(
            self,
            Verb::Init(_)
                | Verb::Where(_)
                | Verb::Enter(_)
                | Verb::Leave(_)
                | Verb::Focus(_)
                | Verb::Break(_)
                | Verb::Check(_)
                | Verb::Export(_)
                | Verb::Import(_)
                | Verb::Backup(_)
                | Verb::Doctor(_)
                | Verb::Mcp(_)
                | Verb::Completions(_)
                | Verb::Man(_)
                | Verb::Demo(_)
                | Verb::DemoWriter(_)
                | Verb::HelpMarkdown(_)
        )
    }
}

/// The verb that arguments name, also where something else is wrong with them.
pub fn verb_named(arguments: &[OsString]) -> Option<String> {
    let command = Cli::command().ignore_errors(true);
    let matches = command.try_get_matches_from(arguments).ok()?;
    matches.subcommand_name().map(str::to_string)
}

/// Reads the arguments. The error is clap's own: also help and the version.
pub fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = Cli::command().try_get_matches_from(arguments)?;
    Cli::from_arg_matches(&matches)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound_and_every_verb_has_an_example() {
        let command = super::Cli::command();
        command.clone().debug_assert();
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("  ambit "), "{} has no example", verb.get_name());
        }
    }
}
