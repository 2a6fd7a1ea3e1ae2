//! OpenAI Responses: reads and writes items. One output of a model (thinking, text, calls) is
//! several items, which make one turn.

mod write;

use crate::json::{Json, json};

use crate::elements::{Call, Element, number, numbered};
use crate::format::shape_in;
use crate::message::{is_plain, put, put_whole, take, take_whole};
use crate::{CallKind, Form, Format, Malformed, Problem, Role, Turn, TurnBlock};

pub(crate) use write::{closing, foreign, native};

/// Parses items in order. Consecutive items of a model make one turn.
pub fn parse(items: Vec<Json>) -> Result<Vec<Turn>, Malformed> {
    let mut turns = Vec::new();
    let (mut group, mut blocks) = (Vec::new(), Vec::new());
    for (at, mut item) in items.into_iter().enumerate() {
        let given = is_given(&item);
        if !given && !group.is_empty() {
            turns.push(turn(Role::Assistant, std::mem::take(&mut group), blocks));
            blocks = Vec::new();
        }
        let role = take_item(&mut item, &mut blocks)
            .map_err(|problem| problem.in_message(Format::Responses, at))?;
        if given {
            group.push(item);
        } else {
            turns.push(turn(role, vec![item], std::mem::take(&mut blocks)));
        }
    }
    if !group.is_empty() {
        turns.push(turn(Role::Assistant, group, blocks));
    }
    Ok(turns)
}

/// Returns whether an item is output of a model.
fn is_given(item: &Json) -> bool {
    match item.get("type").and_then(Json::as_str).unwrap_or("message") {
        "message" => item.get("role").and_then(Json::as_str) == Some("assistant"),
        kind => !(kind.ends_with("_output") && item.get("call_id").is_some_and(Json::is_string)),
    }
}

fn turn(role: Role, mut items: Vec<Json>, blocks: Vec<TurnBlock>) -> Turn {
    let shape = match items.as_slice() {
        [Json::Object(only)] if is_plain(only) => None,
        [_] => items.pop().map(|item| shape_in(Format::Responses, &item)),
        _ => Some(shape_in(Format::Responses, &Json::Array(items))),
    };
    Turn::new(role, blocks, shape)
}

/// Parses an item, and returns its role.
fn take_item(item: &mut Json, blocks: &mut Vec<TurnBlock>) -> Result<Role, Problem> {
    if !item.is_object() {
        return Err(Problem::NotAnObject);
    }
    let kind = item.get("type").map(|kind| kind.as_str().unwrap_or_default());
    let kind = kind.unwrap_or("message").to_string();
    match kind.as_str() {
        "message" => return take_message(item, blocks),
        "function_call" => take_call(item, "arguments", blocks)?,
        "custom_tool_call" => take_call(item, "input", blocks)?,
        "reasoning" => take_whole(item, TurnBlock::new(Form::Reasoning, ""), blocks),
        "" => return Err(Problem::field("an item", "type", "a string that is not empty")),
        _ => {
            let id = item.get("call_id").and_then(Json::as_str).map(str::to_string);
            if kind.ends_with("_output") && id.is_some() {
                take_output(item, id, blocks)?;
                return Ok(Role::Tool);
            }
            let Some(id) = id else {
                take_whole(item, TurnBlock::new(Form::Other, ""), blocks);
                return Ok(Role::Assistant);
            };
            // A call of a special kind waits for a reply like any other.
            let block = TurnBlock { call_id: Some(id.clone()), ..TurnBlock::new(Form::Call, "") };
            take_whole(item, block, blocks);
            *item = json!({"type": kind, "call_id": id, WHOLE: item.take()});
        }
    }
    Ok(Role::Assistant)
}

/// The field with the block number of a call, or an output, of a special kind.
const WHOLE: &str = "whole";

fn take_message(item: &mut Json, blocks: &mut Vec<TurnBlock>) -> Result<Role, Problem> {
    let role = match item.get("role").and_then(Json::as_str) {
        None => return Err(Problem::RoleMissing),
        Some(word) => Role::parse(word).filter(|role| *role != Role::Tool).ok_or_else(|| {
            let expected = "system, developer, user or assistant";
            Problem::RoleUnknown { role: word.to_string(), expected }
        })?,
    };
    match item.get_mut("content") {
        None | Some(Json::Null) => {}
        Some(content @ Json::String(_)) => {
            take(content, TurnBlock::new(Form::Text, ""), blocks);
        }
        Some(Json::Array(parts)) => {
            for part in parts {
                take_part(part, TurnBlock::new(Form::Text, ""), blocks)?;
            }
        }
        Some(_) => {
            return Err(Problem::field("a message", "content", "a string or a list of parts"));
        }
    }
    Ok(role)
}

/// Returns the field that holds a part's text.
fn text_field(kind: &str) -> Option<&'static str> {
    match kind {
        "input_text" | "output_text" | "text" => Some("text"),
        "refusal" => Some("refusal"),
        _ => None,
    }
}

fn take_part(
    part: &mut Json,
    block: TurnBlock,
    blocks: &mut Vec<TurnBlock>,
) -> Result<(), Problem> {
    let Some(kind) = part.get("type").and_then(Json::as_str) else {
        return Err(Problem::field("a content part", "type", "a string"));
    };
    if let Some(field) = text_field(kind) {
        return match part.get_mut(field) {
            Some(text @ Json::String(_)) => {
                take(text, block, blocks);
                Ok(())
            }
            _ => Err(Problem::field("a text part", field, "a string")),
        };
    }
    let media = matches!(kind, "input_image" | "input_file" | "input_audio");
    let form = if media { Form::Media } else { Form::Other };
    take_whole(part, TurnBlock { form, ..block }, blocks);
    Ok(())
}

fn take_call(
    item: &mut Json,
    field: &'static str,
    blocks: &mut Vec<TurnBlock>,
) -> Result<(), Problem> {
    let Some(id) = item.get("call_id").and_then(Json::as_str).map(str::to_string) else {
        return Err(Problem::field("a call", "call_id", "a string"));
    };
    if item.get("name").and_then(Json::as_str).is_none_or(str::is_empty) {
        return Err(Problem::field("a call", "name", "a string that is not empty"));
    }
    let block = TurnBlock { call_id: Some(id), ..TurnBlock::new(Form::Call, "") };
    match item.get_mut(field) {
        Some(text @ Json::String(_)) => take(text, block, blocks),
        _ => return Err(Problem::field("a call", field, "a string")),
    }
    Ok(())
}

fn take_output(
    item: &mut Json,
    id: Option<String>,
    blocks: &mut Vec<TurnBlock>,
) -> Result<(), Problem> {
    let block = |form| TurnBlock { reply_to: id.clone(), ..TurnBlock::new(form, "") };
    let before = blocks.len();
    match item.get_mut("output") {
        Some(output @ Json::String(_)) => take(output, block(Form::Reply), blocks),
        Some(Json::Array(parts)) => {
            for part in parts {
                take_part(part, block(Form::Reply), blocks)?;
            }
        }
        // An output of a special kind, such as a screenshot.
        Some(output @ Json::Object(_)) => {
            take_whole(output, block(Form::Media), blocks);
            *output = json!({ WHOLE: output.take() });
        }
        _ => {}
    }
    if blocks.len() == before {
        blocks.push(block(Form::Other));
    }
    Ok(())
}

/// Restores the original items.
pub(crate) fn restore(items: Json, texts: &[&str]) -> Json {
    match items {
        Json::Array(items) => items.into_iter().map(|item| restore_item(item, texts)).collect(),
        item => restore_item(item, texts),
    }
}

fn restore_item(mut item: Json, texts: &[&str]) -> Json {
    if put_whole(&mut item, texts) {
        return item;
    }
    if let Some(whole) = item.get_mut(WHOLE).filter(|whole| whole.is_number()) {
        put_whole(whole, texts);
        return whole.take();
    }
    let kind = item.get("type").and_then(Json::as_str).unwrap_or("message");
    let field = match kind {
        "message" => "content",
        "function_call" => "arguments",
        "custom_tool_call" => "input",
        _ => "output",
    };
    match item.get_mut(field) {
        Some(Json::Array(parts)) => parts.iter_mut().for_each(|part| {
            let kind = part.get("type").and_then(Json::as_str).and_then(text_field);
            if !put_whole(part, texts)
                && let Some(slot) = kind.and_then(|field| part.get_mut(field))
            {
                put(slot, texts);
            }
        }),
        Some(output @ Json::Object(_)) => {
            if let Some(whole) = output.get_mut(WHOLE) {
                put_whole(whole, texts);
                *output = whole.take();
            }
        }
        Some(slot) => put(slot, texts),
        None => {}
    }
    item
}

/// Returns whether an output's kind exists only in this format.
fn is_own_kind(item: &Json) -> bool {
    let kind = item.get("type").and_then(Json::as_str).unwrap_or_default();
    kind.ends_with("_output") && !matches!(kind, "function_call_output" | "custom_tool_call_output")
}

fn all_items(items: &Json) -> &[Json] {
    match items {
        Json::Array(items) => items,
        item => std::slice::from_ref(item),
    }
}

/// Returns the elements of items.
pub(crate) fn elements(items: &Json, forms: &[Form]) -> Vec<Element> {
    let mut all = Vec::new();
    for item in all_items(items) {
        let word = |field: &str| item.get(field).and_then(Json::as_str).unwrap_or("").to_string();
        let call = |field: &str, kind| {
            let block = number(item.get(field))?;
            Some(Element::Call(Call { block, id: word("call_id"), name: word("name"), kind }))
        };
        match item.get("type").and_then(Json::as_str).unwrap_or("message") {
            "message" if item.is_object() => match item.get("content") {
                Some(Json::Array(parts)) => {
                    all.extend(parts.iter().filter_map(|part| part_element(part, forms)));
                }
                Some(content) => all.extend(numbered(content, forms)),
                None => {}
            },
            "function_call" => all.extend(call("arguments", CallKind::Function)),
            "custom_tool_call" => all.extend(call("input", CallKind::Custom)),
            kind if item.get(WHOLE).is_some() => {
                let (block, id) = (number(item.get(WHOLE)), word("call_id"));
                let (name, kind) = (kind.to_string(), CallKind::Whole);
                all.extend(block.map(|block| Element::Call(Call { block, id, name, kind })));
            }
            _ if item.is_object() => {
                let blocks = (0..forms.len()).collect();
                all.push(Element::Reply { blocks, error: false });
            }
            _ => all.extend(numbered(item, forms)),
        }
    }
    all
}

fn part_element(part: &Json, forms: &[Form]) -> Option<Element> {
    let field = part.get("type").and_then(Json::as_str).and_then(text_field);
    numbered(field.and_then(|field| part.get(field)).unwrap_or(part), forms)
}
