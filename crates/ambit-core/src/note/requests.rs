//! Requests and answers about notes and insights.

use serde::{Deserialize, Serialize};

use crate::command::{Decided, Verb};
use crate::decide::Draft;
use crate::redact::{Cleared, Redactor};
use crate::{Command, Context, Counted, Hash, ItemNo, Needs};

/// Writes a note in the working scope.
#[derive(Clone, Debug)]
pub struct WriteNote {
    pub message: Counted,
}

impl Verb for WriteNote {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.for_note(&self.message);
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["note", &self.message.text, ""].into_iter().for_each(part);
    }

    fn redacted(&self, by: &Redactor<'_>) -> Option<Cleared> {
        let (message, warnings) = by.text(&self.message)?;
        Some((Command::Note(WriteNote { message }), warnings))
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.note(&self.message)
    }

    fn brings_texts(&self) -> bool {
        true
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NoteAnswer {
    pub hash: String,
    pub scope: String,
    pub head: i64,
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// Writes an insight: a note of the whole vault.
#[derive(Clone, Debug)]
pub struct AddInsight {
    pub message: Counted,
}

impl Verb for AddInsight {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.for_note(&self.message);
        needs.reach.insights = true;
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["insight", &self.message.text, ""].into_iter().for_each(part);
    }

    fn redacted(&self, by: &Redactor<'_>) -> Option<Cleared> {
        let (message, warnings) = by.text(&self.message)?;
        Some((Command::Insight(AddInsight { message }), warnings))
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.insight(&self.message)
    }

    fn brings_texts(&self) -> bool {
        true
    }
}

/// Retracts an insight.
#[derive(Clone, Debug)]
pub struct RetractInsight {
    pub item: ItemNo,
    pub hash: Hash,
}

impl Verb for RetractInsight {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.selected.items.insert(self.item);
        needs.reach.insights = true;
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["retract", &self.hash.to_hex(), ""].into_iter().for_each(part);
    }

    fn redacted(&self, _by: &Redactor<'_>) -> Option<Cleared> {
        None
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.retract(self.item, &self.hash)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct InsightAnswer {
    pub hash: String,
    pub retracted: bool,
    /// The number of insights in the vault after the command.
    pub insights: i64,
    /// The event that wrote or retracted the insight. It is not the head of the working scope.
    pub event: i64,
    #[serde(default)]
    pub warnings: Vec<String>,
}
