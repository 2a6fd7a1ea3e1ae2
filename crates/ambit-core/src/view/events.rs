//! What can happen to views.

use serde::{Deserialize, Serialize};

use super::Change;
use crate::log::Fact;
use crate::{ActorNo, Changes, Event, ItemNo, ScopeNo, ViewNo, frame};

/// A view opens: its streams do not change afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewOpened {
    pub view: ViewNo,
    pub id: String,
    /// The actor's view before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<ViewNo>,
    /// The scope that `--scope` named, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<ScopeNo>,
    pub streams: Vec<StreamEntry>,
}

/// A view's place in one stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamEntry {
    pub frame: ScopeNo,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<ViewNo>,
}

/// A view that another event than one of its own ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewEnded {
    pub actor: ActorNo,
    pub view: ViewNo,
}

pub(crate) fn end_views(at: &Event, ended: &[ViewEnded], out: &mut Changes) {
    for it in ended {
        out.push(Change::Ended { view: it.view, seq: at.seq });
        out.push(Change::Last { actor: it.actor, view: it.view });
    }
}

/// What is kept of an old view's list of actions.
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

/// Housekeeping: idle views end, frames of abandoned subagents go, and old views are summarised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tidied {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<ViewEnded>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<ScopeNo>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fossils: Vec<Fossil>,
}

impl Fact for Tidied {
    fn word(&self) -> &'static str {
        "tidied"
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        end_views(at, &self.ended, out);
        for frame in self.frames.iter().copied() {
            out.push(frame::Change::Dropped { frame });
        }
        for it in &self.fossils {
            let (view, ended_seq, seq) = (it.view, it.ended_seq, at.seq);
            out.push(Change::Summarised { view, ended_seq, seq });
        }
    }
}
