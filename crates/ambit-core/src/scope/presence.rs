//! `enter`, `leave` and `focus`: decides changes of an actor's active and primary scopes.

use crate::decide::{Draft, Stop};
use crate::{
    ActiveScopes, Answer, Entered, Focused, Left, ScopeNo, ScopeRefusal, StandsAnswer, What,
};

impl Draft<'_> {
    pub(crate) fn enter(&mut self, name: &str) -> Result<Answer, Stop> {
        self.unpinned("enter")?;
        let scope = self.state.open_scope(name)?.scope;
        if self.state.active_scopes().contains(&scope) {
            return Err(ScopeRefusal::Active { name: name.into() }.into());
        }
        self.ensure_actor()?;
        // A view's streams are fixed, so the next action must open another view.
        self.ending = true;
        self.enters(scope)?;
        Ok(self.stands_answer(Some(scope)))
    }

    pub(crate) fn leave(&mut self, name: &str) -> Result<Answer, Stop> {
        self.unpinned("leave")?;
        let scope = self.active_named(name, "leave")?;
        self.ensure_actor()?;
        self.leaves(scope)?;
        Ok(self.stands_answer(Some(scope)))
    }

    pub(crate) fn focus(&mut self, name: &str) -> Result<Answer, Stop> {
        self.unpinned("focus")?;
        let scope = self.active_named(name, "focus")?;
        self.ensure_actor()?;
        // A command that changes nothing writes no event.
        if self.state.actor.as_ref().and_then(|actor| actor.primary) != Some(scope) {
            self.focuses(scope)?;
        }
        Ok(self.stands_answer(Some(scope)))
    }

    pub(crate) fn enters(&mut self, scope: ScopeNo) -> Result<(), Stop> {
        let mut stands = self.stands();
        stands.active.insert(0, scope);
        self.emit(What::Entered(Entered { scope, stands: Some(stands) }), Vec::new())
    }

    pub(crate) fn leaves(&mut self, scope: ScopeNo) -> Result<(), Stop> {
        let mut stands = self.stands();
        stands.active.retain(|active| *active != scope);
        stands.primary = stands.primary.filter(|primary| *primary != scope);
        self.emit(What::Left(Left { scope, stands: Some(stands) }), Vec::new())
    }

    pub(crate) fn focuses(&mut self, scope: ScopeNo) -> Result<(), Stop> {
        let stands = ActiveScopes { primary: Some(scope), ..self.stands() };
        self.emit(What::Focused(Focused { scope, stands: Some(stands) }), Vec::new())
    }

    fn stands(&self) -> ActiveScopes {
        let primary = self.state.actor.as_ref().and_then(|actor| actor.primary);
        ActiveScopes { primary, active: self.state.active_scopes() }
    }

    pub(crate) fn stands_answer(&self, scope: Option<ScopeNo>) -> Answer {
        let ActiveScopes { primary, active } = self.stands();
        let name = |scope| self.state.scope_name(scope);
        Answer::Stands(StandsAnswer {
            scope: scope.map(name),
            primary_scope: primary.map(name),
            active_scopes: active.into_iter().map(name).collect(),
            event: self.state.vault.head_seq,
        })
    }

    fn active_named(&self, name: &str, verb: &'static str) -> Result<ScopeNo, Stop> {
        let scope = self.state.scope_named(name)?.scope;
        let active = self.state.active_scopes();
        if !active.contains(&scope) {
            let active = active.iter().map(|it| self.state.scope_name(*it)).collect();
            return Err(ScopeRefusal::Inactive { verb, name: name.into(), active }.into());
        }
        Ok(scope)
    }

    /// Refuses the command if the caller pins a scope.
    pub(crate) fn unpinned(&self, verb: &'static str) -> Result<(), Stop> {
        match &self.context.pin {
            None => Ok(()),
            Some(pin) => Err(ScopeRefusal::Pinned { verb, pin: pin.clone() }.into()),
        }
    }
}
