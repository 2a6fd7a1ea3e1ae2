//! Checks notes in a log.

use ambit_core::Way;
use ambit_core::note::Change;

use super::{Checked, Sound, ensure};

impl Sound {
    pub(super) fn check_note(&mut self, change: &Change) -> Checked {
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
