//! Writing rows of items and of the places where they are shown.

use ambit_core::item::Change;
use ambit_core::{ItemRow, PlaceRow, ScopeNo};

use super::{At, OPEN, values};
use crate::Result;

impl At<'_> {
    pub(super) fn write_item(&mut self, change: &Change) -> Result<()> {
        match change {
            Change::Made(row) => self.insert_item(row),
            Change::Placed(row) => self.insert_place(row),
            Change::Unplaced { scope, position, seq } => {
                self.exec("place_close", &values![self.vault, scope.0, position, seq])
            }
            Change::Resum { scope, after } => self.resum(*scope, *after),
        }
    }

    pub(in crate::tables) fn insert_item(&mut self, row: &ItemRow) -> Result<()> {
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

    pub(in crate::tables) fn insert_place(&mut self, row: &PlaceRow) -> Result<()> {
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
