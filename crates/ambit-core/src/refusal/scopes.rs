//! Refused names, actors, scopes and settings.

use ambit_text::redact::PrefixError;

use super::{Code, listed};
use crate::Fate;

/// A refused name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameRefusal {
    /// `what` is the noun: a scope, an actor, a vault, an object, a type.
    #[error("invalid {what} name {name:?}: it {fault}")]
    Invalid { what: String, name: String, fault: NameFault },
    #[error("invalid object name {name:?}: events, blocks and notes have such names")]
    LikeAHandle { name: String },
    /// `cannot` is the action, such as "open scope"; `by` is what has the name, such as "a scope".
    #[error("cannot {cannot} {name:?}: there is {by} with this name already")]
    Taken { cannot: &'static str, by: &'static str, name: String },
}

impl NameRefusal {
    pub fn code(&self) -> Code {
        match self {
            NameRefusal::Invalid { .. } | NameRefusal::LikeAHandle { .. } => Code::Usage,
            NameRefusal::Taken { .. } => Code::Conflict,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    #[error("is empty")]
    Empty,
    #[error("begins or ends with white space")]
    Padded,
    #[error("contains the control character U+{:04X}", u32::from(*.0))]
    Control(char),
    #[error("has {chars} characters; {setting} is {max}")]
    TooLong { chars: i64, setting: &'static str, max: i64 },
    #[error("looks like an id")]
    LikeAnId,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActorRefusal {
    #[error("there is no actor {name:?}")]
    Missing { name: String },
    #[error("cannot act as {name:?}: it {} with event {event}", .fate.as_str())]
    Ended { name: String, fate: Fate, event: i64 },
    #[error("cannot register {name:?} as a subagent: only a fork makes one")]
    NotForked { name: String },
}

impl ActorRefusal {
    pub fn code(&self) -> Code {
        match self {
            ActorRefusal::Missing { .. } => Code::NotFound,
            ActorRefusal::Ended { .. } => Code::Refused,
            ActorRefusal::NotForked { .. } => Code::Usage,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScopeRefusal {
    #[error("there is no scope named {name:?}")]
    Missing { name: String },
    #[error("cannot work in scope {name:?}: it was closed when its subagent ended")]
    Closed { name: String },
    #[error("there is no primary scope")]
    NoPrimary {
        /// Whether the actor is a subagent that has ended, which never has a primary scope again.
        ended: bool,
    },
    #[error("cannot open scope {name:?}: event {event} closed a scope with this name")]
    NameClosed { name: String, event: i64 },
    #[error("cannot open scope {name:?}: the vault has {scopes} scopes; scopes_max is {max}")]
    TooMany { name: String, scopes: i64, max: i64 },
    #[error("cannot go to scope {name:?}: it is the current scope")]
    Current { name: String },
    /// A command that pins a scope cannot change the caller's scopes.
    #[error("cannot {verb}: the caller pins the scope {pin:?}")]
    Pinned { verb: &'static str, pin: String },
    #[error("cannot enter scope {name:?}: it is active already")]
    Active { name: String },
    #[error("cannot {verb} scope {name:?}: it is not active; active: {}", listed(.active))]
    Inactive { verb: &'static str, name: String, active: Vec<String> },
    #[error("the head of scope {scope:?} is {head}, not {expected}")]
    HeadMoved { scope: String, head: i64, expected: i64 },
}

impl ScopeRefusal {
    pub fn code(&self) -> Code {
        use ScopeRefusal::*;
        match self {
            Missing { .. } => Code::NotFound,
            Closed { .. } | NoPrimary { .. } | TooMany { .. } | Pinned { .. } => Code::Refused,
            NameClosed { .. }
            | Current { .. }
            | Active { .. }
            | Inactive { .. }
            | HeadMoved { .. } => Code::Conflict,
        }
    }
}

/// Every refused setting is a usage error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingRefusal {
    #[error("there is no setting named {name:?}")]
    Missing { name: String },
    #[error("invalid value {value:?} for {name}: expected {expected}")]
    Value { name: &'static str, value: String, expected: String },
    #[error(transparent)]
    Prefixes(#[from] PrefixError),
    #[error("cannot set {name} for a scope: it applies to the whole vault")]
    VaultWide { name: &'static str },
}
