//! The verbs: one file each, one struct for its arguments and one function that runs it.

pub mod abandon;
pub mod append;
pub mod backup;
pub mod break_off;
pub mod check;
pub mod compose;
pub mod context;
pub mod diff;
pub mod doctor;
pub mod enter;
pub mod export;
pub mod focus;
pub mod forget;
pub mod fork;
pub mod gc;
pub mod get;
pub mod goto;
pub mod history;
pub mod import;
pub mod init;
pub mod insight;
pub mod insights;
pub mod leave;
pub mod log;
pub mod meta;
pub mod note;
pub mod notes;
pub mod objects;
pub mod place;
pub mod put;
pub mod read;
pub mod rebuild;
pub mod rejoin;
pub mod related;
pub mod revert;
pub mod rewind;
pub mod scope;
pub mod scopes;
pub mod search;
pub mod settings;
pub mod suggest;
pub mod tidy;
pub mod verify;
pub mod views;
pub mod where_am_i;
pub mod why;

use ambit::Caller;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::session::Session;

/// The default format.
fn openai() -> String {
    "openai".to_string()
}

/// Reads JSON verbatim: numbers and the order of keys are kept.
fn as_spelt<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Some(Box::<RawValue>::deserialize(from)?.get().to_string()))
}

/// The arguments of every verb that writes.
#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct Keyed {
    /// An idempotency key: repeating the call with it returns the first answer
    #[arg(long, value_name = "KEY")]
    #[schemars(description = "Makes it safe to repeat this call")]
    pub key: Option<String>,
}

impl Keyed {
    pub fn caller(&self, session: &Session) -> Caller {
        Caller { key: self.key.clone(), ..session.caller() }
    }
}
