//! Anthropic Messages: messages in and out. Replies come in a user's message, several at a time;
//! thinking is signed and passes through as it is.

use serde_json::{Map, Value, json};

use super::media::carried;
use super::mend::shown_name;
use super::openai::{reply_text, thinking};
use super::piece::{Called, Piece, number, numbered};
use super::sheet::Sheet;
use super::taken::is_taken;
use super::{
    CallKind, Format, Given, Message, Turn, TurnBlock, is_plain, put, put_whole, shape_in, take,
    take_whole,
};
use crate::json::exact;
use crate::{Form, Rejection, Role};

/// Takes one message apart. Unknown fields stay in the shape. The system prompt, which stands apart
/// in a request, may be given as a message of that role.
pub fn parse(message: Value) -> Result<Turn, Rejection> {
    let Value::Object(mut message) = message else {
        return Err(bad("a message is a JSON object"));
    };
    let role = match message.get("role").and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("system") => Role::System,
        Some(word) => return Err(bad(&format!("{word:?} is no role: it is user or assistant"))),
        None => return Err(bad("a message has a role")),
    };
    let mut blocks = Vec::new();
    match message.get_mut("content") {
        None | Some(Value::Null) => {}
        Some(content @ Value::String(_)) => {
            take(content, TurnBlock::new(Form::Text, ""), &mut blocks);
        }
        Some(Value::Array(parts)) => {
            parts.iter_mut().try_for_each(|part| take_part(part, role, &mut blocks))?;
        }
        Some(_) => return Err(bad("content is a string or a list of blocks")),
    }
    let replies = blocks.iter().any(|block| block.reply_to.is_some());
    let role = if replies && role == Role::User { Role::Tool } else { role };
    let shape = (!is_plain(&message)).then(|| shape_in(Format::Anthropic, &Value::Object(message)));
    Ok(Turn::new(role, blocks, shape))
}

fn take_part(part: &mut Value, role: Role, blocks: &mut Vec<TurnBlock>) -> Result<(), Rejection> {
    let Some(kind) = part.get("type").and_then(Value::as_str) else {
        return Err(bad("a block of a content is an object with a type"));
    };
    let form = match kind {
        "text" => {
            return match part.get_mut("text") {
                Some(text @ Value::String(_)) => {
                    take(text, TurnBlock::new(Form::Text, ""), blocks);
                    Ok(())
                }
                _ => Err(bad("a block of type text has a text")),
            };
        }
        "tool_use" if role == Role::Assistant => return take_call(part, blocks),
        "tool_result" if role == Role::User => return take_reply(part, blocks),
        "thinking" | "redacted_thinking" => Form::Reasoning,
        "image" | "document" => Form::Media,
        _ => Form::Other,
    };
    take_whole(part, TurnBlock::new(form, ""), blocks);
    Ok(())
}

fn take_call(part: &mut Value, blocks: &mut Vec<TurnBlock>) -> Result<(), Rejection> {
    let Some(id) = part.get("id").and_then(Value::as_str).map(str::to_string) else {
        return Err(bad("a tool_use has an id"));
    };
    if part.get("name").and_then(Value::as_str).is_none_or(str::is_empty) {
        return Err(bad("a tool_use has a name"));
    }
    let block = TurnBlock { call_id: Some(id), ..TurnBlock::new(Form::Call, "") };
    match part.get_mut("input") {
        Some(input) => take_whole(input, block, blocks),
        None => return Err(bad("a tool_use has an input")),
    }
    Ok(())
}

/// A reply without a content has a block all the same: it answers a call.
const ABSENT: &str = "absent";
const NULL: &str = "null";
const EMPTY: &str = "empty";

fn take_reply(part: &mut Value, blocks: &mut Vec<TurnBlock>) -> Result<(), Rejection> {
    let Some(id) = part.get("tool_use_id").and_then(Value::as_str).map(str::to_string) else {
        return Err(bad("a tool_result has a tool_use_id"));
    };
    let block = |form| TurnBlock { reply_to: Some(id.clone()), ..TurnBlock::new(form, "") };
    let hollow = match part.get_mut("content") {
        None => ABSENT,
        Some(Value::Null) => NULL,
        Some(Value::Array(parts)) if parts.is_empty() => EMPTY,
        Some(content @ Value::String(_)) => {
            take(content, block(Form::Reply), blocks);
            return Ok(());
        }
        Some(Value::Array(parts)) => {
            for part in parts {
                let kind = part.get("type").and_then(Value::as_str);
                match (kind, part.get("text")) {
                    (Some("text"), Some(Value::String(_))) => {
                        take(&mut part["text"], block(Form::Reply), blocks);
                    }
                    (Some("text") | None, _) => {
                        return Err(bad(
                            "a block of a tool_result has a type, and a text its text",
                        ));
                    }
                    (Some("image" | "document"), _) => take_whole(part, block(Form::Media), blocks),
                    _ => take_whole(part, block(Form::Other), blocks),
                }
            }
            return Ok(());
        }
        Some(_) => return Err(bad("a tool_result's content is a string or a list of blocks")),
    };
    part["content"] = json!({ hollow: blocks.len() });
    blocks.push(block(Form::Other));
    Ok(())
}

fn bad(why: &str) -> Rejection {
    Rejection::usage(
        why,
        "messages are in Anthropic's form, such as {\"role\":\"user\",\"content\":\"hello\"}",
    )
}

/// The message as it was.
pub(super) fn restore(mut message: Value, texts: &[&str]) -> Value {
    match message.get_mut("content") {
        Some(Value::Array(parts)) => parts.iter_mut().for_each(|part| restore_part(part, texts)),
        Some(content) => put(content, texts),
        None => {}
    }
    message
}

fn restore_part(part: &mut Value, texts: &[&str]) {
    if put_whole(part, texts) {
        return;
    }
    match part.get("type").and_then(Value::as_str) {
        Some("text") => put(&mut part["text"], texts),
        Some("tool_use") => drop(put_whole(&mut part["input"], texts)),
        Some("tool_result") => match part.get_mut("content") {
            Some(Value::Array(parts)) => parts.iter_mut().for_each(|part| {
                if !put_whole(part, texts)
                    && let Some(slot) = part.get_mut("text")
                {
                    put(slot, texts);
                }
            }),
            Some(Value::Object(_)) => restore_hollow(part),
            Some(content) => put(content, texts),
            None => {}
        },
        _ => {}
    }
}

/// A reply without a content, as it was.
fn restore_hollow(part: &mut Value) {
    let hollow = |word| part.get("content").is_some_and(|content| content.get(word).is_some());
    if hollow(EMPTY) {
        part["content"] = json!([]);
    } else if hollow(NULL) {
        part["content"] = Value::Null;
    } else if let Some(part) = part.as_object_mut() {
        part.shift_remove("content");
    }
}

/// What a message says.
pub(super) fn pieces(message: &Value, forms: &[Form]) -> Vec<Piece> {
    match message.get("content") {
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| piece(part, forms)).collect(),
        Some(content) => numbered(content, forms).into_iter().collect(),
        None => Vec::new(),
    }
}

fn piece(part: &Value, forms: &[Form]) -> Option<Piece> {
    let word = |field: &str| part.get(field).and_then(Value::as_str).unwrap_or("").to_string();
    match part.get("type").and_then(Value::as_str) {
        Some("text") => numbered(part.get("text")?, forms),
        Some("tool_use") => Some(Piece::Call(Called {
            block: number(part.get("input"))?,
            id: word("id"),
            name: word("name"),
            kind: CallKind::Function,
        })),
        Some("tool_result") => {
            let error = part.get("is_error").and_then(Value::as_bool).unwrap_or(false);
            Some(Piece::Reply { blocks: reply_blocks(part), error })
        }
        _ => numbered(part, forms),
    }
}

/// The blocks of a reply.
fn reply_blocks(part: &Value) -> Vec<usize> {
    match part.get("content") {
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|it| number(Some(it.get("text").unwrap_or(it)))).collect()
        }
        Some(Value::Object(hollow)) => hollow.values().filter_map(|it| number(Some(it))).collect(),
        content => number(content).into_iter().collect(),
    }
}

/// The fields that a provider needs of a message.
const KNOWN: [&str; 2] = ["role", "content"];

/// Writes a message in its own format.
pub(super) fn native(out: &mut Sheet, said: &Message<'_>, message: Value) {
    let Value::Object(mut message) = message else {
        return;
    };
    if said.bare {
        message.retain(|field, _| KNOWN.contains(&field.as_str()));
    }
    match message.get_mut("content").map(Value::take) {
        Some(Value::Array(parts)) => {
            let parts = parts.into_iter().flat_map(|part| put_part(out, part, said)).collect();
            push(out, said.role, parts, message);
        }
        Some(content) => {
            let text = said.at(&content).map(|(_, block)| block.text.as_ref()).unwrap_or_default();
            if said.role == Role::System {
                out.instruct(text);
            } else if !text.trim().is_empty() {
                out.push_string(said.role, text, message);
            }
        }
        None => {}
    }
}

/// A block as a provider takes it; none where nothing is left of it, or several where a reply has
/// become text.
fn put_part(out: &mut Sheet, mut part: Value, said: &Message<'_>) -> Vec<Value> {
    if let Some((at, block)) = said.at(&part) {
        let role = if said.role == Role::Tool { Role::User } else { said.role };
        return whole(out, at, block, role).into_iter().collect();
    }
    // Marks for a cache are set anew.
    if let Some(part) = part.as_object_mut() {
        part.shift_remove("cache_control");
    }
    match part.get("type").and_then(Value::as_str) {
        Some("text") => {
            let text = part.get("text").and_then(|slot| said.at(slot));
            let text = text.map(|(_, block)| block.text.to_string()).unwrap_or_default();
            if text.trim().is_empty() {
                return Vec::new();
            }
            part["text"] = Value::from(text);
            vec![part]
        }
        Some("tool_use") => {
            let block = part.get("input").and_then(|slot| said.at(slot));
            let Some((block, id)) = block.and_then(|(_, it)| Some((it, it.id.as_ref()?))) else {
                return Vec::new();
            };
            let name = part.get("name").and_then(Value::as_str).unwrap_or_default();
            part["name"] = Value::from(shown_name(name));
            part["id"] = Value::from(id.as_str());
            part["input"] = input(&block.text);
            vec![part]
        }
        Some("tool_result") => put_reply(out, part, said),
        _ => vec![part],
    }
}

fn put_reply(out: &mut Sheet, mut part: Value, said: &Message<'_>) -> Vec<Value> {
    let blocks = reply_blocks(&part);
    let id = blocks.first().and_then(|at| said.blocks.get(*at)).and_then(|it| it.id.clone());
    let Some(id) = id else {
        let error = part.get("is_error").and_then(Value::as_bool).unwrap_or(false);
        return text_part(&reply_text(out, said, &blocks, error)).into_iter().collect();
    };
    part["tool_use_id"] = Value::from(id);
    match part["content"].take() {
        Value::Array(parts) => {
            // An error is told in text alone.
            let error = part.get("is_error").and_then(Value::as_bool).unwrap_or(false);
            let role = if error { Role::System } else { Role::Tool };
            let kept = parts.into_iter().filter_map(|part| put_reply_part(out, part, said, role));
            part["content"] = Value::Array(kept.collect());
        }
        slot @ Value::Number(_) => {
            part["content"] = said.at(&slot).map_or(Value::Null, |(_, it)| it.text.as_ref().into());
        }
        hollow => {
            part["content"] = hollow;
            restore_hollow(&mut part);
        }
    }
    vec![part]
}

fn put_reply_part(
    out: &mut Sheet,
    mut part: Value,
    said: &Message<'_>,
    role: Role,
) -> Option<Value> {
    if let Some((at, block)) = said.at(&part) {
        return whole(out, at, block, role);
    }
    let (_, block) = part.get("text").and_then(|slot| said.at(slot))?;
    let text = block.text.to_string();
    part["text"] = Value::from(text.as_str());
    part.as_object_mut()?.shift_remove("cache_control");
    (!text.trim().is_empty()).then_some(part)
}

/// A whole part: as it is where a provider takes it there, or a text that names it.
fn whole(out: &mut Sheet, at: usize, block: &Given<'_>, role: Role) -> Option<Value> {
    let part = exact(&block.text).ok().filter(|_| block.instead.is_none());
    let taken = part.as_ref().is_some_and(|part| is_taken(Format::Anthropic, part, role));
    match (taken, part, block.form) {
        (true, Some(mut part), _) => {
            if let (Some(part), true) = (part.as_object_mut(), block.form != Form::Reasoning) {
                part.shift_remove("cache_control");
            }
            Some(part)
        }
        (_, _, Form::Reasoning) => {
            out.as_text(at, block);
            text_part(&thinking(block))
        }
        _ => {
            out.as_text(at, block);
            text_part(&block.named())
        }
    }
}

fn text_part(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

/// A call's arguments: an object, whatever they were.
fn input(arguments: &str) -> Value {
    match exact(arguments) {
        Ok(object @ Value::Object(_)) => object,
        _ if arguments.trim().is_empty() => json!({}),
        _ => json!({ "input": arguments }),
    }
}

/// Orders a message's blocks as a provider wants them, and writes it: replies first, thinking
/// before its calls and never last.
fn push(out: &mut Sheet, role: Role, mut parts: Vec<Value>, rest: Map<String, Value>) {
    fn kind(part: &Value) -> &str {
        part.get("type").and_then(Value::as_str).unwrap_or_default()
    }
    let thinks = |part: &Value| matches!(kind(part), "thinking" | "redacted_thinking");
    match role {
        Role::System => {
            let text = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_string);
            parts.iter().filter_map(text).for_each(|text| out.instruct(&text));
            return;
        }
        Role::Assistant => {
            let call = parts.iter().position(|part| kind(part) == "tool_use");
            if call.is_some_and(|call| parts[call..].iter().any(thinks)) {
                parts.sort_by_key(|part| !thinks(part));
            }
            while parts.last().is_some_and(thinks) {
                parts.pop();
            }
        }
        _ => parts.sort_by_key(|part| kind(part) != "tool_result"),
    }
    if !parts.is_empty() {
        out.push_blocks(role, parts, rest);
    }
}

/// Writes what a turn of another format says.
pub(super) fn foreign(out: &mut Sheet, said: &Message<'_>, from: Format, pieces: &[Piece]) {
    let mut parts = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(at) => parts.extend(text_part(&said.blocks[*at].text)),
            Piece::Reasoning(at) => {
                out.as_text(*at, &said.blocks[*at]);
                parts.extend(text_part(&thinking(&said.blocks[*at])));
            }
            Piece::Part(at) => parts.extend(part(out, *at, said, from)),
            Piece::Call(called) => {
                let block = &said.blocks[called.block];
                if let Some(id) = &block.id {
                    let (name, input) = (shown_name(&called.name), input(&block.text));
                    parts.push(json!({"type": "tool_use", "id": id, "name": name, "input": input}));
                }
            }
            Piece::Reply { blocks, error } => parts.extend(reply(out, said, from, blocks, *error)),
        }
    }
    push(out, said.role, parts, Map::new());
}

fn part(out: &mut Sheet, at: usize, said: &Message<'_>, from: Format) -> Option<Value> {
    let block = &said.blocks[at];
    let taken = matches!(said.role, Role::User | Role::Tool);
    carried(block, from, Format::Anthropic).filter(|_| taken).or_else(|| {
        out.as_text(at, block);
        text_part(&block.named())
    })
}

fn reply(
    out: &mut Sheet,
    said: &Message<'_>,
    from: Format,
    blocks: &[usize],
    error: bool,
) -> Option<Value> {
    let Some(id) = blocks.first().and_then(|at| said.blocks[*at].id.as_ref()) else {
        return text_part(&reply_text(out, said, blocks, error));
    };
    let mut parts = Vec::new();
    for at in blocks {
        let block = &said.blocks[*at];
        match block.form {
            Form::Text | Form::Reply => parts.extend(text_part(&block.text)),
            _ if error => {
                out.as_text(*at, block);
                parts.extend(text_part(&block.named()));
            }
            _ => parts.extend(part(out, *at, said, from)),
        }
    }
    let mut reply = json!({"type": "tool_result", "tool_use_id": id});
    match parts.as_slice() {
        [] => {}
        [Value::Object(only)] if only.get("type") == Some(&json!("text")) => {
            reply["content"] = only["text"].clone();
        }
        _ => reply["content"] = Value::Array(parts),
    }
    if error {
        reply["is_error"] = Value::Bool(true);
    }
    Some(reply)
}

/// A reply to a call.
pub(super) fn closing(call_id: &str, text: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": call_id, "content": text})
}
