//! Answers of the verbs for objects, provenance and subagents. An absent value is null.

use std::collections::BTreeMap;

pub use ambit_core::{RevertConflict, RevertLine};
use serde::Serialize;

use crate::{Composition, Hunk};

/// An object or a note, as shown to people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ThingLine {
    /// An object's id, or a note's hash.
    pub id: String,
    /// `object` or `note`.
    pub kind: &'static str,
    /// An object's name, or a note's first words.
    pub name: String,
    #[serde(rename = "type")]
    pub of_type: String,
}

/// The frame that was captured when a change began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct DeltaLine {
    /// Ids, most recent first.
    pub context: Vec<String>,
    /// The id of the captured frame.
    pub context_frame: String,
    /// The event of the previous version.
    pub parent: Option<i64>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct PutLine {
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub of_type: String,
    pub version: i64,
    pub event: i64,
    /// None when the change was stored but its context could not be read back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<DeltaLine>,
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct PlaceLine {
    pub id: String,
    pub name: String,
    pub scope: String,
    pub out: bool,
    pub event: i64,
    /// None when the change was stored but its context could not be read back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<DeltaLine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct GetAnswer {
    pub id: String,
    pub kind: &'static str,
    pub name: String,
    #[serde(rename = "type")]
    pub of_type: String,
    pub version: i64,
    pub versions: i64,
    pub author: String,
    pub timestamp: String,
    /// The event that created this version.
    pub event: i64,
    /// The scopes it belongs to.
    pub scopes: Vec<String>,
    pub text: String,
    /// Whether this read was a visit.
    pub visited: bool,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct MetaAnswer {
    pub id: String,
    pub kind: &'static str,
    pub name: String,
    #[serde(rename = "type")]
    pub of_type: String,
    /// Whether reading it is a visit.
    pub substantive: bool,
    pub created_at: String,
    pub scopes: Vec<String>,
    /// The number of versions; `latest` lists the most recent ones.
    pub versions: i64,
    pub latest: Vec<VersionLine>,
    pub last_visit: Option<VisitLine>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct VersionLine {
    pub version: i64,
    pub event: i64,
    pub author: String,
    pub timestamp: String,
    pub forgotten: bool,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct VisitLine {
    pub event: i64,
    pub actor: String,
    pub timestamp: String,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct DiffAnswer {
    pub id: String,
    pub name: String,
    pub from: i64,
    pub to: i64,
    pub hunks: Vec<Hunk>,
    /// The hunks in the format of `diff -u`.
    pub unified: String,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ObjectsAnswer {
    pub objects: Vec<ObjectLine>,
    /// The id to pass as `after` for the next page; null at the end.
    pub next: Option<String>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ObjectLine {
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub of_type: String,
    pub versions: i64,
    pub changed_at: String,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ContextAnswer {
    pub actor: String,
    /// The frame's id; `scope` is its scope's name, null for the actor's own frame.
    pub frame: String,
    pub scope: Option<String>,
    /// Ids, most recent first.
    pub context: Vec<String>,
    pub things: Vec<ThingLine>,
    /// The largest number of items in a frame.
    pub size: i64,
    /// How many items precede the actor's last break and are no longer captured.
    pub before_break: i64,
    /// The event that was requested; null for the present.
    pub at: Option<i64>,
}

/// An actor's primary and active scopes at a past event.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct WhereThenAnswer {
    pub vault: String,
    pub actor: String,
    /// False when the actor had no event yet.
    pub registered: bool,
    pub primary_scope: Option<String>,
    pub active_scopes: Vec<String>,
    /// The event that was requested; `time` is its time.
    pub at: i64,
    pub time: String,
}

/// The scopes that existed at a past event.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ScopesThenAnswer {
    pub scopes: Vec<ScopeThen>,
    pub at: i64,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ScopeThen {
    pub id: String,
    pub name: String,
    pub current: bool,
    pub active: bool,
    pub parent: Option<String>,
    pub created_at: String,
    pub closed: bool,
}

/// Everything a subagent needs in order to start.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct ForkLine {
    pub actor: String,
    pub actor_id: String,
    pub scope: String,
    pub scope_id: String,
    pub frame: String,
    pub origin: String,
    pub inherit: &'static str,
    pub in_mind: i64,
    pub note: String,
    pub event: i64,
    /// The environment variables that make a process act as this subagent.
    pub environment: BTreeMap<String, String>,
    /// The subagent's first composition; None when composing failed, with the reason in
    /// `warnings`.
    pub composition: Option<Composition>,
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RejoinLine {
    pub merged_at: String,
    pub child: String,
    pub child_scope: String,
    pub parent_scope: String,
    /// The id of the view that both streams share.
    pub view: Option<String>,
    pub event: i64,
    pub also: Vec<String>,
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ViewsAnswer {
    /// The actor or scope whose stream this is.
    pub of: String,
    pub frame: String,
    /// Latest first; earliest first with `after`.
    pub views: Vec<ViewLine>,
    /// Where the next page in the same direction begins; null at the end.
    pub next: Option<i64>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ViewLine {
    pub id: String,
    pub actor: String,
    /// The event that opened it.
    pub event: i64,
    pub started: String,
    /// Null while it is open.
    pub ended: Option<String>,
    /// The actor's previous view.
    pub previous: Option<String>,
    /// The previous view in this stream.
    pub stream_prev: Option<String>,
    /// The view's first actions, in order. Empty for a merge and for a summarised view.
    pub actions: Vec<ActionLine>,
    /// True when the view has more actions than are listed.
    pub more: bool,
    /// For a summarised view: the number of actions of each type, and what was visited.
    pub summary: Option<SummaryLine>,
    /// For a merge: the subagent's views, and both frames.
    pub merge: Option<MergeLine>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ActionLine {
    #[serde(rename = "type")]
    pub of_type: &'static str,
    /// The id of the object, note, scope or actor the action applied to; null for other actions.
    pub target: Option<String>,
    /// The target's name, or a setting's name.
    pub name: Option<String>,
    /// The scope of a note or a placement.
    pub scope: Option<String>,
    pub timestamp: String,
    pub visited: Vec<String>,
    pub event: i64,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct SummaryLine {
    pub actions: Vec<(String, i64)>,
    pub visited: Vec<String>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct MergeLine {
    pub merged_views: Vec<String>,
    /// The total number of merged views; `merged_views` may list fewer.
    pub count: i64,
    pub parent_frame: String,
    pub child_frame: String,
    pub child: String,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct HistoryAnswer {
    /// The object, scope or actor whose history this is.
    pub of: String,
    /// Latest first.
    pub entries: Vec<HistoryLine>,
    /// The event to pass as `before` for the next page; null at the end.
    pub next: Option<i64>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct HistoryLine {
    pub event: i64,
    pub timestamp: String,
    pub actor: String,
    #[serde(rename = "type")]
    pub of_type: &'static str,
    pub target: Option<String>,
    pub name: Option<String>,
    /// The scope of a note or a placement.
    pub scope: Option<String>,
    /// For a change: the ids of the captured items; `in_mind` has their names.
    pub context: Option<Vec<String>>,
    pub in_mind: Vec<String>,
    /// For a revert: the event of the reverted change.
    pub reverts: Option<i64>,
    pub view: Option<String>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct WhyAnswer {
    pub event: i64,
    pub timestamp: String,
    pub actor: String,
    pub actor_kind: &'static str,
    #[serde(rename = "type")]
    pub of_type: &'static str,
    pub target: Option<String>,
    pub name: Option<String>,
    /// The actor's primary scope at that moment.
    pub primary_scope: Option<String>,
    pub active_scopes: Vec<String>,
    pub context_frame: String,
    /// The scope whose frame was captured; null for the actor's own.
    pub context_scope: Option<String>,
    /// The captured items, each as it was at that moment.
    pub context: Vec<MindLine>,
    /// The actor's preceding actions, latest first.
    pub before: Vec<ActionLine>,
    /// The view the change belongs to.
    pub view: Option<String>,
    /// The event of the change that this one reverts.
    pub reverts: Option<i64>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct MindLine {
    #[serde(flatten)]
    pub thing: ThingLine,
    pub version: i64,
    /// The event of that version.
    pub event: i64,
    /// Its first lines; empty when it was forgotten.
    pub text: String,
    pub forgotten: bool,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct RelatedAnswer {
    pub id: String,
    pub name: String,
    /// How many of its visits were counted.
    pub visits: i64,
    /// Most frequent first.
    pub related: Vec<RelatedLine>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct RelatedLine {
    #[serde(flatten)]
    pub thing: ThingLine,
    /// The number of visits at which this item was also in the frame.
    pub together: i64,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct SuggestAnswer {
    pub suggestions: Vec<Suggestion>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Suggestion {
    pub scope: String,
    /// How many of the last `of` visits belong to this scope.
    pub visits: i64,
    pub of: i64,
    pub things: Vec<ThingLine>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct RevertAnswer {
    /// False for a preview.
    pub done: bool,
    pub reverted: Vec<RevertLine>,
    /// Changes left alone: changed since by others, or without an earlier version.
    pub conflicts: Vec<RevertConflict>,
}
