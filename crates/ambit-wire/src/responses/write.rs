//! Writes items: unchanged, or converted from other formats.

use crate::json::{Json, json};

use super::{WHOLE, is_own_kind, text_field};
use crate::accepted::is_accepted;
use crate::elements::{Call, Element};
use crate::media::carried;
use crate::message::plain;
use crate::names::shown_name;
use crate::openai::{reply_text, thinking};
use crate::writer::RequestWriter;
use crate::{CallKind, Form, Format, Role, ShownBlock, ShownTurn};

/// Writes items in their own format.
pub(crate) fn native(out: &mut RequestWriter, said: &ShownTurn<'_>, items: Json) {
    let items = match items {
        Json::Array(items) => items,
        item => vec![item],
    };
    // Thinking belongs to the next item, and is dropped with it.
    let mut thinking = Vec::new();
    for item in items {
        if let Some((_, block)) = said.at(&item).filter(|(_, it)| it.form == Form::Reasoning) {
            thinking.extend(Json::parse(&block.text).ok().filter(|_| block.instead.is_none()));
            continue;
        }
        match put_item(out, item, said) {
            Some(item) => {
                thinking.drain(..).for_each(|thought| out.push_item(thought));
                out.push_item(item);
            }
            None => thinking.clear(),
        }
    }
}

fn put_item(out: &mut RequestWriter, mut item: Json, said: &ShownTurn<'_>) -> Option<Json> {
    if let Some((at, block)) = said.at(&item) {
        return match block.instead.is_none() {
            true => Json::parse(&block.text).ok(),
            false => Some(json!({"role": "assistant", "content": out.named(said, at)})),
        };
    }
    match item.get("type").and_then(Json::as_str).unwrap_or("message") {
        "message" => put_message(out, item, said),
        _ if item.get(WHOLE).is_some() => {
            let (_, block) = item.get(WHOLE).and_then(|slot| said.at(slot))?;
            let mut whole = Json::parse(&block.text).ok()?;
            whole["call_id"] = Json::from(block.id.as_deref()?);
            Some(whole)
        }
        kind @ ("function_call" | "custom_tool_call") => {
            let field = if kind == "function_call" { "arguments" } else { "input" };
            let (_, block) = item.get(field).and_then(|slot| said.at(slot))?;
            let (id, text) = (block.id.clone()?, block.text.to_string());
            let name = item["name"].as_str().map(shown_name);
            item["name"] = name.map_or(Json::Null, Json::from);
            item["call_id"] = Json::from(id);
            item[field] = Json::from(text);
            Some(item)
        }
        _ => put_output(out, item, said),
    }
}

fn put_message(out: &mut RequestWriter, mut item: Json, said: &ShownTurn<'_>) -> Option<Json> {
    let content = match item.get_mut("content")?.take() {
        Json::Array(parts) => {
            let mut kept = Vec::new();
            for part in parts {
                kept.extend(put_part(out, part, said, said.role));
            }
            (!kept.is_empty()).then_some(Json::Array(kept))?
        }
        slot => {
            let text = said.at(&slot).map(|(_, block)| block.text.to_string());
            Json::from(text.filter(|text| !text.is_empty())?)
        }
    };
    item["content"] = content;
    if said.bare {
        let known = ["type", "id", "status", "role", "content"];
        item.as_object_mut()?.retain(|field, _| known.contains(&field.as_str()));
    }
    Some(item)
}

fn put_part(
    out: &mut RequestWriter,
    mut part: Json,
    said: &ShownTurn<'_>,
    role: Role,
) -> Option<Json> {
    if let Some((at, block)) = said.at(&part) {
        let whole = Json::parse(&block.text)
            .ok()
            .filter(|whole| block.instead.is_none() && is_accepted(Format::Responses, whole, role));
        return whole.or_else(|| text_part(&out.named(said, at), role));
    }
    let kind = part.get("type").and_then(Json::as_str).unwrap_or_default();
    let field = text_field(kind)?;
    // Output of a model and input to it have different types.
    let own = matches!(kind, "output_text" | "refusal") == (role == Role::Assistant);
    let fits = own && kind != "text";
    let (_, block) = said.at(part.get(field)?)?;
    if !fits {
        return text_part(&block.text, role);
    }
    let text = block.text.to_string();
    let empty = text.is_empty();
    part[field] = Json::from(text);
    (!empty).then_some(part)
}

fn put_output(out: &mut RequestWriter, mut item: Json, said: &ShownTurn<'_>) -> Option<Json> {
    let first = said.blocks.first()?;
    let Some(id) = &first.id else {
        let all: Vec<usize> = (0..said.blocks.len()).collect();
        let text = reply_text(out, said, &all, false);
        return (!text.is_empty()).then(|| json!({"role": "user", "content": text}));
    };
    item["call_id"] = Json::from(id.as_str());
    let own = is_own_kind(&item);
    match (own, first.answers) {
        (false, CallKind::Custom) => item["type"] = Json::from("custom_tool_call_output"),
        (false, CallKind::Function) => item["type"] = Json::from("function_call_output"),
        _ => {}
    }
    match item.get_mut("output").map(Json::take) {
        Some(Json::Array(parts)) => {
            let mut kept = Vec::new();
            for part in parts {
                kept.extend(put_part(out, part, said, Role::Tool));
            }
            item["output"] = if kept.is_empty() { "".into() } else { Json::Array(kept) };
        }
        Some(slot) => {
            let whole = slot.get(WHOLE).and_then(|slot| said.at(slot));
            let whole = whole.map(|(_, it)| Json::parse(&it.text).unwrap_or_default());
            let text = || said.at(&slot).map_or("".into(), |(_, it)| it.text.as_ref().into());
            item["output"] = whole.unwrap_or_else(text);
        }
        None => item["output"] = "".into(),
    }
    Some(item)
}

fn text_part(text: &str, role: Role) -> Option<Json> {
    let kind = if role == Role::Assistant { "output_text" } else { "input_text" };
    (!text.is_empty()).then(|| json!({"type": kind, "text": text}))
}

/// Writes a turn of another format.
pub(crate) fn foreign(
    out: &mut RequestWriter,
    said: &ShownTurn<'_>,
    from: Format,
    elements: &[Element],
) {
    // Text next to replies belongs to their author.
    let role = if said.role == Role::Tool { Role::User } else { said.role };
    let mut parts = Vec::new();
    for element in elements {
        match element {
            Element::Text(at) => parts.extend(text_part(&said.blocks[*at].text, role)),
            Element::Reasoning(at) => parts.extend(text_part(&thinking(out, said, *at), role)),
            Element::Opaque(at) => parts.extend(part(out, *at, said, from, role)),
            Element::Call(called) => {
                flush(out, role, &mut parts);
                call(out, said, called);
            }
            Element::Reply { blocks, error } => {
                flush(out, role, &mut parts);
                reply(out, said, from, blocks, *error);
            }
        }
    }
    flush(out, role, &mut parts);
}

fn flush(out: &mut RequestWriter, role: Role, parts: &mut Vec<Json>) {
    let item = match std::mem::take(parts).as_slice() {
        [] => return,
        [only] if only.get("text").is_some() => {
            plain(role, only["text"].as_str().unwrap_or_default())
        }
        parts => json!({"role": role.as_str(), "content": parts.to_vec()}).to_string(),
    };
    out.push(item);
}

fn part(
    out: &mut RequestWriter,
    at: usize,
    said: &ShownTurn<'_>,
    from: Format,
    role: Role,
) -> Option<Json> {
    let block = &said.blocks[at];
    let whole = carried(block, from, Format::Responses).filter(|_| role == Role::User);
    whole.or_else(|| text_part(&out.named(said, at), role))
}

fn call(out: &mut RequestWriter, said: &ShownTurn<'_>, called: &Call) {
    let block = &said.blocks[called.block];
    let Some(id) = &block.id else {
        return;
    };
    let (name, text) = (shown_name(&called.name), block.text.as_ref());
    let (kind, field) = match called.kind {
        CallKind::Custom => ("custom_tool_call", "input"),
        _ => ("function_call", "arguments"),
    };
    out.push(json!({"type": kind, "call_id": id, "name": name, field: text}).to_string());
}

fn reply(
    out: &mut RequestWriter,
    said: &ShownTurn<'_>,
    from: Format,
    blocks: &[usize],
    error: bool,
) {
    let first = blocks.first().map(|at| &said.blocks[*at]);
    let Some((first, id)) = first.and_then(|it: &ShownBlock<'_>| Some((it, it.id.as_ref()?)))
    else {
        let text = reply_text(out, said, blocks, error);
        return out.say(Role::User, &text);
    };
    let text = |block: &ShownBlock<'_>| matches!(block.form, Form::Text | Form::Reply);
    if blocks.iter().all(|at| text(&said.blocks[*at]) || said.blocks[*at].text.is_empty()) {
        let text = reply_text(out, said, blocks, error);
        return out.push(closing(id, &text, first.answers));
    }
    let mut parts = Vec::new();
    if error {
        parts.extend(text_part("[error]", Role::User));
    }
    for at in blocks {
        let block = &said.blocks[*at];
        match text(block) {
            true => parts.extend(text_part(&block.text, Role::User)),
            false => parts.extend(part(out, *at, said, from, Role::User)),
        }
    }
    out.push(output(id, Json::Array(parts), first.answers).to_string());
}

fn output(call_id: &str, output: Json, kind: CallKind) -> Json {
    let word = match kind {
        CallKind::Custom => "custom_tool_call_output",
        _ => "function_call_output",
    };
    json!({"type": word, "call_id": call_id, "output": output})
}

/// Returns a reply to a call.
pub(crate) fn closing(call_id: &str, text: &str, kind: CallKind) -> String {
    output(call_id, Json::from(text), kind).to_string()
}
