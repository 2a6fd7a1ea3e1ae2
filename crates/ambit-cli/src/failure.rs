//! Failures: the exit code, the message and the hint, for people and in the envelope.

use std::io::Write;
use std::process::ExitCode;

use ambit::Kind;
use serde_json::json;

use crate::output::{clean, print, style};
use crate::session::Session;

/// Something did not work.
#[derive(Debug)]
pub struct Failure {
    pub kind: Kind,
    pub message: String,
    pub hint: String,
}

impl From<ambit::Error> for Failure {
    fn from(error: ambit::Error) -> Self {
        Failure { kind: error.kind(), message: error.to_string(), hint: error.hint() }
    }
}

impl Failure {
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure { kind: Kind::Usage, message: message.into(), hint: hint.into() }
    }

    /// Answers with the failure: in the envelope on standard output, or in words on standard error.
    pub fn print(&self, session: &Session) -> ExitCode {
        if session.json {
            self.print_json(Some(&session.actor), &session.timestamp());
        } else {
            let (bold, red, off) = (style::BOLD, style::RED, style::OFF);
            let text = format!("{red}error:{off} {}\n", clean(&self.message));
            let hint = format!("{bold}hint:{off} {}\n", clean(&self.hint));
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
            "error": {"code": self.kind, "message": self.message, "hint": self.hint},
        });
        // The exit code tells of the failure, also where this cannot be written.
        let _ = print(&format!("{envelope}\n"));
    }
}

/// What clap says: help and version are answers, all else is usage.
pub fn usage(error: &clap::Error, wants_json: bool) -> ExitCode {
    use clap::error::ErrorKind as E;
    if matches!(error.kind(), E::DisplayHelp | E::DisplayVersion) {
        let printed = print(&error.render().ansi().to_string());
        return printed.map_or(exit_code(Kind::Store), |()| ExitCode::SUCCESS);
    }
    if wants_json {
        let text = error.render().to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        let message = first.trim_start_matches("error: ").trim();
        let failure = Failure::usage(message, "`ambit --help` lists the verbs and their flags");
        let now = ambit::rfc3339(ambit::Outside::real().now());
        failure.print_json(None, &now);
    } else {
        let _ = anstream::stderr().write_all(error.render().ansi().to_string().as_bytes());
    }
    exit_code(Kind::Usage)
}

/// 0 done, 1 a bug of ours, 2 usage, 3 not found, 4 conflict, 5 refused, 6 the store failed,
/// 7 busy.
pub fn exit_code(kind: Kind) -> ExitCode {
    ExitCode::from(match kind {
        Kind::Bug => 1,
        Kind::Usage => 2,
        Kind::NotFound => 3,
        Kind::Conflict => 4,
        Kind::Refused => 5,
        Kind::Store => 6,
        Kind::Busy => 7,
    })
}
