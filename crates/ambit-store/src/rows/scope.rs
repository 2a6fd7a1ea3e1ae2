//! Scopes and who is present in them: how their changes are applied and checked, and how their
//! tables are read and written.

use std::collections::BTreeSet;

use ambit_core::scope::Change;
use ambit_core::{
    ActiveScopes, ActiveScopesRow, ActorNo, Entered, Focused, Inherit, Left, PresenceChange,
    PresenceRow, ScopeNo, ScopeRow,
};

use super::{Origins, Rows, Table};
use crate::Result;
use crate::sound::{Checked, Sound, ensure, label};
use crate::tables::map::{hash_or_none, int, maybe_int, maybe_text, string, text, word};
use crate::tables::{At, Got, Row, Unfit, bytes, values};

impl Rows {
    pub(crate) fn change_scope(&mut self, change: Change) {
        match change {
            Change::Created(row) => drop(self.scopes.insert(row.scope, row)),
            Change::Closed { scope, seq } => self.close_scope(scope, seq),
            Change::Totals(totals) => {
                if let Some(row) = self.scopes.get_mut(&totals.scope) {
                    totals.follow(row);
                }
            }
            Change::Head { scope, seq } => {
                if let Some(row) = self.scopes.get_mut(&scope) {
                    row.head = seq;
                }
            }
            Change::Boundary { scope, seq } => {
                if let Some(row) = self.scopes.get_mut(&scope) {
                    row.boundary = seq;
                }
            }
            Change::OthersBoundary { scope, actor, seq } => {
                let others = self.presences.values_mut();
                others
                    .filter(|row| row.scope == scope && row.actor != actor)
                    .for_each(|row| row.boundary = seq);
            }
            Change::Entered { actor, scope, seq } => {
                self.presence(actor, scope).entered_seq = Some(seq);
            }
            Change::Left { actor, scope } => {
                self.presence(actor, scope).entered_seq = None;
                if let Some(row) = self.actors.get_mut(&actor) {
                    row.primary = row.primary.filter(|primary| *primary != scope);
                }
            }
            Change::Focused { actor, scope } => {
                if let Some(row) = self.actors.get_mut(&actor) {
                    row.primary = Some(scope);
                }
            }
            Change::Pinned { actor, scope } => drop(self.presence(actor, scope)),
            Change::Acted { actor, seq, time, here } => {
                self.presence(actor, here.scope).follow(seq, time, &here);
            }
            Change::Active(row) => drop(self.stands.insert((row.actor, row.seq), row)),
        }
    }

    fn close_scope(&mut self, scope: ScopeNo, seq: i64) {
        if let Some(row) = self.scopes.get_mut(&scope) {
            row.closed_seq = Some(seq);
        }
        for row in self.presences.values_mut().filter(|row| row.scope == scope) {
            if row.entered_seq.take().is_some()
                && let Some(actor) = self.actors.get_mut(&row.actor)
            {
                actor.view_open = false;
                actor.primary = actor.primary.filter(|primary| *primary != scope);
            }
        }
    }

    fn presence(&mut self, actor: ActorNo, scope: ScopeNo) -> &mut PresenceRow {
        let row = PresenceRow { actor, scope, ..PresenceRow::default() };
        self.presences.entry((actor, scope)).or_insert(row)
    }
}

impl At<'_> {
    pub(crate) fn write_scope(&mut self, change: &Change) -> Result<()> {
        let vault = self.vault;
        match change {
            Change::Created(row) => self.insert_scope(row),
            Change::Closed { scope, seq } => self.close_scope(*scope, *seq),
            Change::Totals(it) => {
                let (scope, notes) = (it.scope.0, it.notes);
                let row = values![
                    vault,
                    scope,
                    it.head,
                    it.places,
                    it.sum,
                    it.turns,
                    notes,
                    it.note_tokens,
                ];
                self.exec("scope_shows", &row)
            }
            Change::Head { scope, seq } => self.exec("scope_head", &values![vault, scope.0, seq]),
            Change::Boundary { scope, seq } => {
                self.exec("scope_boundary", &values![vault, scope.0, seq])
            }
            Change::OthersBoundary { scope, actor, seq } => {
                self.exec("presence_others_boundary", &values![vault, scope.0, actor.0, seq])
            }
            Change::Entered { actor, scope, seq } => {
                self.exec("presence_enter", &values![vault, actor.0, scope.0, seq])
            }
            Change::Left { actor, scope } => {
                self.exec("presence_leave", &values![vault, actor.0, scope.0])?;
                self.exec("actor_unfocus", &values![vault, actor.0, scope.0])
            }
            Change::Focused { actor, scope } => {
                self.exec("actor_focus", &values![vault, actor.0, scope.0])
            }
            Change::Pinned { actor, scope } => {
                self.exec("presence_known", &values![vault, actor.0, scope.0])
            }
            Change::Acted { actor, seq, time, here } => self.write_here(actor.0, *seq, *time, here),
            Change::Active(row) => self.insert_stand(row),
        }
    }

    fn write_here(&mut self, actor: i64, seq: i64, time: i64, here: &PresenceChange) -> Result<()> {
        let boundary = if here.boundary { seq } else { 0 };
        let (answered, answered_seq) = here.answered.map_or((0, 0), |end| (end, seq));
        let (fold, fold_seq) = if here.folds { (answered, answered_seq) } else { (0, 0) };
        self.exec(
            "presence_here",
            &values![
                self.vault,
                actor,
                here.scope.0,
                time,
                boundary,
                fold,
                fold_seq,
                answered,
                answered_seq,
            ],
        )
    }

    fn close_scope(&mut self, scope: ScopeNo, seq: i64) -> Result<()> {
        let key = values![self.vault, scope.0];
        let known = self.many("presences", key.to_vec(), PresenceRow::read)?;
        for row in known.iter().filter(|row| row.entered_seq.is_some()) {
            self.exec("actor_out", &values![self.vault, row.actor.0, scope.0])?;
        }
        self.exec("presences_leave", &key)?;
        self.exec("scope_close", &values![self.vault, scope.0, seq])
    }

    pub(crate) fn insert_scope(&mut self, row: &ScopeRow) -> Result<()> {
        self.exec(
            "scope_insert",
            &values![
                self.vault,
                row.scope.0,
                &row.id,
                row.name.as_ref(),
                row.parent.map(|scope| scope.0),
                row.owner.map(|actor| actor.0),
                row.created_seq,
                row.created_at,
                row.head,
                row.next_position,
                row.sum,
                row.messages,
                row.notes,
                row.note_tokens,
                row.boundary,
                row.last_note.as_ref().map(bytes),
                row.inherit.as_str(),
                row.closed_seq,
            ],
        )
    }

    pub(crate) fn insert_stand(&mut self, row: &ActiveScopesRow) -> Result<()> {
        let primary = row.stands.primary.map(|scope| scope.0);
        let active: Vec<_> = row.stands.active.iter().map(ToString::to_string).collect();
        let active = active.join(",");
        self.exec("stand_insert", &values![self.vault, row.actor.0, row.seq, primary, &active])
    }

    fn insert_presence(&mut self, row: &PresenceRow) -> Result<()> {
        self.exec(
            "presence_insert",
            &values![
                self.vault,
                row.actor.0,
                row.scope.0,
                row.entered_seq,
                row.last_time,
                row.boundary,
                row.fold,
                row.fold_seq,
                row.answered,
                row.answered_seq,
            ],
        )
    }
}

impl Sound {
    pub(crate) fn check_scope(&mut self, change: &Change) -> Checked {
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

    pub(crate) fn entered(&self, actor: ActorNo, it: &Entered) -> Checked {
        let moves = |active: &mut BTreeSet<_>| active.insert(it.scope);
        self.stands(actor, it.stands.as_ref(), moves, Some(it.scope))
    }

    pub(crate) fn left(&self, actor: ActorNo, it: &Left) -> Checked {
        self.stands(actor, it.stands.as_ref(), |active| active.remove(&it.scope), None)
    }

    pub(crate) fn focused(&self, actor: ActorNo, it: &Focused) -> Checked {
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
    pub(crate) fn scope_there(&self, scope: ScopeNo) -> Checked {
        ensure(scope != ScopeNo::VAULT, "nobody acts in the vault's own scope")?;
        self.shows_places(scope)
    }

    pub(crate) fn shows_places(&self, scope: ScopeNo) -> Checked {
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
        self.name(row)
    }
}

impl Table for ScopeRow {
    type Key = ScopeNo;
    const NAME: &'static str = "scope";
    const ALL: &'static str = "all_scopes";
    const DELETE: &'static str = "all_scope_delete";
    const BY_NAME: Option<&'static str> = Some("scope_by_name");

    fn key(&self) -> Self::Key {
        self.scope
    }

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_scope(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        Some(self.created_seq)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        Ok(ScopeRow {
            scope: ScopeNo(int(row, 0)?),
            id: string(row, 1)?,
            name: maybe_text(row, 2)?.map(str::to_string),
            parent: maybe_int(row, 3)?.map(ScopeNo),
            owner: maybe_int(row, 4)?.map(ActorNo),
            created_seq: int(row, 5)?,
            created_at: int(row, 6)?,
            head: int(row, 7)?,
            next_position: int(row, 8)?,
            sum: int(row, 9)?,
            messages: int(row, 10)?,
            notes: int(row, 11)?,
            note_tokens: int(row, 12)?,
            boundary: int(row, 13)?,
            last_note: hash_or_none(row, 14)?,
            inherit: word(row, 15, Inherit::parse)?,
            closed_seq: maybe_int(row, 16)?,
        })
    }
}

impl Table for PresenceRow {
    type Key = (ActorNo, ScopeNo);
    const NAME: &'static str = "presence";
    const ALL: &'static str = "all_presences";
    const DELETE: &'static str = "all_presence_delete";

    fn key(&self) -> Self::Key {
        (self.actor, self.scope)
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_presence(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        self.entered_seq
    }

    fn read(row: &dyn Row) -> Got<Self> {
        Ok(PresenceRow {
            actor: ActorNo(int(row, 0)?),
            scope: ScopeNo(int(row, 1)?),
            entered_seq: maybe_int(row, 2)?,
            last_time: maybe_int(row, 3)?,
            boundary: int(row, 4)?,
            fold: int(row, 5)?,
            fold_seq: int(row, 6)?,
            answered: int(row, 7)?,
            answered_seq: int(row, 8)?,
        })
    }
}

impl Table for ActiveScopesRow {
    type Key = (ActorNo, i64);
    const NAME: &'static str = "stand";
    const ALL: &'static str = "all_stands";
    const DELETE: &'static str = "all_stand_delete";

    fn key(&self) -> Self::Key {
        (self.actor, self.seq)
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_stand(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        Some(self.seq)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        let list = text(row, 3)?;
        let numbers = list.split(',').filter(|part| !part.is_empty());
        let numbers = numbers.map(|part| part.parse().map(ScopeNo));
        let active = numbers.collect::<std::result::Result<Vec<_>, _>>();
        let active = active.map_err(|_| Unfit::new(3, format!("{list:?}")))?;
        let primary = maybe_int(row, 2)?.map(ScopeNo);
        let (actor, seq) = (ActorNo(int(row, 0)?), int(row, 1)?);
        Ok(ActiveScopesRow { actor, seq, stands: ActiveScopes { primary, active } })
    }
}
