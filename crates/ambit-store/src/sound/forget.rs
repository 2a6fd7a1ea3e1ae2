//! Checks forgotten texts in a log.

use ambit_core::ContentNo;
use ambit_core::forget::Change;

use super::{Checked, Sound, ensure};

impl Sound {
    pub(super) fn check_forget(&mut self, change: &Change) -> Checked {
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
