//! `completions`: the shell scripts, and the names that they complete. The shell asks the program
//! at each key press; a completion writes nothing and never waits long.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use ambit::{Engine, ScopeLine};
use ambit_verbs::text::{clean, counted};
use ambit_verbs::{Erased, Failure, Output, Session, guarded};
use clap::{Args, Command, FromArgMatches};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate, complete};
use clap_complete::env::{CompleteEnv, Elvish, EnvCompleter, Fish, Shells, Zsh};
use serde_json::json;

use crate::cli::{self, Globals};
use crate::session;

/// The environment variable that a shell sets to ask for completions.
const VARIABLE: &str = "AMBIT_COMPLETE";

/// How long a completion may wait for a store.
const PATIENCE: Duration = Duration::from_secs(1);

/// PowerShell is not supported: it inserts completions unquoted and evaluates the line at each key
/// press.
const SHELLS: Shells<'_> = Shells(&[&Bash, &Elvish, &Fish, &Zsh]);

/// Print a shell script that completes verbs, flags and the names of scopes
///
/// The script asks this program at each completion. Names come from the store that the command
/// line, the environment or the folder names.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n\
\x20 source <(ambit completions bash)     in ~/.bashrc\n\
\x20 source <(ambit completions zsh)      in ~/.zshrc, after compinit\n\
\x20 ambit completions fish | source      in ~/.config/fish/config.fish")]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_parser = ["bash", "elvish", "fish", "zsh"])]
    pub shell: String,
}

impl Completions {
    pub fn run(&self) -> Result<Erased, Failure> {
        let shell = SHELLS.completer(&self.shell);
        let mut script = Vec::new();
        let written = shell.map(|shell| {
            shell.write_registration(VARIABLE, "ambit", "ambit", "ambit", &mut script)
        });
        if !matches!(written, Some(Ok(()))) {
            let message = format!("there is nothing for the shell {:?}", self.shell);
            return Err(Failure::usage(message, "`ambit completions --help` lists the shells"));
        }
        let script = String::from_utf8_lossy(&script).into_owned();
        let answer = json!({"shell": self.shell, "script": script});
        Output::new(script, answer).verbatim().erase()
    }
}

/// Answers a shell that asks for completions with `ambit -- WORDS`, which is not a command. Returns
/// whether a shell asked. Errors are dropped: a shell cannot show them.
pub fn answered(arguments: &[OsString]) -> bool {
    if std::env::var_os(VARIABLE).is_none_or(|shell| shell.is_empty()) {
        return false;
    }
    if arguments.get(1).is_none_or(|first| first != "--") {
        return false;
    }
    let _ = guarded(|| {
        let _ = ASKED.set(globals(&arguments[2..]));
        let complete = CompleteEnv::with_factory(with_scopes).var(VARIABLE).shells(SHELLS);
        let _ = complete.try_complete(arguments, std::env::current_dir().ok().as_deref());
        Ok(())
    });
    true
}

/// The command line, with the names of scopes wherever an argument is one.
fn with_scopes() -> Command {
    let named = |arg: clap::Arg| {
        let names = arg.get_value_names().unwrap_or_default();
        if names.iter().any(|name| name == "SCOPE") { arg.add(scopes()) } else { arg }
    };
    let command = cli::command().mut_args(named);
    command.mut_subcommands(|verb| verb.mut_args(named))
}

/// What the names depend on.
static ASKED: OnceLock<Globals> = OnceLock::new();

/// What an unfinished line says for every verb.
fn globals(words: &[OsString]) -> Globals {
    let read = cli::command().ignore_errors(true).try_get_matches_from(words);
    let globals = read.and_then(|matches| Globals::from_arg_matches(&matches));
    // The scope may be the word that is being completed.
    Globals { scope: None, ..globals.unwrap_or_default() }
}

/// The scopes of the store at hand, for arguments that name one.
fn scopes() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let (send, receive) = mpsc::channel();
        let looking = thread::Builder::new().spawn(move || send.send(look()));
        let scopes = looking.ok().and_then(|_| receive.recv_timeout(PATIENCE).ok().flatten());
        scopes.unwrap_or_default().iter().filter_map(candidate).collect()
    })
}

fn look() -> Option<Vec<ScopeLine>> {
    let env = |name: &str| std::env::var_os(name);
    let session = session::new(ASKED.get()?, &Arc::default(), env).ok()?;
    let caller = Session { scope: None, ..session.clone() }.caller();
    let engine = Engine::peek(&session.location().ok()?).ok()??;
    Some(engine.scopes(&caller).ok()?.scopes)
}

fn candidate(scope: &ScopeLine) -> Option<CompletionCandidate> {
    // Ambit stores no name with control characters, and a name that starts like a flag would
    // be read as a flag.
    if clean(&scope.name) != scope.name
        || scope.name.contains(['\n', '\t'])
        || scope.name.starts_with('-')
    {
        return None;
    }
    let help = format!("{}, {}", counted(scope.messages, "message"), counted(scope.notes, "note"));
    Some(CompletionCandidate::new(&scope.name).help(Some(help.into())))
}

/// Bash splits words at `:` and `=`, expands completions and inserts them unquoted: the script
/// joins, reads and quotes them.
struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == "bash"
    }

    fn write_registration(
        &self,
        _: &str,
        _: &str,
        _: &str,
        _: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        out.write_all(include_bytes!("completions.bash"))
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let last = words.len().saturating_sub(1);
        for candidate in complete(command, words, last, folder)? {
            writeln!(out, "{}", candidate.get_value().to_string_lossy())?;
        }
        Ok(())
    }
}
