//! The elements of a turn: its content, independent of its format. Elements reference blocks by
//! their numbers.

use crate::json::Json;

use crate::format::format_of;
use crate::{CallKind, Form, Format, Role, anthropic, openai, responses};

#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    Text(usize),
    Reasoning(usize),
    Call(Call),
    /// Everything that answers one call.
    Reply {
        blocks: Vec<usize>,
        error: bool,
    },
    /// Media, and parts that exist only in their own format.
    Opaque(usize),
}

/// A call in a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub block: usize,
    pub id: String,
    pub name: String,
    pub kind: CallKind,
}

/// Returns the elements of a turn, and its format.
pub fn elements(role: Role, shape: Option<&str>, forms: &[Form]) -> (Format, Vec<Element>) {
    let parsed =
        shape.map(format_of).and_then(|(format, rest)| Some((format, Json::parse(rest).ok()?)));
    let Some((format, rest)) = parsed else {
        let element = match role {
            Role::Tool => Element::Reply { blocks: vec![0], error: false },
            _ => Element::Text(0),
        };
        return (Format::Openai, vec![element]);
    };
    let elements = match format {
        Format::Openai => openai::elements(role, &rest, forms),
        Format::Responses => responses::elements(&rest, forms),
        Format::Anthropic => anthropic::elements(&rest, forms),
    };
    (format, elements)
}

/// Returns the calls of a turn, in the order of their blocks.
pub fn calls(role: Role, shape: Option<&str>, forms: &[Form]) -> Vec<Call> {
    if !forms.contains(&Form::Call) {
        return Vec::new();
    }
    let called = |element| match element {
        Element::Call(called) => Some(called),
        _ => None,
    };
    let mut calls: Vec<_> = elements(role, shape, forms).1.into_iter().filter_map(called).collect();
    calls.sort_by_key(|call| call.block);
    calls
}

/// Returns the element for a block's number.
pub(super) fn numbered(slot: &Json, forms: &[Form]) -> Option<Element> {
    let number = usize::try_from(slot.as_u64()?).ok()?;
    Some(match forms.get(number)? {
        Form::Text | Form::Reply => Element::Text(number),
        Form::Reasoning => Element::Reasoning(number),
        Form::Media | Form::Other | Form::Call => Element::Opaque(number),
    })
}

/// Returns the number of the block in a slot.
pub(super) fn number(slot: Option<&Json>) -> Option<usize> {
    slot.and_then(Json::as_u64).and_then(|number| usize::try_from(number).ok())
}

/// Returns the readable part of a model's thinking: a summary, or the thoughts themselves.
pub(super) fn thoughts(json: &str) -> Option<String> {
    let part = Json::parse(json).ok()?;
    let listed = |field: &str| -> Option<String> {
        let all = part.get(field)?.as_array()?.iter();
        let all: Vec<&str> = all.filter_map(|it| it.get("text")?.as_str()).collect();
        Some(all.join("\n"))
    };
    let said = part.get("thinking").and_then(Json::as_str).map(str::to_string);
    let said = said.or_else(|| listed("content")).or_else(|| listed("summary"));
    said.filter(|text| !text.trim().is_empty())
}
