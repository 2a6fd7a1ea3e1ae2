//! Failures: the exit code, the message and the hint, for people and in the envelope.

use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use ambit::Kind;
use ambit_verbs::Interface;
use serde_json::json;

use crate::output::{clean, escaped, print, style};
use crate::session::Session;

/// Something did not work.
#[derive(Debug)]
pub struct Failure {
    pub kind: Kind,
    pub message: String,
    pub hint: Hint,
}

/// What to do about a failure.
#[derive(Debug)]
pub enum Hint {
    Words(String),
    /// In the words of the interface that shows it.
    Of(ambit::Error),
}

impl Hint {
    pub fn on(&self, interface: Interface) -> String {
        match self {
            Hint::Words(words) => words.clone(),
            Hint::Of(error) => ambit_verbs::hint(error, interface),
        }
    }
}

impl<T: Into<String>> From<T> for Hint {
    fn from(words: T) -> Self {
        Hint::Words(words.into())
    }
}

impl From<ambit::Error> for Failure {
    fn from(error: ambit::Error) -> Self {
        Failure { kind: error.kind(), message: error.to_string(), hint: Hint::Of(error) }
    }
}

impl Failure {
    pub fn usage(message: impl Into<String>, hint: impl Into<Hint>) -> Self {
        Failure { kind: Kind::Usage, message: message.into(), hint: hint.into() }
    }

    /// Answers with the failure: in the envelope on standard output, or in words on standard error.
    pub fn print(&self, session: &Session) -> ExitCode {
        self.answer(session.json, Some(&session.actor))
    }

    /// The same before it is known who acts.
    pub fn print_alone(&self, json: bool) -> ExitCode {
        self.answer(json, None)
    }

    fn answer(&self, json: bool, actor: Option<&str>) -> ExitCode {
        if json {
            self.print_json(actor, &ambit::rfc3339(ambit::Outside::real().now()));
        } else {
            let (bold, red, off) = (style::BOLD, style::RED, style::OFF);
            let text = format!("{red}error:{off} {}\n", clean(&self.message));
            let hint =
                format!("{bold}hint:{off} {}\n", clean(&self.hint.on(Interface::CommandLine)));
            // When standard error is gone too, the exit code still tells.
            let _ = anstream::stderr().write_all((text + &hint).as_bytes());
        }
        exit_code(self.kind)
    }

    fn print_json(&self, actor: Option<&str>, timestamp: &str) {
        let envelope = json!({
            "ok": false,
            "actor": actor,
            "timestamp": timestamp,
            "error": {
                "code": self.kind,
                "message": self.message,
                "hint": self.hint.on(Interface::CommandLine),
            },
        });
        // The exit code tells of the failure, also where this cannot be written.
        let _ = print(&escaped(&envelope.to_string()));
    }
}

/// Runs a verb. A panic is a bug of ours and becomes a failure like any other: with an exit code of
/// its own and in the envelope, for programs that call this one.
pub fn guarded<T>(run: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let said = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&said);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let payload = panic.payload();
        let words = payload.downcast_ref::<&str>().map(ToString::to_string);
        let words = words.or_else(|| payload.downcast_ref::<String>().cloned());
        let place = panic.location().map_or(String::new(), |at| format!(" ({at})"));
        let text = words.unwrap_or_else(|| "a panic without words".into()) + &place;
        keep.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
    }));
    let ran = catch_unwind(AssertUnwindSafe(run));
    std::panic::set_hook(before);
    ran.unwrap_or_else(|_| {
        let said = said.lock().unwrap_or_else(PoisonError::into_inner).take();
        Err(Failure {
            kind: Kind::Bug,
            message: format!("a bug in ambit: {}", said.unwrap_or_default()),
            hint: "please report this; `ambit verify` says whether the store is whole".into(),
        })
    })
}

/// What clap says: help and version are answers, all else is usage.
pub fn usage(error: &clap::Error, arguments: &[OsString], wants_json: bool) -> ExitCode {
    use clap::error::ErrorKind as E;
    if matches!(error.kind(), E::DisplayHelp | E::DisplayVersion) {
        let printed = print(&error.render().ansi().to_string());
        return printed.map_or(exit_code(Kind::Store), |()| ExitCode::SUCCESS);
    }
    let all = "`ambit --help` lists the verbs and their flags";
    if error.kind() == E::MissingSubcommand {
        // clap would list the hidden ones too.
        return Failure::usage("a verb is missing", all).print_alone(wants_json);
    }
    let verb = crate::cli::verb_named(arguments);
    if wants_json {
        let text = error.render().to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        let message = first.trim_start_matches("error: ").trim();
        let hint = verb.map(|verb| format!("`ambit {verb} --help` lists what it takes"));
        return Failure::usage(message, hint.unwrap_or(all.into())).print_alone(true);
    }
    let text = error.render();
    // It repeats what it was given: colours only where there is nothing else of the kind in it.
    let plain = text.to_string();
    let text = if clean(&plain) == plain { text.ansi().to_string() } else { clean(&plain) };
    // Its last line says where help is: at the verb's own, where there is one.
    let text = match (verb, text.rsplit_once("--help")) {
        (Some(verb), Some((before, after))) => format!("{before}ambit {verb} --help{after}"),
        _ => text,
    };
    let _ = anstream::stderr().write_all(text.as_bytes());
    exit_code(Kind::Usage)
}

pub fn exit_code(kind: Kind) -> ExitCode {
    ExitCode::from(ambit_verbs::exit_code(kind))
}

#[cfg(test)]
mod tests {
    use ambit::Kind;
    use ambit_verbs::Interface;

    use super::{Failure, guarded};

    #[test]
    fn a_panic_is_a_bug_with_its_words_and_everything_else_passes() {
        let number = 7;
        let Err(failure) = guarded(|| -> Result<(), Failure> { panic!("the number {number}") })
        else {
            panic!("it went on")
        };
        assert_eq!(failure.kind, Kind::Bug);
        assert!(failure.message.contains("the number 7"), "{failure:?}");
        assert!(failure.message.contains("failure.rs"), "{failure:?}");
        assert!(!failure.hint.on(Interface::CommandLine).is_empty());
        assert_eq!(guarded(|| Ok(5)).ok(), Some(5));
        let Err(failure) = guarded(|| -> Result<(), _> { Err(Failure::usage("a", "b")) }) else {
            panic!("it went on")
        };
        assert_eq!((failure.kind, failure.message.as_str()), (Kind::Usage, "a"));
    }
}
