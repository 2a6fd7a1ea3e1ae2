//! Rows of scopes, and of who is present in them.

use ambit_core::scope::Change;
use ambit_core::{ActorNo, PresenceRow, ScopeNo};

use super::Rows;

impl Rows {
    pub(super) fn change_scope(&mut self, change: Change) {
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
