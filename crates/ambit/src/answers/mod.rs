//! Answers of the verbs that read. An absent value is null, never omitted.

mod provenance;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::PartAnswer;

pub use provenance::*;

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct WhereAnswer {
    pub vault: String,
    pub actor: String,
    /// False before the actor's first change; `primary_scope` is then where the actor would begin.
    pub registered: bool,
    pub kind: String,
    pub primary_scope: Option<String>,
    /// Most recently entered first.
    pub active_scopes: Vec<String>,
    pub head: Option<i64>,
    pub messages: i64,
    pub notes: i64,
    pub tokens: i64,
    /// Calls that wait for a reply.
    pub open_calls: i64,
    /// How a subagent ended: rejoined or abandoned.
    pub ended: Option<&'static str>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct ScopesAnswer {
    pub scopes: Vec<ScopeLine>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct ScopeLine {
    pub id: String,
    pub name: String,
    pub current: bool,
    pub active: bool,
    pub parent: Option<String>,
    pub messages: i64,
    pub notes: i64,
    pub tokens: i64,
    pub head: i64,
    pub created_at: String,
    /// Its subagent rejoined or was abandoned: the scope is read-only.
    pub closed: bool,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct NotesAnswer {
    pub scope: String,
    /// Oldest first.
    pub notes: Vec<NoteLine>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct NoteLine {
    pub hash: String,
    pub message: String,
    pub timestamp: String,
    pub parent_hash: Option<String>,
    pub author: String,
    /// Written in main before the scope was opened.
    pub inherited: bool,
    /// True for an insight that was retracted.
    pub retracted: bool,
    /// The scope's head when it was written; `read_snapshot` reads the messages shown then.
    pub snapshot: i64,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct InsightsAnswer {
    /// Oldest first.
    pub insights: Vec<NoteLine>,
}

/// Answer of `read`.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum ReadAnswer {
    Block(BlockAnswer),
    Turn {
        id: String,
        message: Box<RawValue>,
    },
    Note(NoteLine),
    Snapshot(SnapshotAnswer),
    /// Set when only a part was requested, or the text exceeds the limit of one read.
    Part(PartAnswer),
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct BlockAnswer {
    pub id: String,
    pub handle: String,
    pub role: String,
    pub form: String,
    pub author: String,
    pub timestamp: String,
    pub tokens: i64,
    pub text: String,
}

/// The messages that were shown when a note was written.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct SnapshotAnswer {
    pub hash: String,
    pub head: i64,
    pub messages: Vec<Box<RawValue>>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct SettingsAnswer {
    pub scope: Option<String>,
    pub settings: Vec<SettingLine>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct SettingLine {
    pub name: String,
    pub value: String,
    pub default: String,
    /// Where the value comes from: default, vault or scope.
    pub from: &'static str,
    pub help: &'static str,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct LogAnswer {
    pub events: Vec<EventLine>,
    /// The sequence to pass as `after` for the next page; null at the end.
    pub next: Option<i64>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct EventLine {
    pub seq: i64,
    pub time: String,
    pub actor: Option<String>,
    /// The interface the event came through; null for a vault's creation.
    pub via: Option<&'static str>,
    pub view: Option<i64>,
    pub event: String,
    pub body: Box<RawValue>,
    pub hash: String,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct VerifyAnswer {
    pub ok: bool,
    /// True when only the hash chain was checked.
    pub quick: bool,
    pub events: i64,
    pub contents: i64,
    pub digest: String,
    pub forgotten: i64,
    pub first_bad: Option<i64>,
    pub problem: Option<String>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct RebuildAnswer {
    pub events: i64,
    pub rows: i64,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct GcAnswer {
    pub dry_run: bool,
    pub vacuumed: bool,
    /// Expired idempotency keys.
    pub keys: i64,
    /// Texts that no event references.
    pub texts: i64,
    /// The size of these texts.
    pub bytes: i64,
    pub disk_before: i64,
    pub disk_after: i64,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct BackupAnswer {
    pub file: String,
    pub bytes: i64,
}
