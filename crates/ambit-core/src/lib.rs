//! Ambit's core: what follows from a command, and what a model is shown.
//!
//! Three pure functions carry everything: [`decide`] turns a command into events, [`changes`] says
//! what an event does to the tables, and [`compose`] turns items into what a model is shown. None
//! of them knows a clock, randomness, files, or async: time and fresh ids come in from outside.

mod apply;
mod attention;
mod change;
mod changes;
pub mod check;
mod command;
pub mod compose;
mod content;
mod decide;
pub mod diff;
mod error;
mod event;
mod hash;
mod id;
pub mod json;
mod kind;
mod label;
mod logged;
mod needs;
mod redact;
mod rows;
pub mod search;
mod settings;
mod state;
mod time;
pub mod wire;

pub use attention::{Child, Delta, Fossil, FrameChange, Merge, Named, NewPlace, Stands, ViewEnded};
pub use change::{Change, InView, Shows};
pub use changes::changes;
pub use command::{
    AbandonAnswer, Answer, AppendAnswer, Ask, Back, Captured, Command, Context, Due, ForgetAnswer,
    ForkAnswer, InsightAnswer, NoteAnswer, NoteRef, PlaceAnswer, Put, PutAnswer, RejoinAnswer,
    RevertConflict, RevertLine, RevertedAnswer, RewindAnswer, SetAnswer, StandsAnswer,
    SwitchAnswer, TidyAnswer, VisitAnswer,
};
pub use compose::{Composition, Layout, Request, compose};
pub use content::{Content, ContentRef, Counted, digest, key_of};
pub use decide::{Decision, Done, FORGET_BATCH, create_vault, decide};
pub use error::{Code, Rejection};
pub use event::{
    Block, Body, Event, Here, Mark, Move, Remains, StreamEntry, ViewOpened, Way, What,
};
pub use hash::{Hash, chain, hex, unhex};
pub use id::{ActorNo, ContentNo, Fresh, ItemNo, ScopeNo, ViewNo};
pub use kind::{ActorKind, Class, Fate, Form, Inherit, ItemKind, Layer, Policy, Role, Via};
pub use label::{check_label, check_object, check_unlike_handles};
pub use logged::{Logged, Stored};
pub use needs::{Bearers, Needs, Reach, needs};
pub use redact::{Redacted, Redaction, in_words};
pub use rows::*;
pub use settings::{Held, Key, SETTINGS, Setting, Settings, TYPES, Value};
pub use state::{
    ActorState, BatchSize, BearingItem, BearingTurn, ChainItem, Container, Epoch, Forgettable, Kin,
    ObjectPlace, ObjectState, OpenCall, OpenPlace, Presence, ScopeState, State, TextUse, TurnPlace,
    VaultState,
};
pub use time::{Millis, moment, moment_through, rfc3339};
