//! Requests and answers about forgetting.

use serde::{Deserialize, Serialize};

use std::collections::BTreeSet;

use crate::command::{Decided, Verb};
use crate::decide::Draft;
use crate::redact::{Cleared, Redactor};
use crate::{Context, ItemNo, Needs};

/// Forgets one batch of a selection.
#[derive(Clone, Debug)]
pub struct Forget {
    pub what: ForgetSelection,
    /// The sum of the answers to the previous batches.
    pub so_far: ForgetAnswer,
    /// The selection, as text.
    pub selection: String,
}

impl Verb for Forget {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.selected = self.what.clone();
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        // The selection itself, because part of what it selects may have been forgotten before.
        ["forget", &self.selection, ""].into_iter().for_each(part);
    }

    fn redacted(&self, _by: &Redactor<'_>) -> Option<Cleared> {
        None
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.forget(&self.what, &self.so_far)
    }
}

/// The selected items, and the turns whose shape is selected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForgetSelection {
    pub items: BTreeSet<ItemNo>,
    pub shapes: BTreeSet<i64>,
    /// The limit for counting the uses of a text. One more than the number of selected items and
    /// turns is enough to see that something else uses it.
    pub uses_max: i64,
}

/// How much was forgotten. Only numbers, because answers are stored under idempotency keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgetAnswer {
    /// Blocks of messages, and notes, that now show a mark.
    pub blocks: i64,
    pub notes: i64,
    /// Versions of objects.
    #[serde(default)]
    pub versions: i64,
    /// Turns whose shape was forgotten.
    pub shapes: i64,
    /// Texts that were deleted.
    pub texts: i64,
    /// The last event that forgot something.
    pub head: i64,
}
