//! Operations on the table of actors.

use crate::{ActorNo, ActorRow, Fate, State};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Registered(Box<ActorRow>),
    /// A subagent rejoined or was abandoned.
    Ended {
        actor: ActorNo,
        fate: Fate,
        seq: i64,
    },
}

impl State {
    pub(crate) fn change_actor(&mut self, change: Change) {
        match change {
            // The acting actor is registered before it forks others.
            Change::Registered(row) => drop(self.actor.get_or_insert(*row)),
            Change::Ended { actor, fate, seq } => {
                if let Some(own) = self.own_actor(actor) {
                    own.fate = Some((fate, seq));
                }
            }
        }
    }

    /// Whether an actor is the acting actor.
    pub(crate) fn is_own(&self, actor: ActorNo) -> bool {
        self.actor.as_ref().is_some_and(|own| own.actor == actor)
    }

    /// Returns the actor's row if it is the acting actor: the State has no other.
    pub(crate) fn own_actor(&mut self, actor: ActorNo) -> Option<&mut ActorRow> {
        self.actor.as_mut().filter(|own| own.actor == actor)
    }
}
