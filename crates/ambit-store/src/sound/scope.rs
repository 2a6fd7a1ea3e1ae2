//! Checks scopes and presences in a log.

use std::collections::BTreeSet;

use ambit_core::scope::Change;
use ambit_core::{ActiveScopes, ActorNo, Entered, Focused, Left, ScopeNo, ScopeRow};

use super::{Checked, Sound, ensure, label};

impl Sound {
    pub(super) fn check_scope(&mut self, change: &Change) -> Checked {
        let rows = &self.rows;
        match change {
            Change::Created(row) => self.scope(row),
            Change::Closed { scope, .. } => {
                let open = rows.scopes.get(scope).is_some_and(|row| row.closed_seq.is_none());
                ensure(open && *scope != rows.vault.main, "the scope it closes is not open")
            }
            Change::Totals(totals) => {
                self.shows_places(totals.scope)?;
                let sum = self.sums.get(&totals.scope);
                ensure(sum.is_none_or(|sum| *sum == totals.sum), "its sum does not add up")
            }
            Change::Boundary { scope, .. } => self.shows_places(*scope),
            Change::Head { scope, .. } | Change::OthersBoundary { scope, .. } => {
                self.scope_there(*scope)
            }
            Change::Entered { actor, scope, .. }
            | Change::Left { actor, scope }
            | Change::Pinned { actor, scope }
            | Change::Focused { actor, scope } => {
                self.actor_there(*actor)?;
                self.scope_there(*scope)
            }
            Change::Acted { here, .. } => {
                let known = here.answered.is_none_or(|end| end >= 0);
                ensure(known, "the call it answers does not exist")?;
                self.scope_there(here.scope)
            }
            Change::Active(row) => {
                ensure(rows.actors.contains_key(&row.actor), "its actor does not exist")
            }
        }
    }

    pub(super) fn entered(&self, actor: ActorNo, it: &Entered) -> Checked {
        let moves = |active: &mut BTreeSet<_>| active.insert(it.scope);
        self.stands(actor, it.stands.as_ref(), moves, Some(it.scope))
    }

    pub(super) fn left(&self, actor: ActorNo, it: &Left) -> Checked {
        self.stands(actor, it.stands.as_ref(), |active| active.remove(&it.scope), None)
    }

    pub(super) fn focused(&self, actor: ActorNo, it: &Focused) -> Checked {
        let primary = it.stands.as_ref().map_or(Some(it.scope), |stands| stands.primary);
        ensure(primary == Some(it.scope), "its scopes are not those of its actor")?;
        self.stands(actor, it.stands.as_ref(), |_| true, None)
    }

    /// Checks that an actor's scopes after a move follow from the move. Old logs do not state them.
    fn stands(
        &self,
        actor: ActorNo,
        stands: Option<&ActiveScopes>,
        moves: impl FnOnce(&mut BTreeSet<ScopeNo>) -> bool,
        newest: Option<ScopeNo>,
    ) -> Checked {
        let Some(stands) = stands else {
            return Ok(());
        };
        let own = self.rows.presences.values().filter(|row| row.actor == actor);
        let own = own.filter(|row| row.entered_seq.is_some());
        let mut active: BTreeSet<_> = own.map(|row| row.scope).collect();
        let moved = moves(&mut active);
        let said: BTreeSet<_> = stands.active.iter().copied().collect();
        let primary = stands.primary.is_none_or(|scope| active.contains(&scope));
        let first = newest.is_none_or(|scope| stands.active.first() == Some(&scope));
        let fits = moved && said == active && said.len() == stands.active.len();
        ensure(fits && primary && first, "its scopes are not those of its actor")
    }

    /// Checks that a scope exists and that actors can act in it.
    pub(super) fn scope_there(&self, scope: ScopeNo) -> Checked {
        ensure(scope != ScopeNo::VAULT, "nobody acts in the vault's own scope")?;
        self.shows_places(scope)
    }

    pub(super) fn shows_places(&self, scope: ScopeNo) -> Checked {
        ensure(self.rows.scopes.contains_key(&scope), "its scope does not exist")
    }

    fn scope(&mut self, row: &ScopeRow) -> Checked {
        ensure(!self.rows.scopes.contains_key(&row.scope), "its number is taken")?;
        // The vault's own scope has only a number.
        if row.scope == ScopeNo::VAULT && row.name.is_none() && row.owner.is_none() {
            return Ok(());
        }
        ensure(row.scope.0 > 0, "its number is invalid")?;
        row.parent.map_or(Ok(()), |parent| self.scope_there(parent))?;
        self.id(&row.id, "scp_")?;
        let Some(name) = &row.name else {
            return Ok(());
        };
        label("scope", name)?;
        ensure(self.scope_names.insert(name.clone()), "its scope's name is taken")
    }
}
