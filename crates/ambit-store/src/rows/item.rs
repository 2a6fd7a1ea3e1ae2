//! Rows of items and of the places where they are shown.

use ambit_core::ScopeNo;
use ambit_core::item::Change;

use super::Rows;

impl Rows {
    pub(super) fn change_item(&mut self, change: Change) {
        match change {
            Change::Made(row) => drop(self.items.insert(row.item, row)),
            Change::Placed(row) => drop(self.places.insert((row.scope, row.position), row)),
            Change::Unplaced { scope, position, seq } => {
                let place = self.places.get_mut(&(scope, position));
                if let Some(row) = place.filter(|row| row.to_seq.is_none()) {
                    row.to_seq = Some(seq);
                }
            }
            Change::Resum { scope, after } => self.resum(scope, after),
        }
    }

    fn resum(&mut self, scope: ScopeNo, after: i64) {
        let open = self.places.range_mut((scope, 0)..=(scope, i64::MAX));
        let mut sum = 0;
        for (_, row) in open.filter(|(_, row)| row.to_seq.is_none()) {
            sum += row.tokens;
            if row.position > after {
                row.sum = sum;
            }
        }
    }
}
