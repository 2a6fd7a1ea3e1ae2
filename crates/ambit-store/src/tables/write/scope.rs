//! Writing rows of scopes, and of who is present in them.

use ambit_core::scope::Change;
use ambit_core::{ActiveScopesRow, PresenceChange, ScopeNo, ScopeRow};

use super::{At, bytes, map, values};
use crate::Result;

impl At<'_> {
    pub(super) fn write_scope(&mut self, change: &Change) -> Result<()> {
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
        let known = self.many("presences", key.to_vec(), map::presence)?;
        for row in known.iter().filter(|row| row.entered_seq.is_some()) {
            self.exec("actor_out", &values![self.vault, row.actor.0, scope.0])?;
        }
        self.exec("presences_leave", &key)?;
        self.exec("scope_close", &values![self.vault, scope.0, seq])
    }

    pub(in crate::tables) fn insert_scope(&mut self, row: &ScopeRow) -> Result<()> {
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

    pub(in crate::tables) fn insert_stand(&mut self, row: &ActiveScopesRow) -> Result<()> {
        let primary = row.stands.primary.map(|scope| scope.0);
        let active: Vec<_> = row.stands.active.iter().map(ToString::to_string).collect();
        let active = active.join(",");
        self.exec("stand_insert", &values![self.vault, row.actor.0, row.seq, primary, &active])
    }
}
