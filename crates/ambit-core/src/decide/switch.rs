//! `scope` and `goto`: leaving one scope for another, with a note, as one.

use std::collections::HashMap;

use super::note::Written;
use super::{Act, Draft, Stop};
use crate::{
    Answer, Carried, Cleared, Counted, Key, Move, NoteRef, Reach, ScopeCreated, ScopeNo,
    ScopeRefusal, SwitchAnswer, Way, What, check_label,
};

impl Draft<'_> {
    /// Opens a new scope and goes there. The note stays behind and says why.
    pub(super) fn scope(&mut self, name: &str, note: &Counted) -> Result<Answer, Stop> {
        let origin = self.may_switch("scope")?;
        check_label("scope", name, self.setting(ScopeNo::VAULT, Key::NameCharsMax))?;
        self.check_note(note)?;
        if let Some(there) = self.state.find_scope(name) {
            let closed_by = there.closed_seq;
            return Err(ScopeRefusal::Taken { name: name.into(), closed_by }.into());
        }
        self.check_scopes(name)?;
        self.ensure_actor()?;
        let scope = ScopeNo(self.allot());
        let hash = self.write_note(Written::here(origin), note, Some(Way::To(scope)))?;
        let parent = self.state.vault.main;
        let what = What::ScopeCreated(ScopeCreated {
            scope,
            id: self.fresh.id("scp"),
            name: name.to_string(),
            parent,
            last_note: self.row(parent)?.last_note,
        });
        self.emit(what, Vec::new())?;
        let carried = self.carry(origin, scope)?;
        self.clear_if(origin, Key::ClearOnScope)?;
        self.move_over(origin, scope)?;
        self.switched(origin, scope, hash.to_hex(), carried)
    }

    /// Goes to a scope that is there. The note is written on arrival and says what is brought.
    pub(super) fn goto(&mut self, name: &str, note: &Counted) -> Result<Answer, Stop> {
        let origin = self.may_switch("goto")?;
        let destination = self.state.open_scope(name)?.scope;
        self.check_note(note)?;
        if destination == origin {
            return Err(ScopeRefusal::Current { name: name.into() }.into());
        }
        self.ensure_actor()?;
        let carried = self.carry(origin, destination)?;
        self.clear_if(origin, Key::ClearOnGoto)?;
        self.move_over(origin, destination)?;
        let hash = self.write_note(Written::here(destination), note, Some(Way::From(origin)))?;
        self.switched(origin, destination, hash.to_hex(), carried)
    }

    /// The scope to leave.
    fn may_switch(&self, verb: &'static str) -> Result<ScopeNo, Stop> {
        self.unpinned(verb)?;
        Ok(self.working()?.scope)
    }

    /// Refuses one scope too many.
    pub(super) fn check_scopes(&self, name: &str) -> Result<(), Stop> {
        let (scopes, max) = (self.state.vault.scopes, self.setting(ScopeNo::VAULT, Key::ScopesMax));
        match scopes >= max {
            true => Err(ScopeRefusal::TooMany { name: name.into(), scopes, max }.into()),
            false => Ok(()),
        }
    }

    fn move_over(&mut self, origin: ScopeNo, destination: ScopeNo) -> Result<(), Stop> {
        self.leaves(origin)?;
        if !self.state.active_scopes().contains(&destination) {
            self.enters(destination)?;
        }
        self.focuses(destination)
    }

    fn switched(
        &self,
        origin: ScopeNo,
        scope: ScopeNo,
        hash: String,
        carried: i64,
    ) -> Result<Answer, Stop> {
        Ok(Answer::Switched(SwitchAnswer {
            scope: self.state.scope_name(scope),
            origin: self.state.scope_name(origin),
            note: NoteRef { hash },
            head: self.row(scope)?.head,
            carried,
            warnings: Vec::new(),
        }))
    }

    /// Moves the actor's pending chain, call and replies so far, to the destination's tail.
    fn carry(&mut self, from: ScopeNo, to: ScopeNo) -> Result<i64, Stop> {
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
        // In the destination it is its author's next turn: what was open there is given up.
        let here = vec![self.here(from, Act::Reply), self.here(to, Act::Turn { assistant: false })];
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

    /// Hides a scope's messages, pending chains apart, where the setting asks for it.
    pub(super) fn clear_if(&mut self, scope: ScopeNo, switch: Key) -> Result<(), Stop> {
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
        let here = vec![self.here(scope, Act::Other)];
        self.emit(What::Cleared(Cleared { scope, kept, hidden_turns, sum }), here)
    }
}
