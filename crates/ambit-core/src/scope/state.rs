//! The part of the State that is about scopes.

use crate::{Hash, Key, Millis, Refusal, ScopeNo, ScopeRefusal, ScopeRow, State};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeState {
    pub row: ScopeRow,
    /// The hash of the head's event, if it was requested.
    pub head_hash: Option<Hash>,
}

/// A reader's epoch in a scope: between two boundaries, compositions only grow at their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// The event that began the epoch, or would begin it now.
    pub boundary: i64,
    /// The reader has been silent here for longer than the idle limit.
    pub silent: bool,
    /// The end of the first answered composition.
    pub fold: Option<i64>,
    /// The end of the last answered composition.
    pub answered: Option<i64>,
}

impl State {
    /// Returns a scope by name or id, if it was read.
    pub fn find_scope(&self, name: &str) -> Option<&ScopeRow> {
        let named = |row: &&ScopeRow| row.name.as_deref() == Some(name);
        let mut rows = self.scopes.values().map(|scope| &scope.row);
        if name.starts_with("scp_") {
            return rows.find(|row| row.id == name && row.name.is_some());
        }
        rows.find(named)
    }

    /// Like `find_scope`, but a missing scope is a refusal.
    pub fn scope_named(&self, name: &str) -> Result<&ScopeRow, Refusal> {
        let missing = || ScopeRefusal::Missing { name: name.into() };
        Ok(self.find_scope(name).ok_or_else(missing)?)
    }

    /// Returns a scope by name or id; refuses one that is closed.
    pub fn open_scope(&self, name: &str) -> Result<&ScopeRow, Refusal> {
        let row = self.scope_named(name)?;
        match row.closed_seq {
            None => Ok(row),
            Some(_) => Err(ScopeRefusal::Closed { name: name.into() }.into()),
        }
    }

    /// Returns the scope that a command works in: the pinned one, else the primary one. For an
    /// actor that is not registered yet, that is `main`.
    pub fn working_scope(&self, pin: Option<&str>) -> Result<&ScopeRow, Refusal> {
        if let Some(name) = pin {
            return self.scope_named(name);
        }
        let primary = match &self.actor {
            Some(actor) => actor.primary,
            None => Some(self.vault.main),
        };
        primary.and_then(|scope| self.scopes.get(&scope)).map(|scope| &scope.row).ok_or_else(|| {
            let ended = self.actor.as_ref().is_some_and(|actor| actor.fate.is_some());
            ScopeRefusal::NoPrimary { ended }.into()
        })
    }

    /// Returns the acting actor's active scopes, most recently entered first.
    pub fn active_scopes(&self) -> Vec<ScopeNo> {
        if self.actor.is_none() {
            return vec![self.vault.main];
        }
        let mut active: Vec<_> = self
            .presence
            .values()
            .filter_map(|presence| Some((presence.entered_seq?, presence.scope)))
            .collect();
        active.sort_by(|a, b| b.cmp(a));
        active.into_iter().map(|(_, scope)| scope).collect()
    }

    pub fn scope_name(&self, scope: ScopeNo) -> String {
        let row = self.scopes.get(&scope).map(|scope| &scope.row);
        row.and_then(|row| row.name.clone()).unwrap_or_default()
    }

    /// Returns the acting actor's epoch in a scope at a given time.
    pub fn epoch(&self, scope: ScopeNo, now: Millis) -> Epoch {
        let scope_boundary = self.scopes.get(&scope).map_or(0, |scope| scope.row.boundary);
        let shared = self.vault.boundary.max(scope_boundary);
        let Some(presence) = self.presence.get(&scope) else {
            return Epoch { boundary: shared, silent: false, fold: None, answered: None };
        };
        let idle_ms = self.settings.get(scope, Key::IdleSeconds) * 1000;
        let silent = presence.last_time.is_some_and(|last| now - last > idle_ms);
        let boundary = shared.max(presence.boundary);
        let valid = |position, seq| (!silent && seq > 0 && seq >= boundary).then_some(position);
        Epoch {
            boundary: if silent { self.vault.head_seq + 1 } else { boundary },
            silent,
            fold: valid(presence.fold, presence.fold_seq),
            answered: valid(presence.answered, presence.answered_seq),
        }
    }
}
