//! What events of attention say: visits and what they do to frames, captures, forks and merges.

use serde::{Deserialize, Serialize};

use crate::{ActorNo, Container, ItemNo, ScopeNo, StreamEntry, ViewNo};

/// What a change had in mind, taken before its own visit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delta {
    pub visited: Vec<FrameChange>,
    /// Most recent first.
    pub context: Vec<ItemNo>,
    pub context_frame: ScopeNo,
}

/// A visit's effect on one frame. The first of an event's is the actor's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameChange {
    pub frame: ScopeNo,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evicted: Vec<ItemNo>,
    /// What stands behind the visited one from now on, most recent first: so a frame can be told
    /// for any moment. None in old logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<Vec<ItemNo>>,
}

/// Where an actor stands after it moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stands {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary: Option<ScopeNo>,
    /// Most recently entered first.
    pub active: Vec<ScopeNo>,
}

/// What a new object is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
}

/// Where an object joins a scope. It is shown nowhere, so it adds nothing to the sum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewPlace {
    pub scope: ScopeNo,
    pub position: i64,
    pub sum: i64,
}

/// A subagent as it is born: with the frames of those it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Child {
    pub actor: ActorNo,
    pub id: String,
    pub home: ScopeNo,
    pub home_id: String,
    /// How many forks lie between it and an actor that nobody forked.
    pub depth: i64,
    /// The mark of its parent's last break.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub break_seq: i64,
    /// Copies of the forking actor's frame, and of that of the scope forked from.
    pub mind: Vec<Container>,
    pub scope_mind: Vec<Container>,
}

/// The one view that two streams share when a subagent rejoins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Merge {
    pub view: ViewNo,
    pub id: String,
    pub parent: ActorNo,
    /// The parent's view before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<ViewNo>,
    /// The parent's stream, and the child's.
    pub streams: Vec<StreamEntry>,
}

/// A view that ends by another event than one of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewEnded {
    pub actor: ActorNo,
    pub view: ViewNo,
}

/// What is left of an old view's list of actions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fossil {
    pub view: ViewNo,
    /// How many actions of each type.
    pub actions: Vec<(String, i64)>,
    /// What it visited, in the order of the first visits.
    pub visited: Vec<ItemNo>,
    /// The event it ended with.
    pub ended_seq: i64,
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}
