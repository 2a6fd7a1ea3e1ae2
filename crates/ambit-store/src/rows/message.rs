//! Rows of turns and of open calls.

use ambit_core::message::Change;
use ambit_core::{PlaceRow, ScopeNo};

use super::Rows;

impl Rows {
    pub(super) fn change_message(&mut self, change: Change) {
        match change {
            Change::Shape(row) => drop(self.turns.insert(row.turn, row)),
            Change::CallOpened(row) => drop(self.calls.insert((row.scope, row.item), row)),
            Change::CallAnswered { scope, item } => drop(self.calls.remove(&(scope, item))),
            Change::CallsGivenUp { scope, actor } => {
                self.calls.retain(|_, row| (row.scope, row.actor) != (scope, actor));
            }
            Change::Hidden { scope, from, to, seq } => self.hide(scope, from, to, seq),
        }
    }

    fn hide(&mut self, scope: ScopeNo, from: i64, to: i64, seq: i64) {
        let closes = |row: &PlaceRow| {
            row.kind.in_window() && row.to_seq.is_none() && (from..=to).contains(&row.anchor)
        };
        let rows = self.places.range_mut((scope, from)..=(scope, i64::MAX));
        rows.filter(|(_, row)| closes(row)).for_each(|(_, row)| row.to_seq = Some(seq));
        self.calls.retain(|_, row| row.scope != scope || !(from..=to).contains(&row.anchor));
    }
}
