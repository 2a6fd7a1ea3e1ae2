//! Anthropic Messages: reads and writes messages. A user's message holds the replies, several at a
//! time; thinking is signed and passes through unchanged.

use crate::json::{Json, Map, json};

use crate::accepted::is_accepted;
use crate::elements::{Call, Element, number, numbered};
use crate::format::shape_in;
use crate::media::carried;
use crate::message::{is_plain, put, put_whole, take, take_whole};
use crate::names::shown_name;
use crate::openai::{reply_text, thinking};
use crate::writer::RequestWriter;
use crate::{CallKind, Form, Format, Malformed, Problem, Role, ShownTurn, Turn, TurnBlock};

/// Parses one message. Unknown fields stay in the shape. The system prompt, which is a separate
/// field of a request, may be given as a message of that role.
pub fn parse(message: Json) -> Result<Turn, Malformed> {
    take_message(message).map_err(|problem| problem.in_message(Format::Anthropic, 0))
}

fn take_message(message: Json) -> Result<Turn, Problem> {
    let Json::Object(mut message) = message else {
        return Err(Problem::NotAnObject);
    };
    let role = match message.get("role").and_then(Json::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("system") => Role::System,
        Some(word) => {
            let (role, expected) = (word.to_string(), "user, assistant or system");
            return Err(Problem::RoleUnknown { role, expected });
        }
        None => return Err(Problem::RoleMissing),
    };
    let mut blocks = Vec::new();
    match message.get_mut("content") {
        None | Some(Json::Null) => {}
        Some(content @ Json::String(_)) => {
            take(content, TurnBlock::new(Form::Text, ""), &mut blocks);
        }
        Some(Json::Array(parts)) => {
            parts.iter_mut().try_for_each(|part| take_part(part, role, &mut blocks))?;
        }
        Some(_) => {
            return Err(Problem::field("a message", "content", "a string or a list of blocks"));
        }
    }
    let replies = blocks.iter().any(|block| block.reply_to.is_some());
    let role = if replies && role == Role::User { Role::Tool } else { role };
    let shape = (!is_plain(&message)).then(|| shape_in(Format::Anthropic, &Json::Object(message)));
    Ok(Turn::new(role, blocks, shape))
}

fn take_part(part: &mut Json, role: Role, blocks: &mut Vec<TurnBlock>) -> Result<(), Problem> {
    let Some(kind) = part.get("type").and_then(Json::as_str) else {
        return Err(Problem::field("a content block", "type", "a string"));
    };
    let form = match kind {
        "text" => {
            return match part.get_mut("text") {
                Some(text @ Json::String(_)) => {
                    take(text, TurnBlock::new(Form::Text, ""), blocks);
                    Ok(())
                }
                _ => Err(Problem::field("a text block", "text", "a string")),
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

fn take_call(part: &mut Json, blocks: &mut Vec<TurnBlock>) -> Result<(), Problem> {
    let Some(id) = part.get("id").and_then(Json::as_str).map(str::to_string) else {
        return Err(Problem::field("a tool_use", "id", "a string"));
    };
    if part.get("name").and_then(Json::as_str).is_none_or(str::is_empty) {
        return Err(Problem::field("a tool_use", "name", "a string that is not empty"));
    }
    let block = TurnBlock { call_id: Some(id), ..TurnBlock::new(Form::Call, "") };
    match part.get_mut("input") {
        Some(input) => take_whole(input, block, blocks),
        None => return Err(Problem::field("a tool_use", "input", "a value")),
    }
    Ok(())
}

/// Adds a block for a reply without content, because the reply still answers a call.
const ABSENT: &str = "absent";
const NULL: &str = "null";
const EMPTY: &str = "empty";

fn take_reply(part: &mut Json, blocks: &mut Vec<TurnBlock>) -> Result<(), Problem> {
    let Some(id) = part.get("tool_use_id").and_then(Json::as_str).map(str::to_string) else {
        return Err(Problem::field("a tool_result", "tool_use_id", "a string"));
    };
    let block = |form| TurnBlock { reply_to: Some(id.clone()), ..TurnBlock::new(form, "") };
    let hollow = match part.get_mut("content") {
        None => ABSENT,
        Some(Json::Null) => NULL,
        Some(Json::Array(parts)) if parts.is_empty() => EMPTY,
        Some(content @ Json::String(_)) => {
            take(content, block(Form::Reply), blocks);
            return Ok(());
        }
        Some(Json::Array(parts)) => {
            for part in parts {
                let kind = part.get("type").and_then(Json::as_str);
                match (kind, part.get("text")) {
                    (Some("text"), Some(Json::String(_))) => {
                        take(&mut part["text"], block(Form::Reply), blocks);
                    }
                    (Some("text") | None, _) => {
                        return Err(Problem::field(
                            "a tool_result",
                            "content",
                            "blocks with a type, texts with a text",
                        ));
                    }
                    (Some("image" | "document"), _) => take_whole(part, block(Form::Media), blocks),
                    _ => take_whole(part, block(Form::Other), blocks),
                }
            }
            return Ok(());
        }
        Some(_) => {
            return Err(Problem::field("a tool_result", "content", "a string or a list of blocks"));
        }
    };
    part["content"] = json!({ hollow: blocks.len() });
    blocks.push(block(Form::Other));
    Ok(())
}

/// Restores the original message.
pub(crate) fn restore(mut message: Json, texts: &[&str]) -> Json {
    match message.get_mut("content") {
        Some(Json::Array(parts)) => parts.iter_mut().for_each(|part| restore_part(part, texts)),
        Some(content) => put(content, texts),
        None => {}
    }
    message
}

fn restore_part(part: &mut Json, texts: &[&str]) {
    if put_whole(part, texts) {
        return;
    }
    match part.get("type").and_then(Json::as_str) {
        Some("text") => put(&mut part["text"], texts),
        Some("tool_use") => drop(put_whole(&mut part["input"], texts)),
        Some("tool_result") => match part.get_mut("content") {
            Some(Json::Array(parts)) => parts.iter_mut().for_each(|part| {
                if !put_whole(part, texts)
                    && let Some(slot) = part.get_mut("text")
                {
                    put(slot, texts);
                }
            }),
            Some(Json::Object(_)) => restore_hollow(part),
            Some(content) => put(content, texts),
            None => {}
        },
        _ => {}
    }
}

/// Restores a reply without content.
fn restore_hollow(part: &mut Json) {
    let hollow = |word| part.get("content").is_some_and(|content| content.get(word).is_some());
    if hollow(EMPTY) {
        part["content"] = Json::Array(Vec::new());
    } else if hollow(NULL) {
        part["content"] = Json::Null;
    } else if let Some(part) = part.as_object_mut() {
        part.shift_remove("content");
    }
}

/// Returns the elements of a message.
pub(crate) fn elements(message: &Json, forms: &[Form]) -> Vec<Element> {
    match message.get("content") {
        Some(Json::Array(parts)) => parts.iter().filter_map(|part| element(part, forms)).collect(),
        Some(content) => numbered(content, forms).into_iter().collect(),
        None => Vec::new(),
    }
}

fn element(part: &Json, forms: &[Form]) -> Option<Element> {
    let word = |field: &str| part.get(field).and_then(Json::as_str).unwrap_or("").to_string();
    match part.get("type").and_then(Json::as_str) {
        Some("text") => numbered(part.get("text")?, forms),
        Some("tool_use") => Some(Element::Call(Call {
            block: number(part.get("input"))?,
            id: word("id"),
            name: word("name"),
            kind: CallKind::Function,
        })),
        Some("tool_result") => {
            let error = part.get("is_error").and_then(Json::as_bool).unwrap_or(false);
            Some(Element::Reply { blocks: reply_blocks(part), error })
        }
        _ => numbered(part, forms),
    }
}

/// Returns the blocks of a reply.
fn reply_blocks(part: &Json) -> Vec<usize> {
    match part.get("content") {
        Some(Json::Array(parts)) => {
            parts.iter().filter_map(|it| number(Some(it.get("text").unwrap_or(it)))).collect()
        }
        Some(Json::Object(hollow)) => hollow.values().filter_map(|it| number(Some(it))).collect(),
        content => number(content).into_iter().collect(),
    }
}

/// The fields of a message that a provider knows.
const KNOWN: [&str; 2] = ["role", "content"];

/// Writes a message in its own format.
pub(crate) fn native(out: &mut RequestWriter, said: &ShownTurn<'_>, message: Json) {
    let Json::Object(mut message) = message else {
        return;
    };
    if said.bare {
        message.retain(|field, _| KNOWN.contains(&field.as_str()));
    }
    match message.get_mut("content").map(Json::take) {
        Some(Json::Array(parts)) => {
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

/// Returns a block as a provider accepts it: no block if nothing remains of it, or several if a
/// reply became text.
fn put_part(out: &mut RequestWriter, mut part: Json, said: &ShownTurn<'_>) -> Vec<Json> {
    if let Some((at, _)) = said.at(&part) {
        let role = if said.role == Role::Tool { Role::User } else { said.role };
        return whole(out, said, at, role).into_iter().collect();
    }
    // The writer sets its own cache markers.
    if let Some(part) = part.as_object_mut() {
        part.shift_remove("cache_control");
    }
    match part.get("type").and_then(Json::as_str) {
        Some("text") => {
            let text = part.get("text").and_then(|slot| said.at(slot));
            let text = text.map(|(_, block)| block.text.to_string()).unwrap_or_default();
            if text.trim().is_empty() {
                return Vec::new();
            }
            part["text"] = Json::from(text);
            vec![part]
        }
        Some("tool_use") => {
            let block = part.get("input").and_then(|slot| said.at(slot));
            let Some((block, id)) = block.and_then(|(_, it)| Some((it, it.id.as_ref()?))) else {
                return Vec::new();
            };
            let name = part.get("name").and_then(Json::as_str).unwrap_or_default();
            part["name"] = Json::from(shown_name(name));
            part["id"] = Json::from(id.as_str());
            part["input"] = input(&block.text);
            vec![part]
        }
        Some("tool_result") => put_reply(out, part, said),
        _ => vec![part],
    }
}

fn put_reply(out: &mut RequestWriter, mut part: Json, said: &ShownTurn<'_>) -> Vec<Json> {
    let blocks = reply_blocks(&part);
    let id = blocks.first().and_then(|at| said.blocks.get(*at)).and_then(|it| it.id.clone());
    let Some(id) = id else {
        let error = part.get("is_error").and_then(Json::as_bool).unwrap_or(false);
        return text_part(&reply_text(out, said, &blocks, error)).into_iter().collect();
    };
    part["tool_use_id"] = Json::from(id);
    match part["content"].take() {
        Json::Array(parts) => {
            // A result with is_error holds only texts.
            let error = part.get("is_error").and_then(Json::as_bool).unwrap_or(false);
            let role = if error { Role::System } else { Role::Tool };
            let kept = parts.into_iter().filter_map(|part| put_reply_part(out, part, said, role));
            part["content"] = Json::Array(kept.collect());
        }
        slot @ Json::Number(_) => {
            part["content"] = said.at(&slot).map_or(Json::Null, |(_, it)| it.text.as_ref().into());
        }
        hollow => {
            part["content"] = hollow;
            restore_hollow(&mut part);
        }
    }
    vec![part]
}

fn put_reply_part(
    out: &mut RequestWriter,
    mut part: Json,
    said: &ShownTurn<'_>,
    role: Role,
) -> Option<Json> {
    if let Some((at, _)) = said.at(&part) {
        return whole(out, said, at, role);
    }
    let (_, block) = part.get("text").and_then(|slot| said.at(slot))?;
    let text = block.text.to_string();
    part["text"] = Json::from(text.as_str());
    part.as_object_mut()?.shift_remove("cache_control");
    (!text.trim().is_empty()).then_some(part)
}

/// Returns a whole part unchanged if a provider accepts it there, or a text that names it.
fn whole(out: &mut RequestWriter, said: &ShownTurn<'_>, at: usize, role: Role) -> Option<Json> {
    let block = &said.blocks[at];
    let part = Json::parse(&block.text).ok().filter(|_| block.instead.is_none());
    let taken = part.as_ref().is_some_and(|part| is_accepted(Format::Anthropic, part, role));
    match (taken, part, block.form) {
        (true, Some(mut part), _) => {
            if let (Some(part), true) = (part.as_object_mut(), block.form != Form::Reasoning) {
                part.shift_remove("cache_control");
            }
            Some(part)
        }
        (_, _, Form::Reasoning) => text_part(&thinking(out, said, at)),
        _ => text_part(&out.named(said, at)),
    }
}

fn text_part(text: &str) -> Option<Json> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

/// Returns a call's arguments as an object, which the provider requires.
fn input(arguments: &str) -> Json {
    match Json::parse(arguments) {
        Ok(object @ Json::Object(_)) => object,
        _ if arguments.trim().is_empty() => json!({}),
        _ => json!({ "input": arguments }),
    }
}

/// Writes a message with its blocks in the order that the provider requires: replies first,
/// thinking before its calls and never last.
fn push(out: &mut RequestWriter, role: Role, mut parts: Vec<Json>, rest: Map) {
    fn kind(part: &Json) -> &str {
        part.get("type").and_then(Json::as_str).unwrap_or_default()
    }
    let thinks = |part: &Json| matches!(kind(part), "thinking" | "redacted_thinking");
    match role {
        Role::System => {
            let text = |part: &Json| part.get("text").and_then(Json::as_str).map(str::to_string);
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

/// Writes a turn of another format.
pub(crate) fn foreign(
    out: &mut RequestWriter,
    said: &ShownTurn<'_>,
    from: Format,
    elements: &[Element],
) {
    let mut parts = Vec::new();
    for element in elements {
        match element {
            Element::Text(at) => parts.extend(text_part(&said.blocks[*at].text)),
            Element::Reasoning(at) => parts.extend(text_part(&thinking(out, said, *at))),
            Element::Opaque(at) => parts.extend(part(out, *at, said, from)),
            Element::Call(called) => {
                let block = &said.blocks[called.block];
                if let Some(id) = &block.id {
                    let (name, input) = (shown_name(&called.name), input(&block.text));
                    parts.push(json!({"type": "tool_use", "id": id, "name": name, "input": input}));
                }
            }
            Element::Reply { blocks, error } => {
                parts.extend(reply(out, said, from, blocks, *error))
            }
        }
    }
    push(out, said.role, parts, Map::new());
}

fn part(out: &mut RequestWriter, at: usize, said: &ShownTurn<'_>, from: Format) -> Option<Json> {
    let block = &said.blocks[at];
    let taken = matches!(said.role, Role::User | Role::Tool);
    let whole = carried(block, from, Format::Anthropic).filter(|_| taken);
    whole.or_else(|| text_part(&out.named(said, at)))
}

fn reply(
    out: &mut RequestWriter,
    said: &ShownTurn<'_>,
    from: Format,
    blocks: &[usize],
    error: bool,
) -> Option<Json> {
    let Some(id) = blocks.first().and_then(|at| said.blocks[*at].id.as_ref()) else {
        return text_part(&reply_text(out, said, blocks, error));
    };
    let mut parts = Vec::new();
    for at in blocks {
        let block = &said.blocks[*at];
        match block.form {
            Form::Text | Form::Reply => parts.extend(text_part(&block.text)),
            _ if error => parts.extend(text_part(&out.named(said, *at))),
            _ => parts.extend(part(out, *at, said, from)),
        }
    }
    let mut reply = json!({"type": "tool_result", "tool_use_id": id});
    match parts.as_slice() {
        [] => {}
        [only] if only["type"].as_str() == Some("text") => {
            reply["content"] = only["text"].clone();
        }
        _ => reply["content"] = Json::Array(parts),
    }
    if error {
        reply["is_error"] = Json::Bool(true);
    }
    Some(reply)
}

/// Returns a reply to a call.
pub(crate) fn closing(call_id: &str, text: &str) -> Json {
    json!({"type": "tool_result", "tool_use_id": call_id, "content": text})
}
