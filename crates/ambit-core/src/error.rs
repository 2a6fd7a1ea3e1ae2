//! Why a command was turned down, in words for the person who gave it.

use ambit_text::redact::PrefixError;
use ambit_wire::{Format, Malformed};
use serde::Serialize;

/// What kind of refusal it is. Interfaces map it to exit codes and status codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    Usage,
    NotFound,
    Conflict,
    Refused,
}

/// A command that wrote nothing: what is wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rejection {
    pub code: Code,
    pub message: String,
    pub hint: String,
}

impl Rejection {
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into() }
    }

    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Code::Usage, message, hint)
    }

    pub fn not_found(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message, hint)
    }

    pub fn conflict(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Code::Conflict, message, hint)
    }

    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Code::Refused, message, hint)
    }

    /// The same idempotency key was given with another command.
    pub fn key_reused() -> Self {
        Self::conflict(
            "the key was used for another command",
            "a key stands for one command: choose a new key for a new command",
        )
    }
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Rejection {}

impl From<Malformed> for Rejection {
    fn from(malformed: Malformed) -> Self {
        let of = match malformed.format {
            Format::Openai => "messages are in OpenAI Chat form",
            Format::Responses => "items are in the form of OpenAI's Responses",
            Format::Anthropic => "messages are in Anthropic's form",
        };
        let mut hint = format!(r#"{of}, such as {{"role":"user","content":"hello"}}"#);
        if malformed.format == Format::Openai {
            hint.push_str("; --format says if they are in another");
        }
        Rejection::usage(malformed.to_string(), hint)
    }
}

impl From<PrefixError> for Rejection {
    fn from(error: PrefixError) -> Self {
        let hint = match &error {
            PrefixError::Malformed(_) => {
                "it has 3 to 64 letters, digits, _, - or ., begins with a letter or digit, and a \
                 comma stands between two: ACME-,corp_"
            }
            PrefixError::TooMany(_) => {
                "shorter ones cover more: corp_ stands for corp_a and corp_b"
            }
        };
        Rejection::usage(error.to_string(), hint)
    }
}
