//! The event of forgetting.

use serde::{Deserialize, Serialize};

use super::Change;
use crate::log::{Fact, Target, is_false};
use crate::{
    Changes, ContentNo, Event, ItemNo, ScopeNo, ScopeTotals, VaultState, item, scope, vault,
};

/// Texts were forgotten. Their items and turns stay, with a mark instead of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forgotten {
    pub items: Vec<ItemNo>,
    /// The turns whose shape is forgotten.
    pub shapes: Vec<i64>,
    /// The texts that nothing uses any longer. They are deleted.
    pub contents: Vec<ContentNo>,
    /// The open places that now show a mark.
    pub marks: Vec<Mark>,
    /// The sums of the scopes with those places.
    pub scopes: Vec<ScopeSums>,
    /// Other scopes may inherit one of the texts, so the event is a boundary for the whole vault.
    #[serde(default, skip_serializing_if = "is_false")]
    pub everywhere: bool,
}

/// An open place that shows a mark instead of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    pub scope: ScopeNo,
    pub position: i64,
    pub shown: i64,
}

/// The sums of a scope after some of its texts were forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeSums {
    pub scope: ScopeNo,
    /// The running sums of the places after this one change.
    pub after: i64,
    pub sum: i64,
    /// The change in the tokens of its notes.
    pub note_tokens: i64,
}

impl Fact for Forgotten {
    fn word(&self) -> &'static str {
        "forgotten"
    }

    fn target(&self) -> Target<'_> {
        Target::Nothing
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        let seq = at.seq;
        for item in self.items.iter().copied() {
            out.push(Change::Item { item, seq });
        }
        for turn in self.shapes.iter().copied() {
            out.push(Change::Shape { turn, seq });
        }
        for content in self.contents.iter().copied() {
            out.push(Change::Content { content });
        }
        for mark in &self.marks {
            let Mark { scope, position, shown: tokens } = *mark;
            out.push(Change::Marked { scope, position, tokens });
        }
        for sums in &self.scopes {
            let ScopeSums { scope, after, sum, note_tokens } = *sums;
            out.push(item::Change::Resum { scope, after });
            let totals = ScopeTotals { note_tokens, ..ScopeTotals::of(scope, seq, sum) };
            out.push(scope::Change::Totals(totals));
            out.push(scope::Change::Boundary { scope, seq });
        }
        if self.everywhere {
            out.push(vault::Change::Boundary { seq });
        }
    }

    fn vault(&self, seq: i64, vault: &mut VaultState) {
        if self.everywhere {
            vault.boundary = seq;
        }
    }

    fn forgets(&self) -> &[ContentNo] {
        &self.contents
    }
}
