//! `scope` and `goto`: leaving one scope for another, with a note, as one.

use std::collections::HashMap;

use super::note::Written;
use super::{Act, Draft, Stop};
use crate::{
    Answer, Carried, Cleared, Counted, Key, Move, NoteRef, Reach, Rejection, ScopeCreated, ScopeNo,
    SwitchAnswer, Way, What, check_label,
};

impl Draft<'_> {
    /// Opens a new scope and goes there. The note stays behind and says why.
    pub(super) fn scope(&mut self, name: &str, note: &Counted) -> Result<Answer, Stop> {
        let origin = self.may_switch("scope")?;
        check_label("scope", name, self.setting(ScopeNo::VAULT, Key::NameCharsMax))?;
        self.check_note(note)?;
        if let Some(there) = self.state.find_scope(name) {
            let (message, hint) = match there.closed_seq {
                None => (
                    format!("there is a scope named {name:?} already"),
                    format!("`ambit goto {name} -m NOTE` goes there"),
                ),
                Some(seq) => (
                    format!("there was a scope named {name:?}: event {seq} closed it"),
                    "give the new one another name".to_string(),
                ),
            };
            return Err(Rejection::conflict(message, hint).into());
        }
        let max = self.setting(ScopeNo::VAULT, Key::ScopesMax);
        if self.state.vault.scopes >= max {
            return Err(Rejection::refused(
                format!("the vault has {} scopes; scopes_max is {max}", self.state.vault.scopes),
                "raise the setting, or work in a scope that is there",
            )
            .into());
        }
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
            return Err(Rejection::conflict(
                format!("{name:?} is the current scope"),
                "`ambit note -m NOTE` writes a note without leaving",
            )
            .into());
        }
        self.ensure_actor()?;
        let carried = self.carry(origin, destination)?;
        self.clear_if(origin, Key::ClearOnGoto)?;
        self.move_over(origin, destination)?;
        let hash = self.write_note(Written::here(destination), note, Some(Way::From(origin)))?;
        self.switched(origin, destination, hash.to_hex(), carried)
    }

    /// The scope to leave.
    fn may_switch(&self, verb: &str) -> Result<ScopeNo, Stop> {
        if self.context.pin.is_some() {
            return Err(Rejection::refused(
                format!("{verb} moves between scopes, and --scope or AMBIT_SCOPE pins one"),
                "leave out the pin: unset AMBIT_SCOPE, drop --scope",
            )
            .into());
        }
        Ok(self.working()?.scope)
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
