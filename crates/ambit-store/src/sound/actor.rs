//! Checks the registration and the end of actors in a log.

use ambit_core::ActorNo;
use ambit_core::actor::Change;

use super::{Checked, Sound, ensure, label};

impl Sound {
    pub(super) fn check_actor(&mut self, change: &Change) -> Checked {
        match change {
            Change::Registered(row) => {
                ensure(!self.rows.actors.contains_key(&row.actor), "its number is taken")?;
                self.scope_there(row.home)?;
                self.id(&row.id, "act_")?;
                label("actor", &row.name)?;
                ensure(self.actor_names.insert(row.name.clone()), "its actor's name is taken")
            }
            Change::Ended { actor, .. } => self.actor_there(*actor),
        }
    }

    pub(super) fn actor_there(&self, actor: ActorNo) -> Checked {
        ensure(self.rows.actors.contains_key(&actor), "its actor does not exist")
    }
}
