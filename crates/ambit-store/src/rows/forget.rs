//! Texts that are forgotten.

use ambit_core::ContentNo;
use ambit_core::forget::Change;

use super::Rows;
use crate::Result;
use crate::sound::{Checked, Sound, ensure};
use crate::tables::{At, values};

impl Rows {
    pub(crate) fn change_forget(&mut self, change: Change) {
        match change {
            Change::Item { item, seq } => {
                if let Some(row) = self.items.get_mut(&item) {
                    row.content = ContentNo::forgotten(seq);
                }
            }
            Change::Shape { turn, seq } => {
                if let Some(row) = self.turns.get_mut(&turn) {
                    row.shape = ContentNo::forgotten(seq);
                }
            }
            // Texts are not part of the rows.
            Change::Content { .. } => {}
            Change::Marked { scope, position, tokens } => {
                if let Some(row) = self.places.get_mut(&(scope, position)) {
                    row.tokens = tokens;
                }
            }
        }
    }
}

impl At<'_> {
    pub(crate) fn write_forget(&mut self, change: &Change) -> Result<()> {
        let vault = self.vault;
        match change {
            Change::Item { item, seq } => {
                let gone = ContentNo::forgotten(*seq);
                self.exec("item_forget", &values![vault, item.0, gone.0])
            }
            Change::Shape { turn, seq } => {
                let gone = ContentNo::forgotten(*seq);
                self.exec("turn_forget", &values![vault, turn, gone.0])
            }
            Change::Content { content } => self.exec("content_forget", &values![vault, content.0]),
            Change::Marked { scope, position, tokens } => {
                self.exec("place_mark", &values![vault, scope.0, position, tokens])
            }
        }
    }
}

impl Sound {
    pub(crate) fn check_forget(&mut self, change: &Change) -> Checked {
        match change {
            Change::Item { item, .. } => {
                let content = self.rows.items.get(item).map(|row| row.content);
                self.uses_text_no_longer(content)
            }
            Change::Shape { turn, .. } => {
                let content = self.rows.turns.get(turn).map(|row| row.shape);
                self.uses_text_no_longer(content)
            }
            Change::Content { content } => {
                let uses = self.text_uses.remove(content);
                self.unused -= 1;
                ensure(uses == Some(0), "it forgets a text that is still used or never existed")
            }
            Change::Marked { scope, position, tokens } => {
                let place = self.rows.places.get(&(*scope, *position));
                let open = place.is_some_and(|it| it.to_seq.is_none());
                ensure(open && *tokens >= 0, "it marks a place that is not shown")
            }
        }
    }

    fn uses_text_no_longer(&mut self, content: Option<ContentNo>) -> Checked {
        let uses = content.and_then(|content| self.text_uses.get_mut(&content));
        match uses {
            Some(count) if *count > 0 => {
                *count -= 1;
                self.unused += i64::from(*count == 0);
                Ok(())
            }
            _ => Err("what it forgets does not exist".into()),
        }
    }
}
