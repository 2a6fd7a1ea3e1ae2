//! The core of Ambit: decides commands, applies events, and composes what a model is shown.
//!
//! It has three pure functions. [`decide`] turns a command into events, [`changes`] turns an event
//! into operations on the tables, and [`compose`] turns items into messages for a model. None of
//! them uses a clock, randomness, files or async: the caller passes in the time and a seed for ids.

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
mod state;
#[cfg(test)]
mod testing;
mod time;
pub mod vault;
pub mod view;

pub use actor::{ActorRow, Registered};
pub use ambit_text::redact::Redaction;
pub use ambit_wire::{Form, Format, Role};
pub use command::{Answer, Ask, Command, Context, answers};
pub use compose::{Composition, Layout, Request, compose};
pub use content::{Content, ContentRef, Counted, digest, key_of};
pub use counted::{CountedBlock, CountedTurn};
pub use decide::{Decision, Done, create_vault, decide};
pub use forget::{
    FORGET_BATCH, Forget, ForgetAnswer, ForgetSelection, Forgettable, Forgotten, Mark, OpenPlace,
    ScopeSums, SelectedItem, SelectedTurn, TextUse,
};
pub use fork::{
    Abandon, AbandonAnswer, Abandoned, Child, Fork, ForkAnswer, Forked, Merge, Rejoin,
    RejoinAnswer, Rejoined, SubagentState,
};
pub use frame::{
    Container, Delta, DeltaRow, FrameChange, FrameRow, Visit, VisitAnswer, VisitRow, Visited,
};
pub use hash::{Hash, chain, hex, unhex};
pub use id::{ActorNo, ContentNo, Fresh, ItemNo, ScopeNo, ViewNo};
pub use item::{ItemRow, PlaceRow};
pub use kind::{ActorKind, Class, Fate, Inherit, ItemKind, Layer, Policy, Via};
pub use label::{check_label, check_object, check_unlike_handles};
pub(crate) use log::Changes;
pub use log::{Body, Change, Event, Logged, Stored, Target, What, changes};
pub use message::{
    Append, AppendAnswer, Appended, BatchSize, Block, Carried, ChainItem, Cleared, Move,
    OpenCallRow, Rewind, RewindAnswer, Rewound, TurnPlace, TurnRow,
};
pub use needs::{Needs, Reach, needs};
pub use note::{
    AddInsight, InsightAnswer, NoteAnswer, NoteRow, Noted, RetractInsight, Retracted, Way,
    WriteNote,
};
pub use object::{
    Captured, Displaced, Named, NewPlace, ObjectPlace, ObjectPut, ObjectRevert, ObjectRow,
    ObjectState, Place, PlaceAnswer, Placed, Put, PutAnswer, Revert, RevertConflict, RevertLine,
    RevertedAnswer, VersionRow,
};
pub use refusal::{
    ActorRefusal, Code, ForkRefusal, MessageRefusal, NameFault, NameRefusal, NoteRefusal,
    ObjectRefusal, Refusal, ScopeRefusal, SettingRefusal,
};
pub use scope::{
    ActiveScopes, ActiveScopesRow, Enter, Entered, Epoch, Focus, Focused, Goto, Leave, Left,
    NoteRef, OpenScope, PresenceChange, PresenceRow, ScopeCreated, ScopeRow, ScopeState,
    ScopeTotals, StandsAnswer, SwitchAnswer,
};
pub use setting::{
    ChangeSetting, Held, Key, SETTINGS, SetAnswer, Setting, SettingRow, SettingSet, Settings,
    TYPES, Value,
};
pub use state::{ActorState, OpenCall, Presence, State};
pub use time::{Millis, moment, moment_through, rfc3339};
pub use vault::{VaultCreated, VaultState};
pub use view::{
    CurrentView, Fossil, StreamEntry, StreamRow, Tidied, Tidy, TidyAnswer, ViewEnded, ViewOpened,
    ViewRow,
};
