//! Splits messages into blocks and shapes, and restores them.

use crate::json::{Json, Map};

use crate::format::format_of;
use crate::{Form, Format, Malformed, Role, anthropic, openai, responses};

/// The tokens that a provider adds to every message for its delimiters and its role.
pub const MESSAGE_TOKENS: i64 = 4;

/// One parsed message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    pub role: Role,
    pub blocks: Vec<TurnBlock>,
    /// `None` if the message is only a role and a text, which all formats write the same way.
    pub shape: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnBlock {
    pub form: Form,
    pub text: String,
    /// For a call, its id.
    pub call_id: Option<String>,
    /// For a block of a reply, the id of the call that it answers.
    pub reply_to: Option<String>,
}

impl TurnBlock {
    pub fn new(form: Form, text: impl Into<String>) -> TurnBlock {
        TurnBlock { form, text: text.into(), call_id: None, reply_to: None }
    }
}

impl Turn {
    /// Creates a turn of these blocks. Every turn has at least one: an empty turn needs a place and
    /// a handle too.
    pub(crate) fn new(role: Role, mut blocks: Vec<TurnBlock>, shape: Option<String>) -> Turn {
        if blocks.is_empty() {
            blocks.push(TurnBlock::new(Form::Other, ""));
        }
        Turn { role, blocks, shape }
    }
}

/// The tokens of an image, a sound or a file: the upper end of the providers' prices for an image
/// with default detail.
pub const MEDIA_TOKENS: i64 = 1_600;

/// Parses messages. In Responses, consecutive items of a model make one turn.
pub fn parse(format: Format, messages: Vec<Json>) -> Result<Vec<Turn>, Malformed> {
    match format {
        Format::Responses => responses::parse(messages),
        Format::Openai | Format::Anthropic => {
            let parse = if format == Format::Openai { openai::parse } else { anthropic::parse };
            let turn = |(index, message)| {
                parse(message).map_err(|malformed| Malformed { index, ..malformed })
            };
            messages.into_iter().enumerate().map(turn).collect()
        }
    }
}

/// Restores the message as it was appended, even if a provider would refuse it. Several items of
/// Responses that make one turn become a list.
pub fn restore(role: Role, shape: Option<&str>, texts: &[&str]) -> String {
    let Some(shape) = shape else {
        return plain(role, texts.first().copied().unwrap_or_default());
    };
    let (format, rest) = format_of(shape);
    let Ok(rest) = Json::parse(rest) else {
        return shape.to_string();
    };
    let message = match format {
        Format::Openai => openai::restore(rest, texts),
        Format::Responses => responses::restore(rest, texts),
        Format::Anthropic => anthropic::restore(rest, texts),
    };
    message.to_string()
}

/// Parses a message that is only a role and a text.
pub fn plain(role: Role, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 40);
    out.push_str("{\"role\":\"");
    out.push_str(role.as_str());
    out.push_str("\",\"content\":");
    out.push_str(&quote(text));
    out.push('}');
    out
}

pub(crate) fn quote(text: &str) -> String {
    // Writing a string as JSON cannot fail.
    serde_json::to_string(text).unwrap_or_default()
}

/// Returns a message of only a role and a text, in the usual order.
pub(crate) fn is_plain(message: &Map) -> bool {
    message.len() == 2
        && message.keys().map(String::as_str).eq(["role", "content"])
        && message.get("content").is_some_and(Json::is_number)
}

/// Moves a string into a block and replaces it by the block's number.
pub(crate) fn take(slot: &mut Json, mut block: TurnBlock, blocks: &mut Vec<TurnBlock>) {
    let number = Json::from(blocks.len());
    if let Json::String(text) = std::mem::replace(slot, number) {
        block.text = text;
        blocks.push(block);
    }
}

/// Moves a whole part into a block and replaces it by the block's number.
pub(crate) fn take_whole(part: &mut Json, mut block: TurnBlock, blocks: &mut Vec<TurnBlock>) {
    block.text = part.to_string();
    *part = Json::from(blocks.len());
    blocks.push(block);
}

/// Replaces a block's number by its text.
pub(crate) fn put(slot: &mut Json, texts: &[&str]) {
    if let Some(number) = slot.as_u64() {
        *slot = Json::from(texts.get(number as usize).copied().unwrap_or_default());
    }
}

/// Replaces a block's number by its part. Returns false if there is no number.
pub(crate) fn put_whole(slot: &mut Json, texts: &[&str]) -> bool {
    let Some(number) = slot.as_u64() else {
        return false;
    };
    let text = texts.get(number as usize).copied().unwrap_or_default();
    *slot = Json::parse(text).unwrap_or(Json::Null);
    true
}
