//! The verbs: one file each, one struct for its arguments and one function that runs it; and their
//! table.

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
use crate::table::Effect::{Adds, Destroys, Reads, Sets};
use crate::table::Family::{
    AskingBack, Conversation, Keeping, Objects as Things, Scopes as Places, Subagents,
};
use crate::table::{Verb, verb};

/// All verbs: the one list that every interface is made from. MCP lists its tools in this order and
/// clients cache that list: a new verb goes to the end.
pub static VERBS: &[Verb] = &[
    verb::<where_am_i::Where>("where", Places, Reads)
        .without_scopes()
        .tool("Show where you are: your scope, what is in sight, calls that wait for a reply."),
    verb::<scope::Scope>("scope", Places, Sets).described(
        "Open a new scope and go there. Use it before a sub-task whose details the rest of the \
         work will not need: reading files, debugging, trying things out. The note stays in the \
         scope you leave and says why.",
    ),
    verb::<goto::Goto>("goto", Places, Sets).described(
        "Go to an existing scope, as a rule back to main when a sub-task is done. The note is \
         written on arrival: the result you bring, in a line. Details stay behind.",
    ),
    verb::<note::Note>("note", Conversation, Adds).described(
        "Keep a finding, decision or next step in the current scope. Notes outlast messages and \
         are shown first; write one before details go out of sight.",
    ),
    verb::<append::Append>("append", Conversation, Adds).described(
        "Record messages of the conversation in the current scope: all, or nothing on an error.",
    ),
    verb::<compose::Compose>("compose", Conversation, Reads).described(
        "Compose what to show a model now: notes and messages of the current scope within a token \
         budget, with handles for what was left out. Use it to resume work.",
    ),
    verb::<read::Read>("read", Conversation, Reads).tool(
        "Read a message, block or note by its handle, turn or hash, even if it is out of sight. \
         A long text comes in parts; each names the next.",
    ),
    verb::<notes::Notes>("notes", Conversation, Reads)
        .tool("List a scope's notes, oldest first: what was done and found there."),
    verb::<scopes::Scopes>("scopes", Places, Reads)
        .tool("List all scopes with their sizes. Look here before opening one."),
    verb::<rewind::Rewind>("rewind", Conversation, Sets)
        .tool("Hide all messages after a turn, to try again from there. Nothing is lost."),
    verb::<search::Search>("search", Conversation, Reads).described(
        "Search what was said or noted, in any scope, also what is out of sight. \
         Look here before you ask or work something out again; read gives a hit in full.",
    ),
    verb::<check::Check>("check", Conversation, Reads)
        .without_store()
        .tool("Check a request: what its provider would refuse, and where."),
    verb::<insight::Insight>("insight", Conversation, Adds).tool(
        "Keep what holds for all work in this project: it is shown in every scope, to everybody. \
         Retract one that is no longer true.",
    ),
    verb::<insights::Insights>("insights", Conversation, Reads)
        .tool("List the insights: what holds in every scope, with who found it."),
    verb::<put::Put>("put", Things, Adds).tool(
        "Keep a file, document, contact or any other thing, or its next version, by name. What \
         you had in mind is recorded with it.",
    ),
    verb::<get::Get>("get", Things, Adds).tool(
        "Read an object's text by name or id, or a note's by hash. It enters your frame, unless \
         no_visit.",
    ),
    verb::<context::Context>("context", Things, Reads).grouped("attend"),
    verb::<enter::Enter>("enter", Places, Sets).without_scopes().grouped("attend"),
    verb::<leave::Leave>("leave", Places, Sets).without_scopes().grouped("attend"),
    verb::<focus::Focus>("focus", Places, Sets).without_scopes().grouped("attend"),
    verb::<break_off::Break>("break", Things, Sets).without_scopes().grouped("attend"),
    verb::<suggest::Suggest>("suggest", Things, Reads).grouped("attend"),
    verb::<place::Place>("place", Things, Sets).grouped("attend"),
    verb::<objects::Objects>("objects", Things, Reads).grouped("attend"),
    verb::<why::Why>("why", AskingBack, Reads).grouped("trace"),
    verb::<history::History>("history", AskingBack, Reads).grouped("trace"),
    verb::<related::Related>("related", AskingBack, Reads).grouped("trace"),
    verb::<views::Views>("views", AskingBack, Reads).grouped("trace"),
    verb::<diff::Diff>("diff", Things, Reads).grouped("trace"),
    verb::<meta::Meta>("meta", Things, Reads).grouped("trace"),
    verb::<fork::Fork>("fork", Subagents, Adds).grouped("subagent"),
    verb::<rejoin::Rejoin>("rejoin", Subagents, Sets).grouped("subagent"),
    verb::<abandon::Abandon>("abandon", Subagents, Sets).grouped("subagent"),
    verb::<settings::Settings>("settings", Keeping, Sets).grouped("keep"),
    verb::<log::Log>("log", Keeping, Reads).grouped("keep"),
    verb::<verify::Verify>("verify", Keeping, Reads).grouped("keep"),
    verb::<rebuild::Rebuild>("rebuild", Keeping, Sets).grouped("keep"),
    verb::<gc::Gc>("gc", Keeping, Sets).grouped("keep"),
    verb::<tidy::Tidy>("tidy", Keeping, Sets).grouped("keep"),
    verb::<forget::Forget>("forget", Keeping, Destroys).grouped("keep"),
    verb::<revert::Revert>("revert", AskingBack, Sets).grouped("keep"),
    verb::<doctor::Doctor>("doctor", Keeping, Reads).without_scopes().grouped("keep"),
    verb::<init::Init>("init", Keeping, Sets).without_store(),
    verb::<export::Export>("export", Keeping, Reads).without_scopes(),
    verb::<import::Import>("import", Keeping, Sets).without_store(),
    verb::<backup::Backup>("backup", Keeping, Reads).without_scopes(),
];

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
