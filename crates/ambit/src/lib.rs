//! Ambit: what an LLM agent, and the person it works for, are thinking about: bounded, auditable,
//! shared.
//!
//! [`Engine`] is what a program calls; its methods are the verbs, their answers plain serialisable
//! data.
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
mod attention;
mod check;
mod compare;
mod diff;
mod engine;
mod error;
mod forget;
mod inspect;
mod location;
mod messages;
mod outside;
mod part;
mod refusal;
mod search;
mod transfer;
mod upkeep;
mod verify;

pub use ambit_core::compose::{Composition, Cost, LayerReceipt, Layout, LeftOut};
pub use ambit_core::{
    AbandonAnswer, ActorKind, ActorRefusal, AppendAnswer, Code, Fate, ForkRefusal, Inherit,
    InsightAnswer, MessageRefusal, NameFault, NameRefusal, NoteAnswer, NoteRef, NoteRefusal,
    ObjectRefusal, Refusal, RewindAnswer, SETTINGS, ScopeRefusal, SetAnswer, Setting,
    SettingRefusal, StandsAnswer, SwitchAnswer, TYPES, TidyAnswer, Via, rfc3339,
};
pub use ambit_store::{Error as StoreError, Finding, Hold, Level, size};
pub use ambit_text::redact::PrefixError;
pub use ambit_text::tokens;
pub use ambit_wire::check::Fault;
pub use ambit_wire::json::repair_surrogates;
pub use ambit_wire::transcripts::Source;
pub use ambit_wire::{Format, Malformed, Problem};
pub use answers::{
    BackupAnswer, BlockAnswer, EventLine, GcAnswer, InsightsAnswer, LogAnswer, NoteLine,
    NotesAnswer, ReadAnswer, RebuildAnswer, ScopeLine, ScopesAnswer, SettingLine, SettingsAnswer,
    SnapshotAnswer, VerifyAnswer, WhereAnswer,
};
pub use attention::*;
pub use check::{CheckAnswer, REQUEST_BYTES_MAX, check_request};
pub use diff::{DiffLine, Hunk};
pub use engine::{Caller, Engine, Request};
pub use error::{Error, Kind, Result};
pub use forget::{ForgetReport, ForgetScope, Selection, Snippet};
pub use location::{Location, STORE_FILE, STORE_FOLDER};
pub use messages::{MessageSource, parse_messages};
pub use outside::Outside;
pub use part::{Part, PartAnswer};
pub use refusal::{FileRefusal, ForgetRefusal, InputRefusal, PartRefusal, QuestionRefusal};
pub use search::{SearchAnswer, SearchHit, SearchReason, SearchRequest};
pub use transfer::{CheckedExport, ExportAnswer, ImportAnswer, check_export};
