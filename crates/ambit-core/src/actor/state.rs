//! The part of the State that is about the acting actor.

use crate::{ActorRefusal, Key, Refusal, ScopeNo, State, check_label};

impl State {
    /// Whether the caller can be who it says: an actor that is registered, or a name for a new one.
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
