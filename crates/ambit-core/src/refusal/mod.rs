//! Refusals: the reasons for which commands and requests are refused, with the values. Each is one
//! sentence; the interfaces add a hint with the command to run.

mod conversation;
mod objects;
mod scopes;

pub use conversation::{MessageRefusal, NoteRefusal};
pub use objects::{ForkRefusal, ObjectRefusal};
pub use scopes::{ActorRefusal, NameFault, NameRefusal, ScopeRefusal, SettingRefusal};

/// The class of a refusal. Interfaces map it to exit codes and status codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Usage,
    NotFound,
    Conflict,
    Refused,
}

/// The reason for which a command or a request was refused. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error(transparent)]
    Name(#[from] NameRefusal),
    #[error(transparent)]
    Actor(#[from] ActorRefusal),
    #[error(transparent)]
    Scope(#[from] ScopeRefusal),
    #[error(transparent)]
    Setting(#[from] SettingRefusal),
    #[error(transparent)]
    Note(#[from] NoteRefusal),
    #[error(transparent)]
    Message(#[from] MessageRefusal),
    #[error(transparent)]
    Object(#[from] ObjectRefusal),
    #[error(transparent)]
    Fork(#[from] ForkRefusal),
    #[error("cannot use the idempotency key again: it belongs to another command")]
    KeyReused,
    #[error("no answer is stored under the idempotency key")]
    KeyUnknown,
    #[error("cannot store the texts: the vault's redaction settings have changed since")]
    RedactionChanged,
    #[error("cannot tidy the vault: an event was written since it was examined")]
    Overtaken,
}

impl Refusal {
    pub fn code(&self) -> Code {
        match self {
            Refusal::Name(refusal) => refusal.code(),
            Refusal::Actor(refusal) => refusal.code(),
            Refusal::Scope(refusal) => refusal.code(),
            Refusal::Setting(_) => Code::Usage,
            Refusal::Note(refusal) => refusal.code(),
            Refusal::Message(refusal) => refusal.code(),
            Refusal::Object(refusal) => refusal.code(),
            Refusal::Fork(refusal) => refusal.code(),
            Refusal::KeyUnknown => Code::NotFound,
            Refusal::KeyReused | Refusal::RedactionChanged | Refusal::Overtaken => Code::Conflict,
        }
    }
}

/// Lists names in a sentence.
fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
