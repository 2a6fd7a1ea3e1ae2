//! The part of the State that is about the acting actor.

use crate::{ActorRefusal, Key, Refusal, ScopeNo, State, check_label};

impl State {
    /// Checks the caller's name: it must be a registered actor, or a valid name for a new one.
    pub fn check_actor(&self, name: &str) -> Result<(), Refusal> {
        if self.actor.is_some() {
            return Ok(());
        }
        if name.starts_with("act_") {
            return Err(ActorRefusal::Missing { name: name.into() }.into());
        }
        let max = self.settings.get(ScopeNo::VAULT, Key::NameCharsMax);
        Ok(check_label("actor", name, max)?)
    }
}
