//! Ambit: bounded, auditable, shared memory for LLM agents and the people they work for.
//!
//! Programs call [`Engine`]. Its methods are the verbs; their answers are plain serialisable data.
//!
//! ```
//! use ambit::{Caller, Engine, Request};
//!
//! let engine = Engine::memory()?;
//! let me = Caller::new("ada");
//! engine.append_text(&me, "user", "why does login time out?")?;
//! engine.scope(&me, "step-1", "Investigating the timeout")?;
//! engine.note(&me, "the session lasts 1 s instead of 3600 s")?;
//! engine.goto(&me, "main", "Fixed the session's length")?;
//! let composition = engine.compose(&me, &Request::default())?;
//! assert_eq!(composition.messages.len(), 2); // the notes, and the question
//! # Ok::<(), ambit::Error>(())
//! ```

mod answers;
mod clock_and_seeds;
mod conversation;
mod engine;
mod error;
mod keeping;
mod location;
mod lookup;
mod names;
mod objects;
mod provenance;
mod refusal;
mod scopes;
mod subagents;
mod time_travel;

pub use ambit_core::answers::*;
pub use ambit_core::compose::{Composition, Cost, LayerReceipt, Layout, LeftOut};
pub use ambit_core::{
    ActorKind, ActorRefusal, Code, Fate, ForkRefusal, Inherit, ItemKind, MessageRefusal, NameFault,
    NameRefusal, NoteRef, NoteRefusal, ObjectRefusal, Refusal, SETTINGS, ScopeRefusal, Setting,
    SettingRefusal, TYPES, Via, rfc3339,
};
pub use ambit_store::{Error as StoreError, Finding, Level, NameLock, size};
pub use ambit_text::redact::PrefixError;
pub use ambit_text::tokens;
pub use ambit_wire::check::Fault;
pub use ambit_wire::json::repair_surrogates;
pub use ambit_wire::transcripts::Source;
pub use ambit_wire::{Format, Malformed, Problem};
pub use answers::*;
pub use clock_and_seeds::Outside;
pub use conversation::Request;
pub use conversation::check::{CheckAnswer, REQUEST_BYTES_MAX, check_request};
pub use conversation::messages::{MessageSource, parse_messages};
pub use conversation::parts::{Part, PartAnswer};
pub use conversation::search::{SearchAnswer, SearchHit, SearchReason, SearchRequest};
pub use engine::{Caller, Engine};
pub use error::{Error, Kind, Result};
pub use keeping::forget::{ForgetReport, ForgetScope, Selection, Snippet};
pub use keeping::transfer::{CheckedExport, ExportAnswer, ImportAnswer, check_export};
pub use location::{Location, STORE_FILE, STORE_FOLDER};
pub use objects::diff::{DiffLine, Hunk};
pub use objects::{GetRequest, ObjectsRequest, PutRequest};
pub use provenance::history::HistoryRequest;
pub use provenance::revert::RevertRequest;
pub use provenance::views::ViewsRequest;
pub use refusal::{FileRefusal, ForgetRefusal, InputRefusal, PartRefusal, QuestionRefusal};
