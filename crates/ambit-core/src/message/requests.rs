//! Requests and answers about messages.

use serde::{Deserialize, Serialize};

use crate::command::{Decided, Verb};
use crate::decide::Draft;
use crate::redact::{Cleared, Redactor};
use crate::{Command, Context, CountedTurn, Needs};

/// Appends messages in order, all or none.
#[derive(Clone, Debug)]
pub struct Append {
    pub messages: Vec<CountedTurn>,
}

impl Verb for Append {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        for turn in &self.messages {
            needs.texts.extend(turn.blocks.iter().map(|block| block.text.text.clone()));
            needs.texts.extend(turn.shape.iter().map(|shape| shape.text.clone()));
        }
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        for turn in &self.messages {
            part(turn.role.as_str());
            turn.shape.iter().for_each(|shape| part(&shape.text));
            turn.blocks.iter().for_each(|block| part(&block.text.text));
        }
        ["append", &self.messages.len().to_string(), ""].into_iter().for_each(part);
    }

    fn redacted(&self, by: &Redactor<'_>) -> Option<Cleared> {
        let (messages, warnings) = by.messages(&self.messages)?;
        Some((Command::Append(Append { messages }), warnings))
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.append(&self.messages)
    }

    fn brings_texts(&self) -> bool {
        true
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AppendAnswer {
    pub scope: String,
    pub appended: i64,
    pub tokens: i64,
    pub head: i64,
    pub warnings: Vec<String>,
}

/// Hides all messages after a turn.
#[derive(Clone, Debug)]
pub struct Rewind {
    pub to: i64,
}

impl Verb for Rewind {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.turn = Some(self.to);
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["rewind", &self.to.to_string(), ""].into_iter().for_each(part);
    }

    fn redacted(&self, _by: &Redactor<'_>) -> Option<Cleared> {
        None
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.rewind(self.to)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RewindAnswer {
    pub scope: String,
    pub to: i64,
    /// The number of turns that are still shown.
    pub messages: i64,
    pub head: i64,
}
