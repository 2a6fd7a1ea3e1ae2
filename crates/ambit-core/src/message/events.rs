//! Events about messages.

use serde::{Deserialize, Serialize};

use super::{Change, OpenCallRow, TurnRow};
use crate::log::{Fact, Target};
use crate::{
    Changes, ContentRef, Event, Form, ItemKind, ItemNo, ItemRow, PlaceRow, Role, ScopeNo,
    ScopeTotals, item, scope,
};

/// A message was appended. The sequence of this event names the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Appended {
    pub scope: ScopeNo,
    pub role: Role,
    /// The position of the first block; the others follow.
    pub position: i64,
    /// The position at which its batch begins: its own, or that of its call for a reply.
    pub anchor: i64,
    pub blocks: Vec<Block>,
    /// The shape of the message; `None` if it has only a role and a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<ContentRef>,
    /// The tokens shown in the scope, including this turn.
    pub sum: i64,
}

/// One block of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    pub item: ItemNo,
    pub form: Form,
    pub text: ContentRef,
    /// The tokens of the block when shown. The first block includes those of the message itself.
    pub shown: i64,
    /// For a call, a short hash of the provider's id, to match its reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<i64>,
    /// For a reply, the call that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<ItemNo>,
}

impl Fact for Appended {
    fn word(&self) -> &'static str {
        "appended"
    }

    fn target(&self) -> Target<'_> {
        Target::Turn
    }

    fn highest_number(&self) -> i64 {
        let of = |block: &Block| block.item.0.max(block.text.content.0);
        let shape = self.shape.as_ref().map_or(0, |shape| shape.content.0);
        self.blocks.iter().map(of).max().unwrap_or(0).max(shape)
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        let Event { seq, actor: author, time, .. } = *at;
        let (scope, anchor) = (self.scope, self.anchor);
        if let Some(shape) = &self.shape {
            out.push(Change::Shape(TurnRow { turn: seq, shape: shape.content }));
        }
        let mut sum = self.sum - self.blocks.iter().map(|block| block.shown).sum::<i64>();
        for (number, block) in (0..).zip(&self.blocks) {
            let item = block.item;
            out.push(item::Change::Made(ItemRow {
                item,
                kind: ItemKind::Message,
                form: block.form,
                role: self.role,
                author,
                turn: seq,
                block: number,
                time,
                content: block.text.content,
                call: block.call,
                object: None,
            }));
            sum += block.shown;
            out.push(item::Change::Placed(PlaceRow {
                anchor,
                first: number == 0,
                tokens: block.shown,
                sum,
                ..PlaceRow::open(at, scope, self.position + number, item, ItemKind::Message)
            }));
            if let Some(call_id) = block.call_id {
                let row = OpenCallRow { scope, actor: author, anchor, item, call_id };
                out.push(Change::CallOpened(row));
            }
        }
        let mut last = None;
        for item in self.blocks.iter().filter_map(|block| block.call) {
            if last.replace(item) != Some(item) {
                out.push(Change::CallAnswered { scope, item });
            }
        }
        let places = self.blocks.len() as i64;
        let totals = ScopeTotals { places, turns: 1, ..ScopeTotals::of(scope, seq, self.sum) };
        out.push(scope::Change::Totals(totals));
    }

    fn texts(&self) -> Vec<&ContentRef> {
        self.blocks.iter().map(|block| &block.text).chain(&self.shape).collect()
    }

    fn items(&self) -> Vec<ItemNo> {
        self.blocks.iter().map(|block| block.item).collect()
    }
}

/// A pending chain was carried to another scope with its author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carried {
    pub from: ScopeNo,
    pub to: ScopeNo,
    /// The position at which the chain began, and the one at which it begins now.
    pub from_anchor: i64,
    pub to_anchor: i64,
    pub moves: Vec<Move>,
    /// The tokens now shown in each of the two scopes.
    pub from_sum: i64,
    pub to_sum: i64,
}

/// One item of a carried chain, in its new place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    pub item: ItemNo,
    pub position: i64,
    pub shown: i64,
    pub sum: i64,
    /// For a call without a reply, the hash of its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<i64>,
    /// Whether the item begins a turn, for the count of messages.
    pub first: bool,
}

impl Fact for Carried {
    fn word(&self) -> &'static str {
        "carried"
    }

    fn target(&self) -> Target<'_> {
        Target::Scope(self.to)
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        let Event { seq, actor, .. } = *at;
        let (from, to, anchor) = (self.from, self.to, self.to_anchor);
        let turns = self.moves.iter().filter(|it| it.first).count() as i64;
        hide(at, from, self.from_anchor, self.from_anchor, out);
        out.push(item::Change::Resum { scope: from, after: self.from_anchor });
        hidden(at, from, turns, self.from_sum, out);
        for moved in &self.moves {
            let item = moved.item;
            out.push(item::Change::Placed(PlaceRow {
                anchor,
                first: moved.first,
                tokens: moved.shown,
                sum: moved.sum,
                ..PlaceRow::open(at, to, moved.position, item, ItemKind::Message)
            }));
            if let Some(call_id) = moved.open {
                let row = OpenCallRow { scope: to, actor, anchor, item, call_id };
                out.push(Change::CallOpened(row));
            }
        }
        let places = self.moves.len() as i64;
        let totals = ScopeTotals { places, turns, ..ScopeTotals::of(to, seq, self.to_sum) };
        out.push(scope::Change::Totals(totals));
        out.push(scope::Change::OthersBoundary { scope: from, actor, seq });
    }
}

/// A rewind hid all messages whose batch begins after a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rewound {
    pub scope: ScopeNo,
    pub turn: i64,
    pub after: i64,
    pub hidden_turns: i64,
    pub sum: i64,
}

impl Fact for Rewound {
    fn word(&self) -> &'static str {
        "rewound"
    }

    fn target(&self) -> Target<'_> {
        Target::Scope(self.scope)
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        let (scope, after) = (self.scope, self.after);
        hide(at, scope, after + 1, i64::MAX, out);
        out.push(item::Change::Resum { scope, after });
        hidden(at, scope, self.hidden_turns, self.sum, out);
        out.push(scope::Change::Boundary { scope, seq: at.seq });
    }
}

/// All messages of a scope were hidden, except the pending chains with these anchors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cleared {
    pub scope: ScopeNo,
    pub kept: Vec<i64>,
    pub hidden_turns: i64,
    pub sum: i64,
}

impl Fact for Cleared {
    fn word(&self) -> &'static str {
        "cleared"
    }

    fn target(&self) -> Target<'_> {
        Target::Scope(self.scope)
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        let scope = self.scope;
        let mut from = 0;
        for anchor in self.kept.iter().copied().chain([i64::MAX]) {
            hide(at, scope, from, anchor - 1, out);
            from = anchor.saturating_add(1);
        }
        out.push(item::Change::Resum { scope, after: -1 });
        hidden(at, scope, self.hidden_turns, self.sum, out);
        out.push(scope::Change::Boundary { scope, seq: at.seq });
    }
}

fn hide(at: &Event, scope: ScopeNo, from: i64, to: i64, out: &mut Changes) {
    if from <= to {
        out.push(Change::Hidden { scope, from, to, seq: at.seq });
    }
}

fn hidden(at: &Event, scope: ScopeNo, turns: i64, sum: i64, out: &mut Changes) {
    let totals = ScopeTotals { turns: -turns, ..ScopeTotals::of(scope, at.seq, sum) };
    out.push(scope::Change::Totals(totals));
}
