//! Checks items and their places in a log.

use ambit_core::item::Change;
use ambit_core::{Class, ContentNo, ItemRow, PlaceRow, ScopeNo};

use super::{Checked, Sound, ensure};

impl Sound {
    pub(super) fn check_item(&mut self, change: &Change) -> Checked {
        match change {
            Change::Made(row) => self.item(row),
            Change::Placed(row) => self.place(row),
            Change::Unplaced { scope, position, .. } => {
                let place = self.rows.places.get(&(*scope, *position));
                let open = place.is_some_and(|it| it.to_seq.is_none());
                ensure(open, "what it retracts is not shown")
            }
            Change::Resum { scope, .. } => self.shows_places(*scope),
        }
    }

    fn item(&mut self, row: &ItemRow) -> Checked {
        ensure(!self.rows.items.contains_key(&row.item), "its number is taken")?;
        let known = row.call.is_none_or(|call| self.rows.items.contains_key(&call));
        ensure(known, "the call it answers does not exist")?;
        let placed = row.placed_as();
        let known = placed == row.item || self.rows.items.contains_key(&placed);
        ensure(known, "the object it belongs to does not exist")?;
        self.uses_text(row.content)
    }

    /// Counts another item or turn that uses a text.
    pub(super) fn uses_text(&mut self, content: ContentNo) -> Checked {
        ensure(content.0 > 0, "its text's number is invalid")?;
        *self.text_uses.entry(content).or_default() += 1;
        Ok(())
    }

    /// Checks that places have no gap, and that each holds the sum up to it.
    fn place(&mut self, row: &PlaceRow) -> Checked {
        self.shows_places(row.scope)?;
        let of_vault = row.scope == ScopeNo::VAULT;
        ensure(of_vault == row.kind.of_vault(), "the vault's own scope holds only insights")?;
        let item = self.rows.items.get(&row.item);
        ensure(
            item.is_some_and(|it| it.kind == row.kind),
            "its item does not exist or is of another kind",
        )?;
        // Messages are carried from scope to scope; a note stays where it was written.
        let stays = row.kind.policy().class == Class::Note;
        let moved = stays && !self.placed.insert(row.item);
        ensure(!moved, "a note has one place")?;
        ensure(row.position == self.next_place(row.scope), "its place is not the next one")?;
        ensure((0..=row.position).contains(&row.anchor), "its batch's anchor is invalid")?;
        let before = self.rows.scopes.get(&row.scope).map_or(0, |scope| scope.sum);
        let sum = self.sums.entry(row.scope).or_insert(before);
        *sum += row.tokens;
        ensure(row.tokens >= 0 && row.sum == *sum, "its sum does not add up")
    }

    pub(super) fn next_place(&self, scope: ScopeNo) -> i64 {
        let all = self.rows.places.range((scope, 0)..=(scope, i64::MAX));
        all.map(|(_, place)| place.position + 1).next_back().unwrap_or(0)
    }
}
