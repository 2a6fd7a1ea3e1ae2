//! The formats, and how a stored shape names its own.

use crate::json::Json;

/// The message format of a provider's API.
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

/// Returns a shape with the name of its format in front, unless the format is Chat.
pub(crate) fn shape_in(format: Format, rest: &Json) -> String {
    match format {
        Format::Openai => rest.to_string(),
        _ => format!("{} {rest}", format.as_str()),
    }
}

/// Returns the format of a shape, and the rest of the message.
pub(crate) fn format_of(shape: &str) -> (Format, &str) {
    match shape.split_once(' ').and_then(|(word, rest)| Some((Format::parse(word)?, rest))) {
        Some((format, rest)) => (format, rest),
        None => (Format::Openai, shape),
    }
}

/// Returns whether a turn's shape is in a format; a turn without a shape is in all.
pub fn is_own_format(format: Format, shape: Option<&str>) -> bool {
    shape.is_none_or(|shape| format_of(shape).0 == format)
}
