//! Refusals by the engine itself: questions that cannot be answered and input that cannot be read.
//! Refusals of commands are the core's `Refusal`.

use std::str::Utf8Error;

use ambit_core::Code;
use ambit_wire::Malformed;

/// A question that cannot be answered as it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuestionRefusal {
    #[error("nothing is named {name:?}")]
    NothingNamed { name: String },
    #[error("there is no object or note {name:?}")]
    NoThing { name: String },
    #[error("there is no event {event}")]
    NoEvent { event: i64 },
    #[error("there is no view {id:?}")]
    NoView { id: String },
    #[error("cannot read {name}: {by} forgot it on {time}")]
    Forgotten { name: String, by: String, time: String },
    #[error("cannot revert event {event}: it put no version of an object ({word})")]
    NotAVersion { event: i64, word: &'static str },
    #[error("cannot explain event {event}: it captured no frame ({word})")]
    NotAChange { event: i64, word: &'static str },
    #[error("{name:?} has no version {version}")]
    NoVersion { name: String, version: i64, versions: i64 },
    #[error("cannot read version {version} of {name:?}: event {event} forgot it")]
    VersionForgotten { name: String, version: i64, event: i64 },
    #[error("there was no object {name:?} at event {event}")]
    ObjectNotYet { name: String, event: i64, created: i64 },
    #[error("there was no scope {name:?} at event {event}")]
    ScopeNotYet { name: String, event: i64, created: i64 },
    #[error("invalid hash {hash:?}: too short")]
    ShortHash { hash: String },
    #[error("ambiguous hash {prefix}: several notes have hashes that begin with it")]
    AmbiguousHash { prefix: String },
    #[error("cannot read the messages behind insight {hash}: an insight is in no scope")]
    InsightSnapshot { hash: String },
    #[error("cannot compare versions of {name}: it is a note and has only one")]
    NoteVersions { name: String },
    #[error("invalid moment {text:?}")]
    Moment { text: String },
    #[error("invalid event {event}: events are counted from 1")]
    EventNumber { event: i64 },
    #[error("event {event} does not exist yet: the last event is {head}")]
    FutureEvent { event: i64, head: i64 },
    #[error("{text} is in the future")]
    FutureTime { text: String },
    #[error("invalid period: since {since:?} is after until {until:?}")]
    SinceAfterUntil { since: String, until: String },
    #[error("invalid limit {limit}: expected a number from 1 to {max}")]
    Limit { limit: i64, max: i64 },
    #[error("cannot answer for both {one} and {other}")]
    Both { one: &'static str, other: &'static str },
    #[error("no object has the type {of_type:?}")]
    UnknownType { of_type: String, known: Vec<String> },
    #[error("cannot search: the query has no words")]
    NoWords,
    #[error("cannot search for {word:?}: expected one of {}", .kinds.join(", "))]
    Sought { word: String, kinds: Vec<&'static str> },
    #[error("cannot search below a scope: no scope is named")]
    BelowNothing,
    #[error("cannot compose for a past moment with the stable layout or an expected head")]
    PastLayout,
    #[error("specify what to revert")]
    NothingToRevert,
    #[error("cannot revert more than {max} changes at once")]
    TooManyReverted { max: usize },
}

impl QuestionRefusal {
    pub fn code(&self) -> Code {
        use QuestionRefusal::*;
        match self {
            NothingNamed { .. }
            | NoThing { .. }
            | NoEvent { .. }
            | NoView { .. }
            | Forgotten { .. }
            | NotAVersion { .. }
            | NoVersion { .. }
            | VersionForgotten { .. }
            | ObjectNotYet { .. }
            | ScopeNotYet { .. }
            | InsightSnapshot { .. } => Code::NotFound,
            TooManyReverted { .. } => Code::Refused,
            NotAChange { .. }
            | ShortHash { .. }
            | AmbiguousHash { .. }
            | NoteVersions { .. }
            | Moment { .. }
            | EventNumber { .. }
            | FutureEvent { .. }
            | FutureTime { .. }
            | SinceAfterUntil { .. }
            | Limit { .. }
            | Both { .. }
            | UnknownType { .. }
            | NoWords
            | Sought { .. }
            | BelowNothing
            | PastLayout
            | NothingToRevert => Code::Usage,
        }
    }
}

/// A part of a text that cannot be read. All cases are usage errors.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PartRefusal {
    #[error("invalid range {text:?}")]
    Bytes { text: String },
    #[error("invalid range of lines {text:?}")]
    Lines { text: String },
    #[error("byte {byte} is past the end: there are {bytes} bytes")]
    PastBytes { byte: usize, bytes: usize },
    #[error("byte {byte} is inside a character")]
    InsideCharacter { byte: usize, begin: usize },
    #[error("line {line} is out of range: there are {lines} lines, counted from 1")]
    PastLines { line: usize, lines: usize },
    #[error("invalid pattern {pattern:?}: {}", last_line(.source))]
    Pattern { pattern: String, source: regex::Error },
}

/// Returns the line of a pattern's error that states the reason.
fn last_line(error: &regex::Error) -> String {
    let why = error.to_string();
    why.lines().last().unwrap_or_default().trim().to_string()
}

/// A selection of texts that cannot be forgotten.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForgetRefusal {
    #[error("specify what to forget: either names or filters")]
    Nothing,
    #[error("cannot forget texts that contain nothing: every text does")]
    EmptyText,
    #[error("cannot forget {name:?}: it may be an object or a turn, a block or a note")]
    Ambiguous { name: String, id: String },
    #[error("cannot forget the scope name {name:?}: names are part of events")]
    ScopeName { name: String },
    #[error("cannot forget the actor name {name:?}: names are part of events")]
    ActorName { name: String },
}

impl ForgetRefusal {
    pub fn code(&self) -> Code {
        use ForgetRefusal::*;
        match self {
            Nothing | EmptyText | Ambiguous { .. } => Code::Usage,
            ScopeName { .. } | ActorName { .. } => Code::Refused,
        }
    }
}

/// Input that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum InputRefusal {
    #[error("the input is not UTF-8: byte {} is invalid", .source.valid_up_to() + 1)]
    NotUtf8 { source: Utf8Error },
    #[error("the input is not a JSON array: {source}")]
    NotAnArray { source: serde_json::Error },
    #[error("the input is not JSON: {source}")]
    NotARequest { source: serde_json::Error },
    #[error("cannot check the request: it has more than {max} bytes")]
    TooLarge { max: usize },
    #[error("cannot append {runs} runs: specify one")]
    Runs { runs: usize },
    #[error("run {run} has no messages")]
    EmptyRun { run: usize },
    /// `at` names the message or the line.
    #[error("{at}: {source}")]
    Malformed { at: String, source: Malformed },
    #[error("{at}: not JSON: {source}")]
    NotJson { at: String, source: serde_json::Error },
    #[error("invalid idempotency key: expected 1 to {max} bytes without NUL")]
    Key { max: usize },
    #[error("invalid store address {text:?}")]
    Location { text: String },
}

impl InputRefusal {
    pub fn code(&self) -> Code {
        match self {
            InputRefusal::TooLarge { .. } => Code::Refused,
            InputRefusal::NotUtf8 { .. }
            | InputRefusal::NotAnArray { .. }
            | InputRefusal::NotARequest { .. }
            | InputRefusal::Runs { .. }
            | InputRefusal::EmptyRun { .. }
            | InputRefusal::Malformed { .. }
            | InputRefusal::NotJson { .. }
            | InputRefusal::Key { .. }
            | InputRefusal::Location { .. } => Code::Usage,
        }
    }
}

/// A file that cannot be imported or overwritten.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileRefusal {
    #[error("line {number}: {why}")]
    Line { number: u64, why: String },
    #[error("cannot import: the vault {vault:?} exists and holds exactly this export")]
    SameExport { vault: String },
    #[error("cannot import: the file changed during the import: {how}")]
    Changed { how: &'static str },
    #[error("cannot write {path}: the file exists")]
    Exists { path: String },
}

impl FileRefusal {
    pub fn code(&self) -> Code {
        match self {
            FileRefusal::Line { .. } => Code::Usage,
            FileRefusal::SameExport { .. }
            | FileRefusal::Changed { .. }
            | FileRefusal::Exists { .. } => Code::Conflict,
        }
    }
}
