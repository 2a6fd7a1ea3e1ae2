//! Notes: lines worth keeping of a scope's messages; and insights, the notes of the whole vault.

mod events;
mod insight;
mod requests;
mod rows;
#[cfg(test)]
mod tests;
mod write;

pub use events::{Noted, Retracted, Way};
pub use requests::{AddInsight, InsightAnswer, NoteAnswer, RetractInsight, WriteNote};
pub use rows::NoteRow;
pub(crate) use write::Written;

use crate::State;

/// An operation on the table of notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new note, which becomes its scope's last.
    Written(NoteRow),
}

impl State {
    pub(crate) fn change_note(&mut self, change: Change) {
        match change {
            Change::Written(note) => {
                if let Some(scope) = self.scope_row_mut(note.scope) {
                    scope.last_note = Some(note.hash);
                }
            }
        }
    }
}
