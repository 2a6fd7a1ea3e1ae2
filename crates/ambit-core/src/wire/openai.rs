//! OpenAI Chat Completions: messages in and out.

use serde_json::{Map, Value};

use super::{Turn, TurnBlock};
use crate::json::exact;
use crate::{Form, Rejection, Role};

/// Takes one message apart. Unknown fields stay in the shape.
pub fn parse(message: Value) -> Result<Turn, Rejection> {
    let Value::Object(mut message) = message else {
        return Err(bad("a message is a JSON object"));
    };
    let role = match message.get("role") {
        Some(Value::String(word)) => Role::parse(word).ok_or_else(|| {
            bad(&format!("{word:?} is no role: it is system, developer, user, assistant or tool"))
        })?,
        _ => return Err(bad("a message has a role")),
    };
    let mut blocks = Vec::new();
    take_content(role, &mut message, &mut blocks)?;
    if role == Role::Assistant {
        take_calls(&mut message, &mut blocks)?;
    }
    let reply_to = match (role, message.get("tool_call_id")) {
        (Role::Tool, Some(Value::String(id))) => Some(id.clone()),
        (Role::Tool, Some(Value::Null) | None) => None,
        (Role::Tool, Some(_)) => return Err(bad("tool_call_id is a string")),
        _ => None,
    };
    if blocks.is_empty() {
        // Every turn has a block, so that an empty one has a place and a handle too.
        blocks.push(TurnBlock { form: Form::Other, text: String::new(), call_id: None });
    }
    let shape = (!is_plain(&message)).then(|| Value::Object(message).to_string());
    Ok(Turn { role, blocks, shape, reply_to })
}

/// Just a role and a text, in the order in which everybody writes them.
fn is_plain(message: &Map<String, Value>) -> bool {
    message.len() == 2
        && message.keys().map(String::as_str).eq(["role", "content"])
        && message.get("content").is_some_and(Value::is_number)
}

fn take_content(
    role: Role,
    message: &mut Map<String, Value>,
    blocks: &mut Vec<TurnBlock>,
) -> Result<(), Rejection> {
    let form = if role == Role::Tool { Form::Reply } else { Form::Text };
    match message.get_mut("content") {
        None | Some(Value::Null) => Ok(()),
        Some(content @ Value::String(_)) => {
            take(content, form, None, blocks);
            Ok(())
        }
        Some(Value::Array(parts)) => {
            parts.iter_mut().try_for_each(|part| take_part(part, form, blocks))
        }
        Some(_) => Err(bad("content is a string, a list of parts, or null")),
    }
}

fn take_part(part: &mut Value, form: Form, blocks: &mut Vec<TurnBlock>) -> Result<(), Rejection> {
    let Some(kind) = part.get("type").and_then(Value::as_str) else {
        return Err(bad("a part of a content is an object with a type"));
    };
    let form = match (kind, part.get("text")) {
        ("text", Some(Value::String(_))) => {
            if let Some(text) = part.get_mut("text") {
                take(text, form, None, blocks);
            }
            return Ok(());
        }
        ("text", _) => return Err(bad("a part of type text has a text")),
        ("image_url" | "input_audio" | "file", _) => Form::Media,
        _ => Form::Other,
    };
    let text = part.to_string();
    *part = Value::from(blocks.len());
    blocks.push(TurnBlock { form, text, call_id: None });
    Ok(())
}

fn take_calls(
    message: &mut Map<String, Value>,
    blocks: &mut Vec<TurnBlock>,
) -> Result<(), Rejection> {
    let calls = match message.get_mut("tool_calls") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Array(calls)) => calls,
        Some(_) => return Err(bad("tool_calls is a list")),
    };
    for call in calls {
        let Some(id) = call.get("id").and_then(Value::as_str).map(str::to_string) else {
            return Err(bad("a tool call has an id"));
        };
        let (body, text) = arguments_of(call);
        let Some(body) = call.get_mut(body).and_then(Value::as_object_mut) else {
            return Err(bad("a tool call has a function with a name and arguments"));
        };
        if body.get("name").and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(bad("a tool call's function has a name"));
        }
        match body.get_mut(text) {
            Some(text @ Value::String(_)) => take(text, Form::Call, Some(id), blocks),
            _ => return Err(bad("a tool call's arguments are a string of JSON")),
        }
    }
    Ok(())
}

/// Moves a string into a block and leaves the block's number in its place.
fn take(slot: &mut Value, form: Form, call_id: Option<String>, blocks: &mut Vec<TurnBlock>) {
    let number = Value::from(blocks.len());
    if let Value::String(text) = std::mem::replace(slot, number) {
        blocks.push(TurnBlock { form, text, call_id });
    }
}

fn bad(why: &str) -> Rejection {
    Rejection::usage(
        why,
        "messages are in OpenAI Chat form, such as {\"role\":\"user\",\"content\":\"hello\"}",
    )
}

/// The blocks to put back into a message, and what to do with its calls.
pub struct Parts<'a> {
    pub role: Role,
    pub shape: Option<&'a str>,
    /// By the block's number; None leaves it out.
    pub texts: &'a [Option<&'a str>],
    /// False leaves out all calls: their chain was given up.
    pub calls: bool,
    /// Ids to use instead of those in the shape: of the calls in order, or of the reply's call.
    pub call_ids: &'a [Option<String>],
    /// Only what providers know: other fields are left out.
    pub bare: bool,
}

/// The fields that a provider needs of a message.
const KNOWN: [&str; 5] = ["role", "name", "content", "tool_calls", "tool_call_id"];

/// Whether providers take a part of a content, given as JSON, from a role.
pub fn holds(role: Role, part: &str) -> bool {
    let part: Value = serde_json::from_str(part).unwrap_or_default();
    let kinds: &[&str] = match role {
        Role::User => &["image_url", "input_audio", "file"],
        Role::Assistant => &["refusal"],
        Role::System | Role::Developer | Role::Tool => &[],
    };
    part.get("type").and_then(Value::as_str).is_some_and(|kind| kinds.contains(&kind))
}

/// Puts a message together again. None where nothing is left that a provider would take.
pub fn render(parts: &Parts<'_>) -> Option<String> {
    let Some(shape) = parts.shape else {
        let text = parts.texts.first().copied().flatten()?;
        return (!text.is_empty()).then(|| plain(parts.role, text));
    };
    let Ok(Value::Object(mut message)) = exact(shape) else {
        return None;
    };
    if parts.bare {
        message.retain(|field, _| KNOWN.contains(&field.as_str()));
    }
    let has_calls = parts.role == Role::Assistant && put_calls(&mut message, parts);
    if !has_calls {
        // Only an assistant's message may have the field, and never an empty list.
        message.shift_remove("tool_calls");
    }
    let has_content = match message.get_mut("content") {
        Some(Value::Array(list)) => {
            list.retain_mut(|part| put_part(part, parts.texts));
            !list.is_empty()
        }
        Some(content @ Value::Number(_)) => {
            put(content, parts.texts);
            content.as_str().is_some_and(|text| !text.is_empty())
        }
        _ => false,
    };
    if parts.role == Role::Tool {
        if let Some(Some(id)) = parts.call_ids.first() {
            message.insert("tool_call_id".into(), Value::from(id.as_str()));
        }
        if !has_content {
            message.insert("content".into(), Value::from(""));
        }
    } else if !has_content && message.get("content").is_some_and(Value::is_array) {
        message.insert("content".into(), Value::Null);
    }
    (has_calls || has_content || parts.role == Role::Tool)
        .then(|| Value::Object(message).to_string())
}

/// The message as it was appended, whether or not a provider would take it.
pub fn restore(role: Role, shape: Option<&str>, texts: &[Option<&str>]) -> String {
    let Some(shape) = shape else {
        return plain(role, texts.first().copied().flatten().unwrap_or_default());
    };
    let Ok(Value::Object(mut message)) = exact(shape) else {
        return shape.to_string();
    };
    match message.get_mut("content") {
        Some(Value::Array(list)) => list.iter_mut().for_each(|part| {
            put_part(part, texts);
        }),
        Some(content) => put(content, texts),
        None => {}
    }
    if role == Role::Assistant
        && let Some(calls) = message.get_mut("tool_calls").and_then(Value::as_array_mut)
    {
        calls.iter_mut().for_each(|call| put_arguments(call, texts));
    }
    Value::Object(message).to_string()
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

/// A reply to a call.
pub fn reply(call_id: &str, text: &str) -> String {
    format!("{{\"role\":\"tool\",\"tool_call_id\":{},\"content\":{}}}", quote(call_id), quote(text))
}

fn quote(text: &str) -> String {
    // Writing a string as JSON cannot fail.
    serde_json::to_string(text).unwrap_or_default()
}

fn put_calls(message: &mut Map<String, Value>, parts: &Parts<'_>) -> bool {
    let Some(calls) = message.get_mut("tool_calls") else {
        return false;
    };
    let mut kept = false;
    if let (Value::Array(calls), true) = (calls, parts.calls) {
        kept = !calls.is_empty();
        for (index, call) in calls.iter_mut().enumerate() {
            if let (Some(Some(id)), Some(call)) = (parts.call_ids.get(index), call.as_object_mut())
            {
                call.insert("id".into(), Value::from(id.as_str()));
            }
            let known =
                matches!(call.get("type").and_then(Value::as_str), Some("function" | "custom"));
            if let (false, Some(call)) = (known, call.as_object_mut()) {
                // What has a function is a function, whatever it was called or not called.
                call.insert("type".into(), Value::from("function"));
            }
            put_arguments(call, parts.texts);
        }
    }
    kept
}

fn put_arguments(call: &mut Value, texts: &[Option<&str>]) {
    let (body, text) = arguments_of(call);
    if let Some(slot) = call.get_mut(body).and_then(|body| body.get_mut(text)) {
        put(slot, texts);
    }
}

/// Where a call has its arguments: the object and the field in it.
fn arguments_of(call: &Value) -> (&'static str, &'static str) {
    match call.get("type").and_then(Value::as_str) {
        Some("custom") => ("custom", "input"),
        _ => ("function", "arguments"),
    }
}

/// Fills a part of a list of content. False where the part falls away.
fn put_part(part: &mut Value, texts: &[Option<&str>]) -> bool {
    if let Some(number) = part.as_u64() {
        let text = texts.get(number as usize).copied().flatten();
        let Some(whole) = text.and_then(|text| exact(text).ok()) else {
            return false;
        };
        *part = whole;
        return true;
    }
    match part.get_mut("text") {
        Some(slot @ Value::Number(_)) => {
            put(slot, texts);
            slot.as_str().is_some_and(|text| !text.is_empty())
        }
        _ => true,
    }
}

fn put(slot: &mut Value, texts: &[Option<&str>]) {
    if let Some(number) = slot.as_u64() {
        *slot = Value::from(texts.get(number as usize).copied().flatten().unwrap_or_default());
    }
}

/// The calls of a shape, as (id, name).
pub fn calls(shape: Option<&str>) -> Vec<(String, String)> {
    let Some(Ok(message)) = shape.map(serde_json::from_str::<Value>) else {
        return Vec::new();
    };
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("").to_string();
    let calls = message.get("tool_calls").and_then(Value::as_array);
    calls
        .into_iter()
        .flatten()
        .map(|call| {
            let body = call.get("function").or_else(|| call.get("custom"));
            (text(call.get("id")), text(body.and_then(|body| body.get("name"))))
        })
        .collect()
}
