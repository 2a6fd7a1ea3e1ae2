//! Writing rows whose texts are forgotten.

use ambit_core::ContentNo;
use ambit_core::forget::Change;

use super::{At, values};
use crate::Result;

impl At<'_> {
    pub(super) fn write_forget(&mut self, change: &Change) -> Result<()> {
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
