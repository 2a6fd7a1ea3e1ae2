//! Wire formats: how providers write a conversation. A message becomes a turn of blocks, each a
//! text of its own, and a shape: the rest of the message, where numbers stand for blocks. A turn is
//! written again in the format it came in, or, by its pieces, in another.

use serde_json::Value;

use crate::json::exact;
use crate::{Counted, Form, Rejection, Role, digest};

pub mod anthropic;
mod edit;
pub mod forgotten;
mod media;
mod mend;
pub mod openai;
mod piece;
pub mod responses;
mod sheet;
mod taken;
pub mod traces;

pub use edit::{CallKind, Given, Handle, Message};
pub use mend::shown_id;
pub use piece::{Called, calls};
pub use sheet::{Sheet, Written};

/// How a provider writes a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// OpenAI Chat Completions.
    Openai,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
}

impl Format {
    pub const ALL: [Format; 3] = [Format::Openai, Format::Responses, Format::Anthropic];
    pub const WORDS: [&str; 3] =
        [Format::Openai.as_str(), Format::Responses.as_str(), Format::Anthropic.as_str()];

    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Openai => "openai",
            Format::Responses => "responses",
            Format::Anthropic => "anthropic",
        }
    }

    pub fn parse(word: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.as_str() == word)
    }
}

/// What a provider adds to every message: its frame and its role.
pub const MESSAGE_TOKENS: i64 = 4;

/// One message, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    pub role: Role,
    pub blocks: Vec<TurnBlock>,
    /// None where the message is just a role and a text, which all formats write alike.
    pub shape: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnBlock {
    pub form: Form,
    pub text: String,
    /// For a call, its id.
    pub call_id: Option<String>,
    /// For what belongs to a reply, the id of the call that it answers.
    pub reply_to: Option<String>,
}

impl TurnBlock {
    pub fn new(form: Form, text: impl Into<String>) -> TurnBlock {
        TurnBlock { form, text: text.into(), call_id: None, reply_to: None }
    }
}

/// A turn with its tokens, ready to be decided on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedTurn {
    pub role: Role,
    pub blocks: Vec<CountedBlock>,
    pub shape: Option<Counted>,
    pub bytes: i64,
}

/// A block with its tokens. Ids are short hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedBlock {
    pub form: Form,
    pub text: Counted,
    pub call_id: Option<i64>,
    pub reply_to: Option<i64>,
}

impl Turn {
    /// A turn of these blocks; every turn has one, so that an empty one has a place and a handle.
    fn new(role: Role, mut blocks: Vec<TurnBlock>, shape: Option<String>) -> Turn {
        if blocks.is_empty() {
            blocks.push(TurnBlock::new(Form::Other, ""));
        }
        Turn { role, blocks, shape }
    }

    /// Counts a turn's tokens. Media is counted by a formula, for its bytes are no text.
    pub fn counted(self, count: &dyn Fn(&str) -> i64) -> CountedTurn {
        let shape_bytes = self.shape.as_ref().map_or(0, String::len);
        let bytes = shape_bytes + self.blocks.iter().map(|block| block.text.len()).sum::<usize>();
        let counted = |block: TurnBlock| {
            let tokens = match block.form {
                Form::Media => MEDIA_TOKENS,
                _ => count(&block.text),
            };
            CountedBlock {
                form: block.form,
                text: Counted::new(block.text, tokens),
                call_id: block.call_id.map(|id| digest(id.as_bytes())),
                reply_to: block.reply_to.map(|id| digest(id.as_bytes())),
            }
        };
        CountedTurn {
            role: self.role,
            blocks: self.blocks.into_iter().map(counted).collect(),
            shape: self.shape.map(|shape| {
                let tokens = count(&shape);
                Counted::new(shape, tokens)
            }),
            bytes: bytes as i64,
        }
    }
}

/// What an image, a sound or a file counts as: the upper end of what providers charge for an image
/// in their default detail.
pub const MEDIA_TOKENS: i64 = 1_600;

/// One message of JSON, its numbers and key order as they were written.
pub fn parse_json(text: &str) -> Result<Value, Rejection> {
    exact(text).map_err(|error| {
        Rejection::usage(
            format!("this is not JSON: {error}"),
            "a message is one JSON object, such as {\"role\":\"user\",\"content\":\"hello\"}",
        )
    })
}

/// Messages in order, taken apart. With Responses, items that a model gave one after another are
/// one turn. `error` is told which message is at fault.
pub fn parse(
    format: Format,
    messages: Vec<Value>,
    error: &dyn Fn(usize, Rejection) -> Rejection,
) -> Result<Vec<Turn>, Rejection> {
    match format {
        Format::Responses => responses::parse(messages, error),
        Format::Openai | Format::Anthropic => {
            let parse = if format == Format::Openai { openai::parse } else { anthropic::parse };
            let turn = |(at, message)| parse(message).map_err(|rejection| error(at, rejection));
            messages.into_iter().enumerate().map(turn).collect()
        }
    }
}

/// A shape says which format it is in, where that is not Chat.
fn shape_in(format: Format, rest: &Value) -> String {
    match format {
        Format::Openai => rest.to_string(),
        _ => format!("{} {rest}", format.as_str()),
    }
}

/// The format of a shape, and the rest of the message.
fn format_of(shape: &str) -> (Format, &str) {
    match shape.split_once(' ').and_then(|(word, rest)| Some((Format::parse(word)?, rest))) {
        Some((format, rest)) => (format, rest),
        None => (Format::Openai, shape),
    }
}

/// Whether a turn's shape is in a format; without one it is in all.
pub fn is_own_format(format: Format, shape: Option<&str>) -> bool {
    shape.is_none_or(|shape| format_of(shape).0 == format)
}

/// The message as it was appended, whether or not a provider would take it. Several items of
/// Responses that make one turn are a list.
pub fn restore(role: Role, shape: Option<&str>, texts: &[&str]) -> String {
    let Some(shape) = shape else {
        return plain(role, texts.first().copied().unwrap_or_default());
    };
    let (format, rest) = format_of(shape);
    let Ok(rest) = exact(rest) else {
        return shape.to_string();
    };
    let message = match format {
        Format::Openai => openai::restore(rest, texts),
        Format::Responses => responses::restore(rest, texts),
        Format::Anthropic => anthropic::restore(rest, texts),
    };
    message.to_string()
}

/// A message that is just a role and a text.
pub fn plain(role: Role, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 40);
    out.push_str("{\"role\":\"");
    out.push_str(role.as_str());
    out.push_str("\",\"content\":");
    out.push_str(&quote(text));
    out.push('}');
    out
}

fn quote(text: &str) -> String {
    // Writing a string as JSON cannot fail.
    serde_json::to_string(text).unwrap_or_default()
}

/// Just a role and a text, in the order in which everybody writes them.
fn is_plain(message: &serde_json::Map<String, Value>) -> bool {
    message.len() == 2
        && message.keys().map(String::as_str).eq(["role", "content"])
        && message.get("content").is_some_and(Value::is_number)
}

/// Moves a string into a block and leaves the block's number in its place.
fn take(slot: &mut Value, mut block: TurnBlock, blocks: &mut Vec<TurnBlock>) {
    let number = Value::from(blocks.len());
    if let Value::String(text) = std::mem::replace(slot, number) {
        block.text = text;
        blocks.push(block);
    }
}

/// Moves a whole part into a block and leaves the block's number in its place.
fn take_whole(part: &mut Value, mut block: TurnBlock, blocks: &mut Vec<TurnBlock>) {
    block.text = part.to_string();
    *part = Value::from(blocks.len());
    blocks.push(block);
}

/// Puts a block's text where its number stands.
fn put(slot: &mut Value, texts: &[&str]) {
    if let Some(number) = slot.as_u64() {
        *slot = Value::from(texts.get(number as usize).copied().unwrap_or_default());
    }
}

/// Puts a whole part where its number stands. False where none does.
fn put_whole(slot: &mut Value, texts: &[&str]) -> bool {
    let Some(number) = slot.as_u64() else {
        return false;
    };
    let text = texts.get(number as usize).copied().unwrap_or_default();
    *slot = exact(text).unwrap_or(Value::Null);
    true
}
