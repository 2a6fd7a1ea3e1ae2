//! Which texts of a command are redacted: those of messages, calls' arguments, replies and notes.
//! Media, parts of unknown types, ids, names and unknown fields stay as they are: a signature or an
//! encrypted block that was touched is worth nothing.

use ambit_text::redact::{Redacted, Redaction, in_words};

use crate::{Command, Counted, CountedTurn, Form, Put};

/// A command without the secrets in its texts, and what there is to say of them.
pub type Cleared = (Command, Vec<String>);

type Count<'a> = &'a dyn Fn(&str) -> i64;

impl Command {
    /// Whether it brings texts that are to be stored.
    pub fn brings_texts(&self) -> bool {
        match self {
            Command::Scope { .. }
            | Command::Goto { .. }
            | Command::Note { .. }
            | Command::Insight { .. }
            | Command::Put(_)
            | Command::Fork { .. }
            | Command::Rejoin { note: Some(_), .. }
            | Command::Append { .. } => true,
            Command::Enter { .. }
            | Command::Leave { .. }
            | Command::Focus { .. }
            | Command::Break
            // What it brings back is stored.
            | Command::Revert { .. }
            | Command::Visit { .. }
            | Command::Place { .. }
            | Command::Rejoin { note: None, .. }
            | Command::Abandon { .. }
            | Command::Tidy(_)
            | Command::Retract { .. }
            | Command::Rewind { .. }
            | Command::Set { .. }
            | Command::Forget { .. } => false,
        }
    }

    /// None where there is no secret in it: then nothing was copied.
    pub fn redacted(&self, redaction: &Redaction, count: Count<'_>) -> Option<Cleared> {
        match self {
            Command::Scope { name, note } => {
                let (note, said) = redacted_note(note, redaction, count)?;
                Some((Command::Scope { name: name.clone(), note }, said))
            }
            Command::Goto { name, note } => {
                let (note, said) = redacted_note(note, redaction, count)?;
                Some((Command::Goto { name: name.clone(), note }, said))
            }
            Command::Note { message } => {
                let (message, said) = redacted_note(message, redaction, count)?;
                Some((Command::Note { message }, said))
            }
            Command::Insight { message } => {
                let (message, said) = redacted_note(message, redaction, count)?;
                Some((Command::Insight { message }, said))
            }
            Command::Append { messages } => redacted_messages(messages, redaction, count),
            Command::Put(put) => {
                let (text, said) = redacted_note(&put.text, redaction, count)?;
                Some((Command::Put(Put { text, ..put.clone() }), said))
            }
            Command::Fork { name, task, inherit } => {
                let (task, said) = redacted_note(task, redaction, count)?;
                Some((Command::Fork { name: name.clone(), task, inherit: *inherit }, said))
            }
            Command::Rejoin { child, note: Some(note), deep } => {
                let (note, said) = redacted_note(note, redaction, count)?;
                let (child, deep, note) = (child.clone(), *deep, Some(note));
                Some((Command::Rejoin { child, note, deep }, said))
            }
            Command::Enter { .. }
            | Command::Leave { .. }
            | Command::Focus { .. }
            | Command::Break
            // What it brings back is stored.
            | Command::Revert { .. }
            | Command::Visit { .. }
            | Command::Place { .. }
            | Command::Rejoin { note: None, .. }
            | Command::Abandon { .. }
            | Command::Tidy(_)
            | Command::Retract { .. }
            | Command::Rewind { .. }
            | Command::Set { .. }
            | Command::Forget { .. } => None,
        }
    }
}

fn redacted_note(
    note: &Counted,
    redaction: &Redaction,
    count: Count<'_>,
) -> Option<(Counted, Vec<String>)> {
    let Redacted { text, found } = redaction.redact(&note.text)?;
    let tokens = count(&text);
    Some((Counted::new(text, tokens), in_words(&found)))
}

/// So many messages are named by their number; the others are counted.
const NAMED_MAX: usize = 20;

fn redacted_messages(
    messages: &[CountedTurn],
    redaction: &Redaction,
    count: Count<'_>,
) -> Option<Cleared> {
    let mut cleared = Vec::new();
    for (index, turn) in messages.iter().enumerate() {
        for (number, block) in turn.blocks.iter().enumerate() {
            if matches!(block.form, Form::Text | Form::Call | Form::Reply)
                && let Some(redacted) = redaction.redact(&block.text.text)
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
        let tokens = count(&text);
        block.text = Counted::new(text, tokens);
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
    Some((Command::Append { messages }, warnings))
}
