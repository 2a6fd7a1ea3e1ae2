//! Redacts the texts of commands: messages, arguments of calls, replies, notes and objects. Media,
//! parts of unknown types, ids, names and unknown fields are not redacted, because a changed
//! signature or encrypted block is useless.

use ambit_text::redact::{Redacted, Redaction, in_words};

use crate::{Command, Counted, CountedTurn, Form};

/// A command without the secrets in its texts, and the warnings about them.
pub type Cleared = (Command, Vec<String>);

/// Redacts texts and counts their tokens again. Each method returns the redacted texts with
/// warnings, or `None` if there is no secret in them.
pub(crate) struct Redactor<'a> {
    pub redaction: &'a Redaction,
    pub count: &'a dyn Fn(&str) -> i64,
}

/// The largest number of messages that warnings name one by one; the others are counted.
const NAMED_MAX: usize = 20;

impl Redactor<'_> {
    pub fn text(&self, text: &Counted) -> Option<(Counted, Vec<String>)> {
        let Redacted { text, found } = self.redaction.redact(&text.text)?;
        Some((self.counted(text), in_words(&found)))
    }

    fn counted(&self, text: String) -> Counted {
        let tokens = (self.count)(&text);
        Counted::new(text, tokens)
    }

    pub fn messages(&self, messages: &[CountedTurn]) -> Option<(Vec<CountedTurn>, Vec<String>)> {
        let mut cleared = Vec::new();
        for (index, turn) in messages.iter().enumerate() {
            for (number, block) in turn.blocks.iter().enumerate() {
                if matches!(block.form, Form::Text | Form::Call | Form::Reply)
                    && let Some(redacted) = self.redaction.redact(&block.text.text)
                {
                    cleared.push((index, number, redacted));
                }
            }
        }
        if cleared.is_empty() {
            return None;
        }
        let mut messages = messages.to_vec();
        let mut said: Vec<(usize, Vec<&'static str>)> = Vec::new();
        for (index, number, Redacted { text, found }) in cleared {
            let turn = &mut messages[index];
            let block = &mut turn.blocks[number];
            turn.bytes += text.len() as i64 - block.text.text.len() as i64;
            block.text = self.counted(text);
            match said.last_mut() {
                Some((last, all)) if *last == index => all.extend(found),
                _ => said.push((index, found)),
            }
        }
        let words = |(index, found): &(usize, Vec<&'static str>)| {
            let number = index + 1;
            in_words(found).into_iter().map(move |words| format!("message {number}: {words}"))
        };
        let mut warnings: Vec<_> = said.iter().take(NAMED_MAX).flat_map(words).collect();
        if let Some(more) = said.len().checked_sub(NAMED_MAX).filter(|more| *more > 0) {
            warnings.push(format!("secrets were redacted in {more} more of the messages"));
        }
        Some((messages, warnings))
    }
}
