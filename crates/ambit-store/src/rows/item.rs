//! Items and their places: how their changes are applied and checked, and how their tables are read
//! and written.

use ambit_core::item::Change;
use ambit_core::{
    ActorNo, Class, ContentNo, Form, ItemKind, ItemNo, ItemRow, PlaceRow, Role, ScopeNo,
};

use super::{Origins, Rows, Table};
use crate::Result;
use crate::sound::{Checked, Sound, ensure};
use crate::tables::map::{flag, int, maybe_int, word};
use crate::tables::{At, Got, OPEN, Row, Unfit, values};

impl Rows {
    pub(crate) fn change_item(&mut self, change: Change) {
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

impl At<'_> {
    pub(crate) fn write_item(&mut self, change: &Change) -> Result<()> {
        match change {
            Change::Made(row) => self.insert_item(row),
            Change::Placed(row) => self.insert_place(row),
            Change::Unplaced { scope, position, seq } => {
                self.exec("place_close", &values![self.vault, scope.0, position, seq])
            }
            Change::Resum { scope, after } => self.resum(*scope, *after),
        }
    }

    pub(crate) fn insert_item(&mut self, row: &ItemRow) -> Result<()> {
        self.exec(
            "item_insert",
            &values![
                self.vault,
                row.item.0,
                row.kind.as_str(),
                row.form.as_str(),
                row.role.as_str(),
                row.author.0,
                row.turn,
                row.block,
                row.time,
                row.content.0,
                row.call.map(|item| item.0),
                row.object.map(|item| item.0),
            ],
        )
    }

    pub(crate) fn insert_place(&mut self, row: &PlaceRow) -> Result<()> {
        self.exec(
            "place_insert",
            &values![
                self.vault,
                row.scope.0,
                row.position,
                row.item.0,
                row.kind.as_str(),
                row.anchor,
                row.first,
                row.tokens,
                row.sum,
                row.from_seq,
                row.to_seq.unwrap_or(OPEN),
                row.kind.in_window(),
                row.kind.of_object(),
            ],
        )
    }

    fn resum(&mut self, scope: ScopeNo, after: i64) -> Result<()> {
        let before = self.sum_before(scope, after + 1)?;
        self.exec("places_resum", &values![self.vault, scope.0, after, before])
    }
}

impl Sound {
    pub(crate) fn check_item(&mut self, change: &Change) -> Checked {
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
    pub(crate) fn uses_text(&mut self, content: ContentNo) -> Checked {
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

    pub(crate) fn next_place(&self, scope: ScopeNo) -> i64 {
        let all = self.rows.places.range((scope, 0)..=(scope, i64::MAX));
        all.map(|(_, place)| place.position + 1).next_back().unwrap_or(0)
    }
}

impl Table for ItemRow {
    type Key = ItemNo;
    const NAME: &'static str = "item";
    const ALL: &'static str = "all_items";
    const DELETE: &'static str = "all_item_delete";

    fn key(&self) -> Self::Key {
        self.item
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_item(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        Some(self.turn)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        Ok(ItemRow {
            item: ItemNo(int(row, 0)?),
            kind: word(row, 1, ItemKind::parse)?,
            form: word(row, 2, Form::parse)?,
            role: word(row, 3, Role::parse)?,
            author: ActorNo(int(row, 4)?),
            turn: int(row, 5)?,
            block: int(row, 6)?,
            time: int(row, 7)?,
            content: ContentNo(int(row, 8)?),
            call: maybe_int(row, 9)?.map(ItemNo),
            object: maybe_int(row, 10)?.map(ItemNo),
        })
    }
}

impl Table for PlaceRow {
    type Key = (ScopeNo, i64);
    const NAME: &'static str = "place";
    const ALL: &'static str = "all_places";
    const DELETE: &'static str = "all_place_delete";

    fn key(&self) -> Self::Key {
        (self.scope, self.position)
    }

    fn insert(&self, at: &mut At<'_>) -> Result<()> {
        at.insert_place(self)
    }

    fn event(&self, _origins: &Origins<'_>) -> Option<i64> {
        Some(self.from_seq)
    }

    fn read(row: &dyn Row) -> Got<Self> {
        let kind = word(row, 3, ItemKind::parse)?;
        for (index, expected) in [(10, kind.in_window()), (11, kind.of_object())] {
            if flag(row, index)? != expected {
                return Err(Unfit::new(index, format!("{}, which {kind:?} is not", !expected)));
            }
        }
        Ok(PlaceRow {
            scope: ScopeNo(int(row, 0)?),
            position: int(row, 1)?,
            item: ItemNo(int(row, 2)?),
            kind,
            anchor: int(row, 4)?,
            first: flag(row, 5)?,
            tokens: int(row, 6)?,
            sum: int(row, 7)?,
            from_seq: int(row, 8)?,
            to_seq: Some(int(row, 9)?).filter(|seq| *seq != 0),
        })
    }
}
