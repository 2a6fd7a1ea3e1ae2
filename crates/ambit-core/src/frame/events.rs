//! Events about frames.

use serde::{Deserialize, Serialize};

use super::Change;
use crate::log::{Capture, Fact, Target};
use crate::{Changes, Event, ItemNo, ScopeNo};

/// One item of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Container {
    pub item: ItemNo,
    pub last_seq: i64,
    pub visits: i64,
}

/// The capture of a change, taken before its own visit, and that visit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delta {
    pub visited: Vec<FrameChange>,
    /// Most recent first.
    pub context: Vec<ItemNo>,
    pub context_frame: ScopeNo,
}

impl Delta {
    pub(crate) fn capture(&self, item: ItemNo) -> Capture<'_> {
        Capture { item, context: &self.context, frame: self.context_frame }
    }
}

/// The effect of a visit on one frame. The first of an event is the actor's own frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameChange {
    pub frame: ScopeNo,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evicted: Vec<ItemNo>,
    /// The items of the frame after the visited one, most recent first. With them, a frame can be
    /// shown as of any event. None in old logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<Vec<ItemNo>>,
}

/// An object or a note was visited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Visited {
    pub item: ItemNo,
    pub visited: Vec<FrameChange>,
}

impl Fact for Visited {
    fn word(&self) -> &'static str {
        "visited"
    }

    fn target(&self) -> Target<'_> {
        Target::Item(self.item, None)
    }

    fn highest_number(&self) -> i64 {
        0
    }

    /// Adds nothing: the operations for visits are common to all kinds of events.
    fn changes(&self, _at: &Event, _out: &mut Changes) {}

    fn visit(&self) -> Option<(ItemNo, &[FrameChange])> {
        Some((self.item, &self.visited))
    }
}

/// A break: earlier visits are no longer captured.
pub struct Broke;

impl Fact for Broke {
    fn word(&self) -> &'static str {
        "broke"
    }

    fn target(&self) -> Target<'_> {
        Target::Nothing
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, _at: &Event, _out: &mut Changes) {}

    /// Runs after the operations on the view, because the break removes the actor's view.
    fn changes_after_view(&self, at: &Event, out: &mut Changes) {
        out.push(Change::Broke { actor: at.actor, seq: at.seq });
    }
}
