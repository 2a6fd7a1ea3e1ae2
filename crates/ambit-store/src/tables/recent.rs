//! The cached state of a vault that this process has just written to: the next command of the same
//! actor does not have to read it again. The cache is valid while the vault's head is the event
//! that this process wrote last. `State::apply` is exact; the contract suite compares its result
//! with a fresh read.

use std::collections::VecDeque;

use ambit_core::{ForgetSelection, Hash, Logged, Needs, State};

use super::VaultFound;
use super::writers::GROUP_MAX;

/// How many actors' States are cached for a vault: as many as may have a command in one group,
/// because each of them may have another in the next.
const STATES_MAX: usize = GROUP_MAX;

/// How many events a cached State may be behind the head.
const EVENTS_MAX: usize = 256;

#[derive(Default)]
pub(crate) struct Recent {
    /// The vault's number in this store.
    pub vault: Option<i64>,
    /// The hash of its last event.
    head: Hash,
    rebuilt: i64,
    states: VecDeque<Remembered>,
    /// The last events, without a gap up to the head.
    events: VecDeque<Logged>,
}

struct Remembered {
    actor: String,
    pin: Option<String>,
    state: State,
}

impl Recent {
    /// Clears the cache, because later writes are not known.
    pub fn forget(&mut self) {
        *self = Recent::default();
    }

    /// Clears the cache if another process wrote to the vault, or if its rows were rebuilt: the
    /// cached rows may have been read from damaged ones.
    pub fn check(&mut self, found: &VaultFound) {
        let (vault, head, rebuilt) = (Some(found.vault), found.state.head_hash, found.rebuilt);
        if (self.vault, self.head, self.rebuilt) != (vault, head, rebuilt) {
            *self = Recent { vault, head, rebuilt, ..Recent::default() };
        }
    }

    /// Returns the number of a cached actor.
    pub fn actor(&self, name: &str) -> Option<i64> {
        let known = self.states.iter().find(|it| it.actor == name)?;
        known.state.actor.as_ref().map(|actor| actor.actor.0)
    }

    /// Returns the State that a command needs, brought up to date, without its texts.
    pub fn state(&mut self, needs: &Needs) -> Option<State> {
        let index = self.states.iter().position(|it| it.serves(needs))?;
        let mut state = self.states.remove(index)?.state;
        let seen = state.vault.head_seq;
        let missed = self.events.iter().filter(|it| it.event.seq > seen);
        missed.for_each(|logged| state.apply(logged));
        Some(state)
    }

    /// Caches the State after a command.
    pub fn keep(&mut self, needs: &Needs, mut state: State, events: &[Logged]) {
        self.head = state.vault.head_hash;
        self.events.extend(events.iter().cloned());
        if self.events.len() > EVENTS_MAX {
            self.events.drain(..self.events.len() - EVENTS_MAX);
        }
        // Only the last State of an actor is kept: the actor's commands may move it to scopes that
        // its earlier States do not hold.
        let number = |state: &State| state.actor.as_ref().map(|actor| actor.actor);
        let own = number(&state);
        self.states.retain(|it| number(&it.state) != own);
        // `apply` does not update the rows that were read for one command only.
        let reach = state.reach;
        if !reach.chain && !reach.calls_of_all && state.turn.is_none() && own.is_some() {
            state.texts.clear();
            state.objects.clear();
            state.subagents.clear();
            state.names.clear();
            let (actor, pin) = (needs.actor.clone(), needs.pin.clone());
            self.states.push_back(Remembered { actor, pin, state });
        }
        let first = self.events.front().map_or(i64::MAX, |logged| logged.event.seq);
        self.states.retain(|it| it.state.vault.head_seq + 1 >= first);
        if self.states.len() > STATES_MAX {
            self.states.pop_front();
        }
    }
}

impl Remembered {
    /// Returns whether the State holds all that a command needs. A named scope that is not cached
    /// may or may not exist; only a read can tell. The pattern names every field, so that a new
    /// need is not served by mistake. Texts are looked up for each command.
    fn serves(&self, needs: &Needs) -> bool {
        let Needs {
            actor,
            pin,
            scopes,
            all_scopes,
            turn,
            reach,
            texts: _,
            selected,
            objects,
            subagent,
            names,
        } = needs;
        let known = self.state.reach;
        let looks_up = *all_scopes || turn.is_some() || subagent.is_some();
        let looks_up = looks_up || !scopes.is_empty() || !objects.is_empty() || !names.is_empty();
        let looks_up = looks_up || *selected != ForgetSelection::default();
        self.actor == *actor && self.pin == *pin && reach.and(known) == known && !looks_up
    }
}
