//! OpenAI Chat Completions: reads and writes messages.

use crate::json::{Json, Map, json};

use crate::accepted::is_accepted;
use crate::elements::{Call, Element, number, numbered, thoughts};
use crate::format::shape_in;
use crate::media::carried;
use crate::message::{is_plain, put, put_whole, quote, take, take_whole};
use crate::names::shown_name;
use crate::writer::RequestWriter;
use crate::{CallKind, Form, Format, Malformed, Problem, Role, ShownTurn, Turn, TurnBlock};

/// Parses one message. Unknown fields stay in the shape.
pub fn parse(message: Json) -> Result<Turn, Malformed> {
    take_message(message).map_err(|problem| problem.in_message(Format::Openai, 0))
}

fn take_message(message: Json) -> Result<Turn, Problem> {
    let Json::Object(mut message) = message else {
        return Err(Problem::NotAnObject);
    };
    let role = match message.get("role") {
        Some(Json::String(word)) => Role::parse(word).ok_or_else(|| {
            let expected = "system, developer, user, assistant or tool";
            Problem::RoleUnknown { role: word.clone(), expected }
        })?,
        _ => return Err(Problem::RoleMissing),
    };
    let mut blocks = Vec::new();
    take_content(role, &mut message, &mut blocks)?;
    if role == Role::Assistant {
        match message.get_mut("refusal") {
            Some(refusal @ Json::String(_)) => {
                take(refusal, TurnBlock::new(Form::Text, ""), &mut blocks);
            }
            None | Some(Json::Null) => {}
            Some(_) => return Err(Problem::field("a message", "refusal", "a string")),
        }
        take_calls(&mut message, &mut blocks)?;
    }
    let reply_to = match (role, message.get("tool_call_id")) {
        (Role::Tool, Some(Json::String(id))) => Some(id.clone()),
        (Role::Tool, Some(Json::Null) | None) => None,
        (Role::Tool, Some(_)) => {
            return Err(Problem::field("a message", "tool_call_id", "a string"));
        }
        _ => None,
    };
    let shape = (!is_plain(&message)).then(|| shape_in(Format::Openai, &Json::Object(message)));
    let mut turn = Turn::new(role, blocks, shape);
    turn.blocks.iter_mut().for_each(|block| block.reply_to.clone_from(&reply_to));
    Ok(turn)
}

fn take_content(role: Role, message: &mut Map, blocks: &mut Vec<TurnBlock>) -> Result<(), Problem> {
    let form = if role == Role::Tool { Form::Reply } else { Form::Text };
    match message.get_mut("content") {
        None | Some(Json::Null) => Ok(()),
        Some(content @ Json::String(_)) => {
            take(content, TurnBlock::new(form, ""), blocks);
            Ok(())
        }
        Some(Json::Array(parts)) => {
            parts.iter_mut().try_for_each(|part| take_part(part, form, blocks))
        }
        Some(_) => {
            Err(Problem::field("a message", "content", "a string, a list of parts, or null"))
        }
    }
}

fn take_part(part: &mut Json, form: Form, blocks: &mut Vec<TurnBlock>) -> Result<(), Problem> {
    let Some(kind) = part.get("type").and_then(Json::as_str) else {
        return Err(Problem::field("a content part", "type", "a string"));
    };
    let form = match (kind, part.get("text")) {
        ("text", Some(Json::String(_))) => {
            if let Some(text) = part.get_mut("text") {
                take(text, TurnBlock::new(form, ""), blocks);
            }
            return Ok(());
        }
        ("text", _) => return Err(Problem::field("a text part", "text", "a string")),
        ("image_url" | "input_audio" | "file", _) => Form::Media,
        _ => Form::Other,
    };
    take_whole(part, TurnBlock::new(form, ""), blocks);
    Ok(())
}

fn take_calls(message: &mut Map, blocks: &mut Vec<TurnBlock>) -> Result<(), Problem> {
    let calls = match message.get_mut("tool_calls") {
        None | Some(Json::Null) => return Ok(()),
        Some(Json::Array(calls)) => calls,
        Some(_) => return Err(Problem::field("a message", "tool_calls", "a list")),
    };
    for call in calls {
        let Some(id) = call.get("id").and_then(Json::as_str).map(str::to_string) else {
            return Err(Problem::field("a tool call", "id", "a string"));
        };
        let (kind, text) = arguments_of(call);
        let Some(body) = call.get_mut(kind).and_then(Json::as_object_mut) else {
            return Err(Problem::field("a tool call", kind, "an object"));
        };
        if body.get("name").and_then(Json::as_str).is_none_or(str::is_empty) {
            return Err(Problem::field("a tool call", "name", "a string that is not empty"));
        }
        let block = TurnBlock { call_id: Some(id), ..TurnBlock::new(Form::Call, "") };
        match body.get_mut(text) {
            Some(text @ Json::String(_)) => take(text, block, blocks),
            _ => return Err(Problem::field("a tool call", text, "a string")),
        }
    }
    Ok(())
}

/// Returns the object and the field that hold a call's arguments.
fn arguments_of(call: &Json) -> (&'static str, &'static str) {
    match call.get("type").and_then(Json::as_str) {
        Some("custom") => ("custom", "input"),
        _ => ("function", "arguments"),
    }
}

/// Restores the original message.
pub(crate) fn restore(mut message: Json, texts: &[&str]) -> Json {
    match message.get_mut("content") {
        Some(Json::Array(list)) => list.iter_mut().for_each(|part| {
            if !put_whole(part, texts)
                && let Some(slot) = part.get_mut("text")
            {
                put(slot, texts);
            }
        }),
        Some(content) => put(content, texts),
        None => {}
    }
    if message.get("role").and_then(Json::as_str) == Some("assistant") {
        if let Some(refusal) = message.get_mut("refusal") {
            put(refusal, texts);
        }
        if let Some(calls) = message.get_mut("tool_calls").and_then(Json::as_array_mut) {
            calls.iter_mut().for_each(|call| {
                let (body, text) = arguments_of(call);
                if let Some(slot) = call.get_mut(body).and_then(|body| body.get_mut(text)) {
                    put(slot, texts);
                }
            });
        }
    }
    message
}

/// Returns the elements of a message.
pub(crate) fn elements(role: Role, message: &Json, forms: &[Form]) -> Vec<Element> {
    if role == Role::Tool {
        return vec![Element::Reply { blocks: (0..forms.len()).collect(), error: false }];
    }
    let mut all = Vec::new();
    match message.get("content") {
        Some(Json::Array(parts)) => all.extend(
            parts.iter().filter_map(|part| numbered(part.get("text").unwrap_or(part), forms)),
        ),
        Some(content) => all.extend(numbered(content, forms)),
        None => {}
    }
    if role == Role::Assistant {
        all.extend(message.get("refusal").and_then(|slot| numbered(slot, forms)));
        let calls = message.get("tool_calls").and_then(Json::as_array);
        all.extend(calls.into_iter().flatten().filter_map(called).map(Element::Call));
    }
    all
}

fn called(call: &Json) -> Option<Call> {
    let (body, text) = arguments_of(call);
    let body = call.get(body)?;
    let word = |value: Option<&Json>| value.and_then(Json::as_str).unwrap_or("").to_string();
    Some(Call {
        block: number(body.get(text))?,
        id: word(call.get("id")),
        name: word(body.get("name")),
        kind: if text == "input" { CallKind::Custom } else { CallKind::Function },
    })
}

/// The fields of a message that a provider knows.
const KNOWN: [&str; 6] = ["role", "name", "content", "refusal", "tool_calls", "tool_call_id"];

/// Writes a message in its own format. Writes nothing if no part remains that a provider would
/// accept.
pub(crate) fn native(out: &mut RequestWriter, said: &ShownTurn<'_>, message: Json) {
    let Json::Object(mut message) = message else {
        return;
    };
    if said.bare {
        message.retain(|field, _| KNOWN.contains(&field.as_str()));
    }
    let assistant = said.role == Role::Assistant;
    let has_calls = assistant && put_calls(&mut message, said);
    if !has_calls {
        // Only an assistant's message may have the field, and never an empty list.
        message.shift_remove("tool_calls");
    }
    let has_content = match message.get_mut("content") {
        Some(Json::Array(list)) => {
            list.retain_mut(|part| put_part(out, part, said));
            !list.is_empty()
        }
        Some(content @ Json::Number(_)) => put_text(content, said),
        _ => false,
    };
    let refusal = message.get_mut("refusal").filter(|_| assistant);
    let refuses = refusal.is_some_and(|refusal| put_text(refusal, said));
    if said.role == Role::Tool {
        if let Some(id) = said.blocks.first().and_then(|block| block.id.as_ref()) {
            message.insert("tool_call_id".into(), Json::from(id.as_str()));
        }
        if !has_content {
            message.insert("content".into(), Json::from(""));
        }
    } else if !has_content && message.get("content").is_some_and(Json::is_array) {
        message.insert("content".into(), Json::Null);
    }
    if has_calls || has_content || refuses || said.role == Role::Tool {
        out.push(Json::Object(message).to_string());
    }
}

fn put_text(slot: &mut Json, said: &ShownTurn<'_>) -> bool {
    if let Some((_, block)) = said.at(slot) {
        *slot = Json::from(block.text.as_ref());
    }
    slot.as_str().is_some_and(|text| !text.is_empty())
}

/// Fills in a part of a content list. Returns false if the part is dropped.
fn put_part(out: &mut RequestWriter, part: &mut Json, said: &ShownTurn<'_>) -> bool {
    if let Some((at, block)) = said.at(part) {
        let whole = Json::parse(&block.text).ok().filter(|whole| {
            block.instead.is_none() && is_accepted(Format::Openai, whole, said.role)
        });
        let shown = whole.or_else(|| text_part(&out.named(said, at)));
        *part = shown.unwrap_or_default();
        return !part.is_null();
    }
    match part.get_mut("text") {
        Some(slot @ Json::Number(_)) => put_text(slot, said),
        _ => true,
    }
}

fn put_calls(message: &mut Map, said: &ShownTurn<'_>) -> bool {
    let Some(Json::Array(calls)) = message.get_mut("tool_calls") else {
        return false;
    };
    calls.retain_mut(|call| {
        let (body, text) = arguments_of(call);
        let slot = call.get(body).and_then(|body| body.get(text));
        let Some((_, block)) = slot.and_then(|slot| said.at(slot)) else {
            return false;
        };
        let Some(id) = &block.id else {
            return false;
        };
        if let Some(call) = call.as_object_mut() {
            call.insert("id".into(), Json::from(id.as_str()));
            let known =
                matches!(call.get("type").and_then(Json::as_str), Some("function" | "custom"));
            if !known {
                // A call with a function is a function call, even if its type is missing or wrong.
                call.insert("type".into(), Json::from("function"));
            }
        }
        if let Some(body) = call.get_mut(body).and_then(Json::as_object_mut) {
            body.insert(text.into(), Json::from(block.text.as_ref()));
            let name = body.get("name").and_then(Json::as_str).unwrap_or_default();
            body.insert("name".into(), Json::from(shown_name(name)));
        }
        true
    });
    !calls.is_empty()
}

/// Writes a turn of another format.
pub(crate) fn foreign(
    out: &mut RequestWriter,
    said: &ShownTurn<'_>,
    from: Format,
    elements: &[Element],
) {
    let mut parts = Vec::new();
    let mut calls = Vec::new();
    for element in elements {
        match element {
            Element::Text(at) => parts.extend(text_part(&said.blocks[*at].text)),
            Element::Reasoning(at) => parts.extend(text_part(&thinking(out, said, *at))),
            Element::Opaque(at) => parts.extend(part(out, *at, said, from)),
            Element::Call(called) => calls.extend(call(said, called)),
            Element::Reply { blocks, error } => {
                let text = reply_text(out, said, blocks, *error);
                // Nothing may come between replies: a reply without a call is a text after them.
                match blocks.first().and_then(|at| said.blocks[*at].id.as_ref()) {
                    Some(id) => out.push(closing(id, &text)),
                    None => parts.extend(text_part(&text)),
                }
            }
        }
    }
    // Text next to replies belongs to their author.
    let role = if said.role == Role::Tool { Role::User } else { said.role };
    if parts.is_empty() && calls.is_empty() {
        return;
    }
    let content = match parts.as_slice() {
        [] => Json::Null,
        [only] if only["type"].as_str() == Some("text") => only["text"].clone(),
        _ => Json::Array(parts),
    };
    let mut message = json!({"role": role.as_str(), "content": content});
    if !calls.is_empty() {
        message["tool_calls"] = Json::Array(calls);
    }
    match said.role {
        Role::Tool => out.push_after_replies(message.to_string()),
        _ => out.push(message.to_string()),
    }
}

fn text_part(text: &str) -> Option<Json> {
    (!text.is_empty()).then(|| json!({"type": "text", "text": text}))
}

/// Returns a model's thinking as a labelled text.
pub(crate) fn thinking(out: &mut RequestWriter, said: &ShownTurn<'_>, at: usize) -> String {
    let block = &said.blocks[at];
    let name = out.named(said, at);
    let thoughts = thoughts(&block.text).filter(|_| block.instead.is_none());
    thoughts.map_or(name, |thoughts| format!("[reasoning]\n{thoughts}\n[/reasoning]"))
}

fn part(out: &mut RequestWriter, at: usize, said: &ShownTurn<'_>, from: Format) -> Option<Json> {
    let block = &said.blocks[at];
    let whole = carried(block, from, Format::Openai).filter(|_| said.role == Role::User);
    whole.or_else(|| text_part(&out.named(said, at)))
}

fn call(said: &ShownTurn<'_>, called: &Call) -> Option<Json> {
    let block = &said.blocks[called.block];
    let (id, name) = (block.id.as_ref()?, shown_name(&called.name));
    let text = block.text.as_ref();
    Some(match called.kind {
        CallKind::Custom => {
            let custom = json!({"name": name, "input": text});
            json!({"id": id, "type": "custom", "custom": custom})
        }
        _ => {
            let function = json!({"name": name, "arguments": text});
            json!({"id": id, "type": "function", "function": function})
        }
    })
}

/// Returns a reply as one text. Parts that are not text are named.
pub(crate) fn reply_text(
    out: &mut RequestWriter,
    said: &ShownTurn<'_>,
    blocks: &[usize],
    error: bool,
) -> String {
    let mut lines = Vec::new();
    if error {
        lines.push("[error]".to_string());
    }
    for at in blocks {
        let block = &said.blocks[*at];
        match block.form {
            Form::Text | Form::Reply => lines.push(block.text.to_string()),
            _ => lines.extend(Some(out.named(said, *at)).filter(|name| !name.is_empty())),
        }
    }
    lines.join("\n")
}

/// Returns a reply to a call.
pub(crate) fn closing(call_id: &str, text: &str) -> String {
    let (id, text) = (quote(call_id), quote(text));
    format!("{{\"role\":\"tool\",\"tool_call_id\":{id},\"content\":{text}}}")
}
