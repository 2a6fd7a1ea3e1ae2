//! Messages as people bring them: JSON lines or a JSON array in OpenAI Chat form.

use ambit_core::Rejection;
use ambit_core::json::mend_surrogates;
use ambit_core::wire::{CountedTurn, openai, parse_json};
use serde_json::value::RawValue;

use crate::{Result, tokens};

/// Messages, parsed and counted, with what had to be mended on the way.
#[derive(Debug, Default)]
pub struct MessageSource {
    pub(crate) turns: Vec<CountedTurn>,
    pub warnings: Vec<String>,
}

impl MessageSource {
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }
}

/// Reads messages from bytes: a JSON array, or one JSON object per line. `progress` is told how
/// many bytes are done.
pub fn parse_messages(bytes: &[u8], progress: &dyn Fn(u64)) -> Result<MessageSource> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Rejection::usage(
            format!("the input is not UTF-8: byte {} is at fault", error.valid_up_to() + 1),
            "convert it to UTF-8 first",
        )
    })?;
    // Some editors begin a file with a mark of its encoding.
    let (text, mended) = mend_surrogates(text.trim_start_matches('\u{FEFF}'));
    let mut source = MessageSource::default();
    let parsed = if text.trim_start().starts_with('[') {
        parse_array(&text, &mut source, progress)
    } else {
        parse_lines(&text, &mut source, progress)
    };
    parsed?;
    if mended > 0 {
        let noun = if mended == 1 { "lone surrogate" } else { "lone surrogates" };
        source.warnings.push(format!("{mended} {noun} became U+FFFD"));
    }
    Ok(source)
}

fn parse_array(
    text: &str,
    source: &mut MessageSource,
    progress: &dyn Fn(u64),
) -> std::result::Result<(), Rejection> {
    let messages: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| {
        Rejection::usage(
            format!("the input is not a JSON array: {error}"),
            "give one array of messages, or one JSON object per line",
        )
    })?;
    let mut done = 0;
    for (index, message) in messages.into_iter().enumerate() {
        let turn = parse_one(message.get());
        source.turns.push(turn.map_err(|error| at("message", index, error))?);
        done += message.get().len() as u64;
        progress(done);
    }
    Ok(())
}

fn parse_lines(
    text: &str,
    source: &mut MessageSource,
    progress: &dyn Fn(u64),
) -> std::result::Result<(), Rejection> {
    let mut done = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        done += line.len() as u64;
        let line = line.trim();
        if !line.is_empty() {
            let turn = parse_one(line);
            source.turns.push(turn.map_err(|error| at("line", index, error))?);
        }
        progress(done);
    }
    Ok(())
}

fn parse_one(text: &str) -> std::result::Result<CountedTurn, Rejection> {
    Ok(openai::parse(parse_json(text)?)?.counted(&count))
}

pub(crate) fn count(text: &str) -> i64 {
    i64::try_from(tokens::count(text)).unwrap_or(i64::MAX)
}

fn at(what: &str, index: usize, error: Rejection) -> Rejection {
    let message = format!("{what} {}: {}", index + 1, error.message);
    Rejection { message, ..error }
}
