//! The part of the State that is about messages.

use crate::{ActorNo, ItemNo, OpenCall, ScopeNo, State};

/// The place of a turn in the working scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnPlace {
    pub turn: i64,
    pub last_position: i64,
    /// The turns and tokens that a rewind to this turn would hide.
    pub hidden_turns: i64,
    pub hidden_tokens: i64,
}

/// The size of an open batch: its calls and the replies so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchSize {
    pub turns: i64,
    pub tokens: i64,
}

/// One item of the pending chain of the acting actor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainItem {
    pub item: ItemNo,
    pub position: i64,
    pub tokens: i64,
    pub first: bool,
}

impl State {
    /// Returns the anchor of an actor's open batch in a scope, if there is one.
    pub fn open_batch(&self, actor: ActorNo, scope: ScopeNo) -> Option<i64> {
        let own = |call: &&OpenCall| call.actor == actor && call.scope == scope;
        self.calls.iter().find(own).map(|call| call.anchor)
    }
}
