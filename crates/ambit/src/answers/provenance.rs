//! What the verbs of objects, provenance and subagents answer. An absent value is null.

use std::collections::BTreeMap;

pub use ambit_core::{RevertConflict, RevertLine};
use serde::Serialize;

use crate::{Composition, Hunk};

/// Something that can be in mind, as people know it.
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

/// What a change had in mind when it began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct DeltaLine {
    /// Ids, most recent first.
    pub context: Vec<String>,
    /// The id of the frame it was captured from.
    pub context_frame: String,
    /// The event of the version before.
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
    /// None where the change was stored and its context could not be read back.
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
    /// None where the change was stored and its context could not be read back.
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
    /// The event that brought this version.
    pub event: i64,
    /// The scopes it belongs to.
    pub scopes: Vec<String>,
    pub text: String,
    /// Whether this look was a visit.
    pub visited: bool,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct MetaAnswer {
    pub id: String,
    pub kind: &'static str,
    pub name: String,
    #[serde(rename = "type")]
    pub of_type: String,
    /// Whether to look at it is a visit.
    pub substantive: bool,
    pub created_at: String,
    pub scopes: Vec<String>,
    /// How many there are, and the latest of them.
    pub versions: i64,
    pub latest: Vec<VersionLine>,
    /// Its last visit.
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
    /// The same as `diff -u` writes it.
    pub unified: String,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ObjectsAnswer {
    pub objects: Vec<ObjectLine>,
    /// The id to go on after; null at the end.
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
    /// The frame's id, and its scope's name; null for the actor's own.
    pub frame: String,
    pub scope: Option<String>,
    /// Ids, most recent first.
    pub context: Vec<String>,
    pub things: Vec<ThingLine>,
    /// How many a frame holds at most.
    pub size: i64,
    /// How many of them precede the actor's last break, and are no longer captured.
    pub before_break: i64,
    /// The event it was asked for; null for now.
    pub at: Option<i64>,
}

/// Where an actor stood.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct WhereThenAnswer {
    pub vault: String,
    pub actor: String,
    /// False where it had not been seen by then.
    pub registered: bool,
    pub primary_scope: Option<String>,
    pub active_scopes: Vec<String>,
    /// The event it was asked for, and its time.
    pub at: i64,
    pub time: String,
}

/// The scopes that there were.
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

/// What a subagent needs in order to start.
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
    /// The variables that make it this subagent.
    pub environment: BTreeMap<String, String>,
    /// What it is shown first, with its tokens; none where that was refused, as a warning tells.
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
    /// Whose stream: an actor's or a scope's name.
    pub of: String,
    pub frame: String,
    /// The latest first; with `after`, the earliest first.
    pub views: Vec<ViewLine>,
    /// Where to go on in the same direction; null at the end.
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
    /// The actor's view before it.
    pub previous: Option<String>,
    /// The view before it in this stream.
    pub stream_prev: Option<String>,
    /// The first of its actions, in order. None for a merge, and for one that was summarised.
    pub actions: Vec<ActionLine>,
    /// More actions than are shown.
    pub more: bool,
    /// Of one that was summarised: how many actions of each type, and what it visited.
    pub summary: Option<SummaryLine>,
    /// Of a merge: the subagent's views, and both frames.
    pub merge: Option<MergeLine>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ActionLine {
    #[serde(rename = "type")]
    pub of_type: &'static str,
    /// The id of what it was done to: an object, a note, a scope or an actor; else null.
    pub target: Option<String>,
    /// How people call that; a setting's name.
    pub name: Option<String>,
    /// The scope that it was noted in, placed in or taken out of.
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
    /// How many there are, where not all are listed.
    pub count: i64,
    pub parent_frame: String,
    pub child_frame: String,
    pub child: String,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct HistoryAnswer {
    /// Of what: an object, a scope or an actor.
    pub of: String,
    /// The latest first.
    pub entries: Vec<HistoryLine>,
    /// The event to go on before; null at the end.
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
    /// The scope that it was noted in, placed in or taken out of.
    pub scope: Option<String>,
    /// What was in mind, for a change: ids, and names.
    pub context: Option<Vec<String>>,
    pub in_mind: Vec<String>,
    /// For a change that takes another back, that one.
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
    /// Where the actor stood.
    pub primary_scope: Option<String>,
    pub active_scopes: Vec<String>,
    pub context_frame: String,
    /// The scope whose frame was captured; null for the actor's own.
    pub context_scope: Option<String>,
    /// What was in mind, and how it looked at that moment.
    pub context: Vec<MindLine>,
    /// What the actor had just done, the latest first.
    pub before: Vec<ActionLine>,
    /// The view it belongs to.
    pub view: Option<String>,
    /// The change that this one takes back.
    pub reverts: Option<i64>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct MindLine {
    #[serde(flatten)]
    pub thing: ThingLine,
    pub version: i64,
    /// The event of that version.
    pub event: i64,
    /// Its first lines; empty where it was forgotten.
    pub text: String,
    pub forgotten: bool,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct RelatedAnswer {
    pub id: String,
    pub name: String,
    /// How many of its visits were looked at.
    pub visits: i64,
    /// The most frequent first.
    pub related: Vec<RelatedLine>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct RelatedLine {
    #[serde(flatten)]
    pub thing: ThingLine,
    /// At how many of the visits it stood in mind too.
    pub together: i64,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct SuggestAnswer {
    pub suggestions: Vec<Suggestion>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Suggestion {
    pub scope: String,
    /// How many of the last visits belong to it, of how many.
    pub visits: i64,
    pub of: i64,
    pub things: Vec<ThingLine>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct RevertAnswer {
    /// False for a preview.
    pub done: bool,
    pub reverted: Vec<RevertLine>,
    /// Left alone: others changed them since, or there is nothing to go back to.
    pub conflicts: Vec<RevertConflict>,
}
