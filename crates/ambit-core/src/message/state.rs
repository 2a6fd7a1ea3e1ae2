//! The part of the State that is about messages.

use crate::{ActorNo, ItemNo, OpenCall, ScopeNo, State};

/// Where a turn of the working scope stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnPlace {
    pub turn: i64,
    pub last_position: i64,
    /// What a rewind to it would hide.
    pub hidden_turns: i64,
    pub hidden_tokens: i64,
}

/// An open batch's size: call and replies so far.
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
    /// Where an actor's open batch begins in a scope, if it has one there.
    pub fn open_batch(&self, actor: ActorNo, scope: ScopeNo) -> Option<i64> {
        let own = |call: &&OpenCall| call.actor == actor && call.scope == scope;
        self.calls.iter().find(own).map(|call| call.anchor)
    }
}
