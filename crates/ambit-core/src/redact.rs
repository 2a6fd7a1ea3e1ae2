//! Redacts the texts of commands: messages, arguments of calls, replies, notes and objects. Media,
//! parts of unknown types, ids, names and unknown fields are not redacted, because a changed
//! signature or encrypted block is useless.

use ambit_text::redact::{Redacted, Redaction, in_words};

use crate::{
    AddInsight, Append, Command, Counted, CountedTurn, Fork, Form, Goto, OpenScope, Put, Rejoin,
    WriteNote,
};

/// A command without the secrets in its texts, and the warnings about them.
pub type Cleared = (Command, Vec<String>);

type Count<'a> = &'a dyn Fn(&str) -> i64;

impl Command {
    /// Returns the redacted command, or `None` if there is no secret in it and nothing was copied.
    pub fn redacted(&self, redaction: &Redaction, count: Count<'_>) -> Option<Cleared> {
        match self {
            Command::Scope(OpenScope { name, note }) => {
                let (note, said) = redacted_note(note, redaction, count)?;
                Some((Command::Scope(OpenScope { name: name.clone(), note }), said))
            }
            Command::Goto(Goto { name, note }) => {
                let (note, said) = redacted_note(note, redaction, count)?;
                Some((Command::Goto(Goto { name: name.clone(), note }), said))
            }
            Command::Note(WriteNote { message }) => {
                let (message, said) = redacted_note(message, redaction, count)?;
                Some((Command::Note(WriteNote { message }), said))
            }
            Command::Insight(AddInsight { message }) => {
                let (message, said) = redacted_note(message, redaction, count)?;
                Some((Command::Insight(AddInsight { message }), said))
            }
            Command::Append(Append { messages }) => redacted_messages(messages, redaction, count),
            Command::Put(put) => {
                let (text, said) = redacted_note(&put.text, redaction, count)?;
                Some((Command::Put(Put { text, ..put.clone() }), said))
            }
            Command::Fork(Fork { name, task, inherit }) => {
                let (task, said) = redacted_note(task, redaction, count)?;
                Some((Command::Fork(Fork { name: name.clone(), task, inherit: *inherit }), said))
            }
            Command::Rejoin(Rejoin { child, note: Some(note), deep }) => {
                let (note, said) = redacted_note(note, redaction, count)?;
                let (child, deep, note) = (child.clone(), *deep, Some(note));
                Some((Command::Rejoin(Rejoin { child, note, deep }), said))
            }
            Command::Enter(_)
            | Command::Leave(_)
            | Command::Focus(_)
            | Command::Break
            // A revert only uses texts that are stored already.
            | Command::Revert(_)
            | Command::Visit(_)
            | Command::Place(_)
            | Command::Rejoin(Rejoin { note: None, .. })
            | Command::Abandon(_)
            | Command::Tidy(_)
            | Command::Retract(_)
            | Command::Rewind(_)
            | Command::Set(_)
            | Command::Forget(_) => None,
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

/// The largest number of messages that warnings name one by one; the others are counted.
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
    Some((Command::Append(Append { messages }), warnings))
}
