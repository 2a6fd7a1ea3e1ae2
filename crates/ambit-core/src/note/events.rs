//! Events about notes and insights.

use serde::{Deserialize, Serialize};

use super::{Change, NoteRow};
use crate::log::{Capture, Fact, Target};
use crate::{
    Changes, ContentRef, Event, FrameChange, Hash, ItemKind, ItemNo, ItemRow, PlaceRow, ScopeNo,
    ScopeRow, ScopeTotals, VaultState, item, scope, vault,
};

/// The id of the vault's own scope, which the first insight creates.
const VAULT_ID: &str = "scp_vault";

/// A note was written in a scope, or an insight in the vault's own scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Noted {
    pub scope: ScopeNo,
    pub item: ItemNo,
    pub position: i64,
    pub sum: i64,
    pub text: ContentRef,
    /// The tokens of the note when it is shown in its own place.
    pub shown: i64,
    pub hash: Hash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Hash>,
    /// The scope's head before the command. The places open at that head are the note's snapshot.
    pub snapshot: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
    pub visited: Vec<FrameChange>,
    /// The items in the frame before this change, most recent first.
    pub context: Vec<ItemNo>,
    pub context_frame: ScopeNo,
}

/// A note written on leaving for a scope, or on arriving from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    To(ScopeNo),
    From(ScopeNo),
}

impl Noted {
    fn is_insight(&self) -> bool {
        self.scope == ScopeNo::VAULT
    }
}

impl Fact for Noted {
    fn word(&self) -> &'static str {
        "noted"
    }

    fn target(&self) -> Target<'_> {
        Target::Item(self.item, Some(self.scope))
    }

    fn highest_number(&self) -> i64 {
        self.item.0.max(self.text.content.0)
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        let seq = at.seq;
        let Noted { scope, item, position, sum, shown, .. } = *self;
        let kind = if self.is_insight() { ItemKind::Insight } else { ItemKind::Note };
        if self.is_insight() && position == 0 {
            out.push(scope::Change::Created(ScopeRow::created(at, scope, VAULT_ID)));
        }
        out.push(item::Change::Made(ItemRow::single(at, item, kind, self.text.content)));
        let place = PlaceRow::open(at, scope, position, item, kind);
        out.push(item::Change::Placed(PlaceRow { tokens: shown, sum, ..place }));
        out.push(Change::Written(NoteRow {
            scope,
            position,
            item,
            seq,
            hash: self.hash,
            parent: self.parent,
            snapshot: self.snapshot,
            way: self.way,
            context_frame: self.context_frame,
        }));
        let totals = ScopeTotals::of(scope, seq, sum);
        let totals = ScopeTotals { places: 1, notes: 1, note_tokens: shown, ..totals };
        out.push(scope::Change::Totals(totals));
        // Every scope shows an insight in its first layer.
        if self.is_insight() {
            out.push(vault::Change::Boundary { seq });
        }
    }

    fn vault(&self, seq: i64, vault: &mut VaultState) {
        if self.is_insight() {
            vault.boundary = seq;
        }
    }

    fn capture(&self) -> Option<Capture<'_>> {
        Some(Capture { item: self.item, context: &self.context, frame: self.context_frame })
    }

    fn visit(&self) -> Option<(ItemNo, &[FrameChange])> {
        Some((self.item, &self.visited))
    }

    fn texts(&self) -> Vec<&ContentRef> {
        vec![&self.text]
    }

    fn items(&self) -> Vec<ItemNo> {
        vec![self.item]
    }
}

/// An insight was retracted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retracted {
    pub item: ItemNo,
    pub position: i64,
    /// The insight's tokens, and the tokens of the insights still shown.
    pub shown: i64,
    pub sum: i64,
}

impl Fact for Retracted {
    fn word(&self) -> &'static str {
        "retracted"
    }

    fn target(&self) -> Target<'_> {
        Target::Item(self.item, None)
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        let (scope, position, seq) = (ScopeNo::VAULT, self.position, at.seq);
        out.push(item::Change::Unplaced { scope, position, seq });
        out.push(item::Change::Resum { scope, after: position });
        let totals = ScopeTotals::of(scope, seq, self.sum);
        let totals = ScopeTotals { notes: -1, note_tokens: -self.shown, ..totals };
        out.push(scope::Change::Totals(totals));
        out.push(vault::Change::Boundary { seq });
    }

    fn vault(&self, seq: i64, vault: &mut VaultState) {
        vault.boundary = seq;
    }
}
