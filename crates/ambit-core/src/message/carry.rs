//! Messages on leaving a scope: a pending chain is carried along, and the rest is hidden if the
//! scope's settings ask for it.

use std::collections::HashMap;

use crate::decide::{Act, Draft, Stop};
use crate::{Carried, Cleared, Key, Move, Reach, ScopeNo, What};

impl Draft<'_> {
    /// Moves the actor's pending chain, call and replies so far, to the destination's tail.
    pub(crate) fn carry(&mut self, from: ScopeNo, to: ScopeNo) -> Result<i64, Stop> {
        let Some(from_anchor) = self.state.open_batch(self.actor(), from) else {
            return Ok(0);
        };
        let Some(chain) = self.state.chain.clone() else {
            return Err(Stop::Need(Reach { chain: true, ..Reach::default() }));
        };
        let waiting = self.state.calls.iter().map(|call| (call.item, call.call_id));
        let waiting: HashMap<_, _> = waiting.collect();
        let row = self.row(to)?;
        let (to_anchor, mut sum) = (row.next_position, row.sum);
        let moves: Vec<_> = (to_anchor..)
            .zip(&chain)
            .map(|(position, item)| {
                sum += item.tokens;
                Move {
                    item: item.item,
                    position,
                    shown: item.tokens,
                    sum,
                    open: waiting.get(&item.item).copied(),
                    first: item.first,
                }
            })
            .collect();
        let from_sum = self.row(from)?.sum - chain.iter().map(|item| item.tokens).sum::<i64>();
        let turns = chain.iter().filter(|item| item.first).count() as i64;
        // In the destination, the chain is its author's next turn, so open calls are given up.
        let here = vec![
            self.presence_change(from, Act::Reply),
            self.presence_change(to, Act::Turn { assistant: false }),
        ];
        let what = What::Carried(Carried {
            from,
            to,
            from_anchor,
            to_anchor,
            moves,
            from_sum,
            to_sum: sum,
        });
        self.emit(what, here)?;
        Ok(turns)
    }

    /// Hides a scope's messages, except pending chains, if the setting is on.
    pub(crate) fn clear_if(&mut self, scope: ScopeNo, switch: Key) -> Result<(), Stop> {
        if !self.state.settings.is_on(scope, switch) || self.row(scope)?.messages == 0 {
            return Ok(());
        }
        if !self.state.reach.calls_of_all {
            return Err(Stop::Need(Reach { calls_of_all: true, ..Reach::default() }));
        }
        let here = self.state.calls.iter().filter(|call| call.scope == scope);
        let mut kept: Vec<_> = here.map(|call| call.anchor).collect();
        kept.sort_unstable();
        kept.dedup();
        let (mut turns, mut tokens) = (0, 0);
        for anchor in &kept {
            let size = self.state.batches.get(&(scope, *anchor)).copied().unwrap_or_default();
            turns += size.turns;
            tokens += size.tokens;
        }
        let row = self.row(scope)?;
        let hidden_turns = row.messages - turns;
        if hidden_turns == 0 {
            return Ok(());
        }
        let sum = row.note_tokens + tokens;
        let here = vec![self.presence_change(scope, Act::Other)];
        self.emit(What::Cleared(Cleared { scope, kept, hidden_turns, sum }), here)
    }
}
