//! Pieces: what a turn says, whatever format it came in. They name blocks by their numbers.

use serde_json::Value;

use super::{CallKind, Format, anthropic, format_of, openai, responses};
use crate::json::exact;
use crate::{Form, Role};

#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Text(usize),
    Reasoning(usize),
    Call(Called),
    /// All that answers one call.
    Reply {
        blocks: Vec<usize>,
        error: bool,
    },
    /// Media, and parts that only their own format knows.
    Part(usize),
}

/// A call, as a shape has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    pub block: usize,
    pub id: String,
    pub name: String,
    pub kind: CallKind,
}

/// What a turn says, and the format it came in.
pub fn pieces(role: Role, shape: Option<&str>, forms: &[Form]) -> (Format, Vec<Piece>) {
    let parsed = shape.map(format_of).and_then(|(format, rest)| Some((format, exact(rest).ok()?)));
    let Some((format, rest)) = parsed else {
        let piece = match role {
            Role::Tool => Piece::Reply { blocks: vec![0], error: false },
            _ => Piece::Text(0),
        };
        return (Format::Openai, vec![piece]);
    };
    let pieces = match format {
        Format::Openai => openai::pieces(role, &rest, forms),
        Format::Responses => responses::pieces(&rest, forms),
        Format::Anthropic => anthropic::pieces(&rest, forms),
    };
    (format, pieces)
}

/// The calls of a turn, in the order of their blocks.
pub fn calls(role: Role, shape: Option<&str>, forms: &[Form]) -> Vec<Called> {
    if !forms.contains(&Form::Call) {
        return Vec::new();
    }
    let called = |piece| match piece {
        Piece::Call(called) => Some(called),
        _ => None,
    };
    let mut calls: Vec<_> = pieces(role, shape, forms).1.into_iter().filter_map(called).collect();
    calls.sort_by_key(|call| call.block);
    calls
}

/// The piece that a block's number stands for.
pub(super) fn numbered(slot: &Value, forms: &[Form]) -> Option<Piece> {
    let number = usize::try_from(slot.as_u64()?).ok()?;
    Some(match forms.get(number)? {
        Form::Text | Form::Reply => Piece::Text(number),
        Form::Reasoning => Piece::Reasoning(number),
        Form::Media | Form::Other | Form::Call => Piece::Part(number),
    })
}

/// The number of a block in a slot.
pub(super) fn number(slot: Option<&Value>) -> Option<usize> {
    slot.and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
}

/// What a model's thinking says, as far as it can be read: a summary, or the thoughts themselves.
pub(super) fn thoughts(json: &str) -> Option<String> {
    let part: Value = serde_json::from_str(json).ok()?;
    let listed = |field: &str| -> Option<String> {
        let all = part.get(field)?.as_array()?.iter();
        let all: Vec<&str> = all.filter_map(|it| it.get("text")?.as_str()).collect();
        Some(all.join("\n"))
    };
    let said = part.get("thinking").and_then(Value::as_str).map(str::to_string);
    let said = said.or_else(|| listed("content")).or_else(|| listed("summary"));
    said.filter(|text| !text.trim().is_empty())
}
