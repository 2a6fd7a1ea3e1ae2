//! Reads items and notes with their texts, in memory.

use ambit_core::compose::{NoteShown, Shown};
use ambit_core::{Content, Hash, ItemNo, ScopeNo, Way};

use super::Vault;

impl Vault {
    pub(super) fn shown(
        &self,
        position: i64,
        anchor: i64,
        tokens: i64,
        item: ItemNo,
    ) -> Option<Shown> {
        let item = self.rows.items.get(&item)?;
        let content = self.contents.get(&item.content);
        let shape = self.rows.turns.get(&item.turn).filter(|_| item.block == 0);
        let shape = shape.and_then(|turn| self.contents.get(&turn.shape));
        let text = |content: &Content| String::from_utf8_lossy(&content.text).into_owned();
        let turn = self.rows.turns.get(&item.turn).map(|turn| turn.shape);
        let shown = Shown {
            position,
            anchor,
            tokens,
            item: item.item,
            kind: item.kind,
            form: item.form,
            role: item.role,
            author: item.author,
            turn: item.turn,
            block: item.block,
            time: item.time,
            call: item.call,
            text: content.map(text).unwrap_or_default(),
            text_tokens: content.map_or(0, |content| content.tokens),
            key: content.map_or_else(Hash::default, |content| content.key),
            shape: shape.map(|shape| text(shape).into()),
            forgotten: None,
            shapeless: false,
        };
        Some(shown.marked(item.content, turn))
    }

    pub(super) fn note(&self, row: &ambit_core::NoteRow) -> Option<NoteShown> {
        let item = self.rows.items.get(&row.item)?;
        let place = self.rows.places.get(&(row.scope, row.position))?;
        let content = self.contents.get(&item.content);
        let text = |content: &Content| String::from_utf8_lossy(&content.text).into_owned();
        let name = |scope: ScopeNo| {
            self.rows.scopes.get(&scope).and_then(|row| row.name.clone()).unwrap_or_default()
        };
        let shown = NoteShown {
            scope: row.scope,
            position: row.position,
            seq: row.seq,
            tokens: place.tokens,
            hash: row.hash,
            parent: row.parent,
            snapshot: row.snapshot,
            way: row.way.map(|way| match way {
                Way::To(scope) => (true, name(scope)),
                Way::From(scope) => (false, name(scope)),
            }),
            text: content.map(text).unwrap_or_default(),
            key: content.map_or_else(Hash::default, |content| content.key),
            author: item.author,
            time: item.time,
            forgotten: None,
        };
        Some(shown.marked(item.content))
    }
}
