//! Wire formats: how providers write a conversation. A message becomes a turn of blocks, each a
//! text of its own, and a shape: the rest of the message, where numbers stand for blocks.

use serde_json::Value;

use crate::json::exact;
use crate::{Counted, Form, Rejection, Role, digest};

pub mod forgotten;
pub mod openai;

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

    pub fn as_str(self) -> &'static str {
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
    /// None where the message is just a role and a text.
    pub shape: Option<String>,
    /// For a reply, the id of the call it answers.
    pub reply_to: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnBlock {
    pub form: Form,
    pub text: String,
    /// For a call, its id.
    pub call_id: Option<String>,
}

/// A turn with its tokens, ready to be decided on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedTurn {
    pub role: Role,
    pub blocks: Vec<CountedBlock>,
    pub shape: Option<Counted>,
    /// A short hash of the id of the call it answers.
    pub reply_to: Option<i64>,
    pub bytes: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedBlock {
    pub form: Form,
    pub text: Counted,
    pub call_id: Option<i64>,
}

impl Turn {
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
            }
        };
        CountedTurn {
            role: self.role,
            blocks: self.blocks.into_iter().map(counted).collect(),
            shape: self.shape.map(|shape| {
                let tokens = count(&shape);
                Counted::new(shape, tokens)
            }),
            reply_to: self.reply_to.map(|id| digest(id.as_bytes())),
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
