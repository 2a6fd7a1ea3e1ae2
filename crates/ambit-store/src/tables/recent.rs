//! What a process remembers of a vault it has just written to, so that the next command of the same
//! actor need not read it all again. It holds for as long as the vault's head is the one that this
//! process wrote: `State::apply` is exact, and the contract suite compares it with what is read.

use std::collections::VecDeque;

use ambit_core::{ForgetSelection, Hash, Logged, Needs, State};

use super::VaultFound;
use super::writers::GROUP_MAX;

/// How many actors' States are remembered for a vault: a group may hold a command of as many, and
/// each of them may be back with the next.
const STATES_MAX: usize = GROUP_MAX;

/// How many events a remembered State may lie behind.
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
    /// Forgets all: whatever was written since is not known.
    pub fn forget(&mut self) {
        *self = Recent::default();
    }

    /// Holds on only where nobody else wrote since, and rows were not rebuilt: what was read before
    /// may have been what was damaged.
    pub fn check(&mut self, found: &VaultFound) {
        let (vault, head, rebuilt) = (Some(found.vault), found.state.head_hash, found.rebuilt);
        if (self.vault, self.head, self.rebuilt) != (vault, head, rebuilt) {
            *self = Recent { vault, head, rebuilt, ..Recent::default() };
        }
    }

    /// The number of an actor that is remembered.
    pub fn actor(&self, name: &str) -> Option<i64> {
        let known = self.states.iter().find(|it| it.actor == name)?;
        known.state.actor.as_ref().map(|actor| actor.actor.0)
    }

    /// The State that a command needs, brought up to date, but for its texts.
    pub fn state(&mut self, needs: &Needs) -> Option<State> {
        let index = self.states.iter().position(|it| it.serves(needs))?;
        let mut state = self.states.remove(index)?.state;
        let seen = state.vault.head_seq;
        let missed = self.events.iter().filter(|it| it.event.seq > seen);
        missed.for_each(|logged| state.apply(logged));
        Some(state)
    }

    /// Remembers what a command left behind.
    pub fn keep(&mut self, needs: &Needs, mut state: State, events: &[Logged]) {
        self.head = state.vault.head_hash;
        self.events.extend(events.iter().cloned());
        if self.events.len() > EVENTS_MAX {
            self.events.drain(..self.events.len() - EVENTS_MAX);
        }
        // An actor moves only by its own commands, possibly to scopes that its other States do not
        // hold: so it has one, its last.
        let number = |state: &State| state.actor.as_ref().map(|actor| actor.actor);
        let own = number(&state);
        self.states.retain(|it| number(&it.state) != own);
        // What was looked up for one command alone is not kept up to date by `apply`.
        let reach = state.reach;
        if !reach.chain && !reach.calls_of_all && state.turn.is_none() && own.is_some() {
            state.texts.clear();
            state.objects.clear();
            state.subagents.clear();
            state.name_taken = false;
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
    /// Whether it holds all that a command needs. Scopes that are named may not be there at all,
    /// which only a read can tell.
    fn serves(&self, needs: &Needs) -> bool {
        let more = needs.reach.and(self.state.reach) != self.state.reach;
        let looks_up = needs.all_scopes || needs.turn.is_some() || !needs.scopes.is_empty();
        let looks_up = looks_up || needs.selected != ForgetSelection::default();
        let looks_up = looks_up
            || !needs.objects.is_empty()
            || needs.subagent.is_some()
            || needs.name.is_some();
        self.actor == needs.actor && self.pin == needs.pin && !more && !looks_up
    }
}
