//! Events about views.

use serde::{Deserialize, Serialize};

use super::Change;
use crate::log::{Fact, Target};
use crate::{ActorNo, Changes, Event, ItemNo, ScopeNo, ViewNo, frame};

/// A view that an event opens. Its streams do not change afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewOpened {
    pub view: ViewNo,
    pub id: String,
    /// The actor's previous view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<ViewNo>,
    /// The pinned scope, if any.
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

/// A view that is ended by an event of another view.
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

/// The summary that replaces an old view's list of actions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fossil {
    pub view: ViewNo,
    /// The number of actions of each type.
    pub actions: Vec<(String, i64)>,
    /// The items that it visited, in the order of the first visits.
    pub visited: Vec<ItemNo>,
    /// The view's last event.
    pub ended_seq: i64,
}

/// Housekeeping ended idle views, deleted frames of abandoned subagents, and summarised old views.
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

    fn target(&self) -> Target<'_> {
        Target::Nothing
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
