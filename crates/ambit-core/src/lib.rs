//! Ambit's core: what follows from a command, and what a model is shown.
//!
//! Three pure functions carry everything: [`decide`] turns a command into events, [`changes`] says
//! what an event does to the tables, and [`compose`] turns items into what a model is shown. None
//! of them knows a clock, randomness, files, or async: time and fresh ids come in from outside.

pub mod actor;
mod command;
pub mod compose;
mod content;
mod counted;
mod decide;
pub mod forget;
pub mod fork;
pub mod frame;
mod hash;
mod id;
pub mod item;
mod kind;
mod label;
mod log;
pub mod message;
mod needs;
pub mod note;
pub mod object;
mod redact;
mod refusal;
pub mod scope;
pub mod search;
pub mod setting;
mod settings;
mod state;
mod time;
pub mod vault;
pub mod view;

pub use actor::{ActorRow, Registered};
pub use ambit_text::redact::Redaction;
pub use ambit_wire::{Form, Format, Role};
pub use command::{
    AbandonAnswer, Answer, AppendAnswer, Ask, Back, Captured, Command, Context, Due, ForgetAnswer,
    ForkAnswer, InsightAnswer, NoteAnswer, NoteRef, PlaceAnswer, Put, PutAnswer, RejoinAnswer,
    RevertConflict, RevertLine, RevertedAnswer, RewindAnswer, SetAnswer, StandsAnswer,
    SwitchAnswer, TidyAnswer, VisitAnswer,
};
pub use compose::{Composition, Layout, Request, compose};
pub use content::{Content, ContentRef, Counted, digest, key_of};
pub use counted::{CountedBlock, CountedTurn};
pub use decide::{Decision, Done, FORGET_BATCH, create_vault, decide};
pub use forget::{Forgotten, Mark, Remains};
pub use fork::{Abandoned, Child, Forked, Merge, Rejoined};
pub use frame::{Container, Delta, DeltaRow, FrameChange, FrameRow, VisitRow, Visited};
pub use hash::{Hash, chain, hex, unhex};
pub use id::{ActorNo, ContentNo, Fresh, ItemNo, ScopeNo, ViewNo};
pub use item::{ItemRow, PlaceRow};
pub use kind::{ActorKind, Class, Fate, Inherit, ItemKind, Layer, Policy, Via};
pub use label::{check_label, check_object, check_unlike_handles};
pub(crate) use log::Changes;
pub use log::{Body, Change, Event, Logged, Stored, What, changes};
pub use message::{Appended, Block, Carried, Cleared, Move, OpenCallRow, Rewound, TurnRow};
pub use needs::{Bearers, Needs, Reach, needs};
pub use note::{NoteRow, Noted, Retracted, Way};
pub use object::{Displaced, Named, NewPlace, ObjectPut, ObjectRow, Placed, VersionRow};
pub use refusal::{
    ActorRefusal, Code, ForkRefusal, MessageRefusal, NameFault, NameRefusal, NoteRefusal,
    ObjectRefusal, Refusal, ScopeRefusal, SettingRefusal,
};
pub use scope::{
    Entered, Focused, Here, Left, PresenceRow, ScopeCreated, ScopeRow, ScopeTotals, StandRow,
    Stands,
};
pub use setting::{SettingRow, SettingSet};
pub use settings::{Held, Key, SETTINGS, Setting, Settings, TYPES, Value};
pub use state::{
    ActorState, BatchSize, BearingItem, BearingTurn, ChainItem, Epoch, Forgettable, Kin,
    ObjectPlace, ObjectState, OpenCall, OpenPlace, Presence, ScopeState, State, TextUse, TurnPlace,
};
pub use time::{Millis, moment, moment_through, rfc3339};
pub use vault::{VaultCreated, VaultState};
pub use view::{
    CurrentView, Fossil, StreamEntry, StreamRow, Tidied, ViewEnded, ViewOpened, ViewRow,
};
