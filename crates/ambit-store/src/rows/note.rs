//! Notes: how their changes are applied and checked, and how their tables are read and written.

use ambit_core::note::Change;
use ambit_core::{ItemNo, NoteRow, ScopeNo, Way};

use super::{Origins, Rows, Table};
use crate::Result;
use crate::sound::{Checked, Sound, ensure};
use crate::tables::map::{hash, hash_or_none, int, maybe_int, maybe_text};
use crate::tables::{At, Got, Row, Unfit, bytes, values};

impl Rows {
    pub(crate) fn change_note(&mut self, change: Change) {
        match change {
            Change::Written(row) => {
                if let Some(scope) = self.scopes.get_mut(&row.scope) {
                    scope.last_note = Some(row.hash);
                }
                self.notes.insert((row.scope, row.position), row);
            }
        }
    }
}

impl At<'_> {
    pub(crate) fn write_note(&mut self, change: &Change) -> Result<()> {
        match change {
            Change::Written(row) => {
                self.insert_note(row)?;
                let last = values![self.vault, row.scope.0, bytes(&row.hash)];
                self.exec("scope_last_note", &last)
            }
        }
    }

    pub(crate) fn insert_note(&mut self, row: &NoteRow) -> Result<()> {
        let (way, other) = match row.way {
            Some(Way::To(scope)) => (Some("to"), Some(scope.0)),
            Some(Way::From(scope)) => (Some("from"), Some(scope.0)),
            None => (None, None),
        };
        self.exec(
            "note_insert",
            &values![
                self.vault,
                row.scope.0,
                row.position,
                row.item.0,
                row.seq,
                bytes(&row.hash),
                row.parent.as_ref().map(bytes),
                row.snapshot,
                way,
                other,
                row.context_frame.0,
            ],
        )
    }
}

impl Sound {
    pub(crate) fn check_note(&mut self, change: &Change) -> Checked {
        match change {
            Change::Written(row) => {
                let place = self.rows.places.get(&(row.scope, row.position));
                ensure(place.is_some_and(|it| it.item == row.item), "its place does not exist")?;
                let other = row.way.map(|(Way::To(scope) | Way::From(scope))| scope);
                // A note on leaving for a new scope is written before that scope is opened.
                let known = row.parent.is_none_or(|parent| self.notes.contains(&parent));
                ensure(
                    known && other.is_none_or(|it| it.0 > 0),
                    "what it references does not exist",
                )?;
                ensure(self.notes.insert(row.hash), "its note's hash is taken")
            }
        }
    }
}

impl Table for NoteRow {
    type Key = (ScopeNo, i64);
    const NAME: &'static str = "note";
    const ALL: &'static str = "all_notes";
    const DELETE: &'static str = "all_note_delete";

    fn key(&self) -> Self::Key {
        (self.scope, self.position)
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_note(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        Some(self.seq)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        let way = maybe_text(row, 7)?;
        let other = maybe_int(row, 8)?;
        Ok(NoteRow {
            scope: ScopeNo(int(row, 0)?),
            position: int(row, 1)?,
            item: ItemNo(int(row, 2)?),
            seq: int(row, 3)?,
            hash: hash(row, 4)?,
            parent: hash_or_none(row, 5)?,
            snapshot: int(row, 6)?,
            way: match (way, other.map(ScopeNo)) {
                (Some("to"), Some(other)) => Some(Way::To(other)),
                (Some("from"), Some(other)) => Some(Way::From(other)),
                (None, None) => None,
                (way, _) => return Err(Unfit::new(7, format!("{way:?}"))),
            },
            context_frame: ScopeNo(int(row, 9)?),
        })
    }
}
