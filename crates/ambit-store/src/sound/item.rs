//! Whether items and their places could be as a log says.

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
                ensure(open, "what is retracted is not shown")
            }
            Change::Resum { scope, .. } => self.shows_places(*scope),
        }
    }

    fn item(&mut self, row: &ItemRow) -> Checked {
        ensure(!self.rows.items.contains_key(&row.item), "its number is taken")?;
        let known = row.call.is_none_or(|call| self.rows.items.contains_key(&call));
        ensure(known, "the call it answers is not there")?;
        let placed = row.placed_as();
        let known = placed == row.item || self.rows.items.contains_key(&placed);
        ensure(known, "the object it belongs to is not there")?;
        self.uses_text(row.content)
    }

    /// Counts one more item or turn with a text.
    pub(super) fn uses_text(&mut self, content: ContentNo) -> Checked {
        ensure(content.0 > 0, "its text is none")?;
        *self.text_uses.entry(content).or_default() += 1;
        Ok(())
    }

    /// Places follow each other without a gap, each with the sum up to it.
    fn place(&mut self, row: &PlaceRow) -> Checked {
        self.shows_places(row.scope)?;
        let of_vault = row.scope == ScopeNo::VAULT;
        ensure(of_vault == row.kind.of_vault(), "the vault's own scope has insights alone")?;
        let item = self.rows.items.get(&row.item);
        ensure(
            item.is_some_and(|it| it.kind == row.kind),
            "its item is not there, or of another kind",
        )?;
        // Messages are carried from scope to scope; a note stays where it was written.
        let stays = row.kind.policy().class == Class::Note;
        let moved = stays && !self.placed.insert(row.item);
        ensure(!moved, "a note has one place")?;
        ensure(row.position == self.next_place(row.scope), "its place is not the next one")?;
        ensure((0..=row.position).contains(&row.anchor), "its batch begins nowhere")?;
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
