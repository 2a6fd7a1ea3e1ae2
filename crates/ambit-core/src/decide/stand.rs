//! `enter`, `leave`, `focus` and `break`: where an actor stands, always by its own word.

use super::{Draft, Stop};
use crate::{Answer, Entered, Focused, Left, Rejection, ScopeNo, Stands, StandsAnswer, What};

impl Draft<'_> {
    pub(super) fn enter(&mut self, name: &str) -> Result<Answer, Stop> {
        self.unpinned("enter")?;
        let scope = self.state.open_scope(name)?.scope;
        if self.state.active_scopes().contains(&scope) {
            return Err(Rejection::conflict(
                format!("{name:?} is active already"),
                format!("`ambit focus {name}` makes it the primary scope"),
            )
            .into());
        }
        self.ensure_actor()?;
        // A view's streams are fixed, so that the next action opens another.
        self.ending = true;
        self.enters(scope)?;
        Ok(self.stands_answer(Some(scope)))
    }

    pub(super) fn leave(&mut self, name: &str) -> Result<Answer, Stop> {
        self.unpinned("leave")?;
        let hint = "`ambit where` shows what is active";
        let scope = self.active_named(name, hint)?;
        self.ensure_actor()?;
        self.leaves(scope)?;
        Ok(self.stands_answer(Some(scope)))
    }

    pub(super) fn focus(&mut self, name: &str) -> Result<Answer, Stop> {
        self.unpinned("focus")?;
        let scope = self.active_named(name, &format!("`ambit enter {name}` makes it active"))?;
        self.ensure_actor()?;
        // What changes nothing is no event.
        if self.state.actor.as_ref().and_then(|actor| actor.primary) != Some(scope) {
            self.focuses(scope)?;
        }
        Ok(self.stands_answer(Some(scope)))
    }

    pub(super) fn break_off(&mut self) -> Result<Answer, Stop> {
        self.ensure_actor()?;
        self.ending = true;
        self.emit(What::Broke, Vec::new())?;
        Ok(self.stands_answer(None))
    }

    pub(super) fn enters(&mut self, scope: ScopeNo) -> Result<(), Stop> {
        let mut stands = self.stands();
        stands.active.insert(0, scope);
        self.emit(What::Entered(Entered { scope, stands: Some(stands) }), Vec::new())
    }

    pub(super) fn leaves(&mut self, scope: ScopeNo) -> Result<(), Stop> {
        let mut stands = self.stands();
        stands.active.retain(|active| *active != scope);
        stands.primary = stands.primary.filter(|primary| *primary != scope);
        self.emit(What::Left(Left { scope, stands: Some(stands) }), Vec::new())
    }

    pub(super) fn focuses(&mut self, scope: ScopeNo) -> Result<(), Stop> {
        let stands = Stands { primary: Some(scope), ..self.stands() };
        self.emit(What::Focused(Focused { scope, stands: Some(stands) }), Vec::new())
    }

    fn stands(&self) -> Stands {
        let primary = self.state.actor.as_ref().and_then(|actor| actor.primary);
        Stands { primary, active: self.state.active_scopes() }
    }

    pub(super) fn stands_answer(&self, scope: Option<ScopeNo>) -> Answer {
        let Stands { primary, active } = self.stands();
        let name = |scope| self.state.scope_name(scope);
        Answer::Stands(StandsAnswer {
            scope: scope.map(name),
            primary_scope: primary.map(name),
            active_scopes: active.into_iter().map(name).collect(),
            event: self.state.vault.head_seq,
        })
    }

    fn active_named(&self, name: &str, hint: &str) -> Result<ScopeNo, Stop> {
        let scope = self.state.scope_named(name)?.scope;
        let active = self.state.active_scopes();
        if !active.contains(&scope) {
            let names: Vec<_> = active.iter().map(|it| self.state.scope_name(*it)).collect();
            let names = if names.is_empty() { "none".to_string() } else { names.join(", ") };
            let message = format!("{name:?} is not active; active: {names}");
            return Err(Rejection::conflict(message, hint).into());
        }
        Ok(scope)
    }

    /// Who names a scope for one command does not move by it.
    pub(super) fn unpinned(&self, verb: &str) -> Result<(), Stop> {
        match self.context.pin {
            None => Ok(()),
            Some(_) => Err(Rejection::refused(
                format!("{verb} moves between scopes, and --scope or AMBIT_SCOPE pins one"),
                "leave out the pin: unset AMBIT_SCOPE, drop --scope",
            )
            .into()),
        }
    }
}
