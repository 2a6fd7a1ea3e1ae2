//! Ambit's core: what follows from a command, and what a model is shown.
//!
//! Three pure functions carry everything: [`decide`] turns a command into events, [`changes`] says
//! what an event does to the tables, and [`compose`] turns items into what a model is shown. None
//! of them knows a clock, randomness, files, or async: time and fresh ids come in from outside.

mod apply;
mod change;
mod changes;
pub mod check;
mod command;
pub mod compose;
mod content;
mod decide;
mod error;
mod event;
mod id;
pub mod json;
mod kind;
mod label;
pub mod mutant;
mod needs;
mod redact;
mod rows;
pub mod search;
mod settings;
mod state;
mod time;
pub mod wire;

pub use change::{Change, InView, Shows};
pub use changes::changes;
pub use command::{
    Answer, AppendAnswer, Ask, Command, Context, ForgetAnswer, InsightAnswer, NoteAnswer, NoteRef,
    RewindAnswer, SetAnswer, SwitchAnswer,
};
pub use compose::{Composition, Layout, Request, compose};
pub use content::{Content, ContentRef, Counted, digest, key_of};
pub use decide::{Decision, Done, FORGET_BATCH, create_vault, decide};
pub use error::{Code, Rejection};
pub use event::{
    Block, Body, Event, FrameChange, Hash, Here, Logged, Mark, Move, Remains, Stored, StreamEntry,
    ViewOpened, Way, What, chain, hex, unhex,
};
pub use id::{ActorNo, ContentNo, Fresh, ItemNo, ScopeNo, ViewNo};
pub use kind::{ActorKind, Form, Kind, Layer, Policy, Role, Via, WhenFull};
pub use label::check_label;
pub use needs::{Bearers, Needs, Reach, needs};
pub use redact::{Redacted, Redaction, in_words};
pub use rows::*;
pub use settings::{Held, Key, SETTINGS, Setting, Settings, Value};
pub use state::{
    ActorState, BatchSize, BearingItem, BearingTurn, ChainItem, Container, Epoch, Forgettable,
    OpenCall, OpenPlace, Presence, ScopeState, State, TextUse, TurnPlace, VaultState,
};
pub use time::{Millis, moment, rfc3339};
