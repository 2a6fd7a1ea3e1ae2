//! Writing rows of notes.

use ambit_core::note::Change;
use ambit_core::{NoteRow, Way};

use super::{At, bytes, values};
use crate::Result;

impl At<'_> {
    pub(super) fn write_note(&mut self, change: &Change) -> Result<()> {
        match change {
            Change::Written(row) => {
                self.insert_note(row)?;
                let last = values![self.vault, row.scope.0, bytes(&row.hash)];
                self.exec("scope_last_note", &last)
            }
        }
    }

    pub(in crate::tables) fn insert_note(&mut self, row: &NoteRow) -> Result<()> {
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
