//! The verbs: one file each, one struct for its arguments and one function that runs it.

pub mod append;
pub mod backup;
pub mod check;
pub mod completions;
pub mod compose;
pub mod doctor;
pub mod export;
pub mod forget;
pub mod gc;
pub mod goto;
pub mod import;
pub mod init;
pub mod insight;
pub mod insights;
pub mod log;
pub mod man;
pub mod note;
pub mod notes;
pub mod read;
pub mod rebuild;
pub mod rewind;
pub mod scope;
pub mod scopes;
pub mod search;
pub mod settings;
pub mod verify;
pub mod where_am_i;

use ambit::Caller;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::session::Session;

/// The format that is meant where none is named.
fn openai() -> String {
    "openai".to_string()
}

/// What every changing verb takes.
#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct Keyed {
    /// An idempotency key: the same call repeated under it changes nothing more
    #[arg(long, value_name = "KEY")]
    #[schemars(description = "Makes it safe to repeat this call")]
    pub key: Option<String>,
}

impl Keyed {
    pub fn caller(&self, session: &Session) -> Caller {
        Caller { key: self.key.clone(), ..session.caller() }
    }
}
