//! Generates valid conversations in each format, with everything that a format can hold.

use ambit::Format;
use serde_json::{Value, json};

use crate::chance::Chance;

const TEXTS: [&str; 8] = [
    "why does login time out?",
    "I look.",
    "a\nb",
    "  indented, and \"quoted\" \\ </turn>",
    "修复 Zug",
    "one, two",
    "exit 0",
    "x",
];

/// Generates a conversation of a few rounds: questions, thinking, calls in batches, replies with
/// errors and images, answers.
pub fn sound(format: Format, chance: &mut Chance) -> Vec<Value> {
    let mut all = Vec::new();
    for round in 0..1 + chance.below(4) {
        all.push(question(format, chance));
        for step in 0..chance.below(3) {
            let ids: Vec<String> =
                (0..1 + chance.below(3)).map(|n| format!("call_{round}_{step}_{n}")).collect();
            all.extend(calls(format, chance, &ids));
            all.extend(replies(format, chance, &ids));
        }
        all.extend(answer(format, chance));
    }
    all
}

fn text(chance: &mut Chance) -> &'static str {
    TEXTS[chance.below(TEXTS.len())]
}

const IMAGE: &str = "iVBORw0KGgo=";

fn question(format: Format, chance: &mut Chance) -> Value {
    let said = text(chance);
    let url = format!("data:image/png;base64,{IMAGE}");
    match (format, chance.below(4)) {
        (Format::Openai, 0) => json!({"role": "user", "content": [
            {"type": "text", "text": said}, {"type": "image_url", "image_url": {"url": url}}]}),
        (Format::Anthropic, 0) => json!({"role": "user", "content": [
            {"type": "image", "source":
                {"type": "base64", "media_type": "image/png", "data": IMAGE}},
            {"type": "text", "text": said}]}),
        (Format::Responses, 0) => json!({"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": said},
            {"type": "input_image", "detail": "auto", "image_url": url}]}),
        (_, 1) => json!({"role": "user", "content": said, "metadata": {"n": 1}}),
        _ => json!({"role": "user", "content": said}),
    }
}

fn calls(format: Format, chance: &mut Chance, ids: &[String]) -> Vec<Value> {
    let says = chance.one_in(2).then(|| text(chance));
    let thinks = chance.one_in(3);
    let input = json!({"path": text(chance), "n": 1});
    match format {
        Format::Openai => {
            let call = |id: &String| {
                let function = json!({"name": "read", "arguments": input.to_string()});
                json!({"id": id, "type": "function", "function": function})
            };
            let calls: Vec<_> = ids.iter().map(call).collect();
            vec![json!({"role": "assistant", "content": says, "tool_calls": calls})]
        }
        Format::Anthropic => {
            let mut content = Vec::new();
            if thinks {
                content.push(json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"}));
            }
            content.extend(says.map(|says| json!({"type": "text", "text": says})));
            let call = |id| json!({"type": "tool_use", "id": id, "name": "read", "input": input});
            content.extend(ids.iter().map(call));
            vec![json!({"role": "assistant", "content": content})]
        }
        Format::Responses => {
            let mut items = Vec::new();
            if thinks {
                items.push(json!({"type": "reasoning", "id": format!("rs_{}", chance.number()),
                    "summary": [{"type": "summary_text", "text": "hm"}],
                    "encrypted_content": "gAAA"}));
            }
            items.extend(says.map(|says| {
                let content = json!([{"type": "output_text", "text": says}]);
                json!({"type": "message", "role": "assistant", "content": content})
            }));
            items.extend(ids.iter().map(|id| {
                json!({"type": "function_call", "call_id": id, "name": "read",
                    "arguments": input.to_string()})
            }));
            items
        }
    }
}

fn replies(format: Format, chance: &mut Chance, ids: &[String]) -> Vec<Value> {
    match format {
        Format::Openai => {
            let reply = |id| json!({"role": "tool", "tool_call_id": id, "content": text(chance)});
            ids.iter().map(reply).collect()
        }
        Format::Responses => {
            let reply = |id| match chance.below(3) {
                0 => json!({"type": "function_call_output", "call_id": id, "output": [
                    {"type": "input_text", "text": text(chance)},
                    {"type": "input_image", "detail": "auto",
                        "image_url": "https://example.org/a.png"}]}),
                _ => json!({"type": "function_call_output", "call_id": id,
                    "output": text(chance)}),
            };
            ids.iter().map(reply).collect()
        }
        Format::Anthropic => {
            let mut content: Vec<Value> = Vec::new();
            for id in ids {
                content.push(match chance.below(4) {
                    0 => json!({"type": "tool_result", "tool_use_id": id, "content": [
                        {"type": "text", "text": text(chance)},
                        {"type": "image",
                            "source": {"type": "url", "url": "https://example.org/a.png"}}]}),
                    1 => json!({"type": "tool_result", "tool_use_id": id,
                        "content": text(chance), "is_error": true}),
                    2 => json!({"type": "tool_result", "tool_use_id": id}),
                    _ => json!({"type": "tool_result", "tool_use_id": id,
                        "content": text(chance)}),
                });
            }
            if chance.one_in(4) {
                content.push(json!({"type": "text", "text": "and go on"}));
            }
            vec![json!({"role": "user", "content": content})]
        }
    }
}

fn answer(format: Format, chance: &mut Chance) -> Vec<Value> {
    let said = text(chance);
    match (format, chance.below(3)) {
        (Format::Openai, 0) => vec![json!({"role": "assistant", "content": null,
            "refusal": "I will not"})],
        (Format::Anthropic, 0) => vec![json!({"role": "assistant", "content": [
            {"type": "redacted_thinking", "data": "EmwK"}, {"type": "text", "text": said}]})],
        (Format::Responses, 0) => vec![
            json!({"type": "reasoning", "id": format!("rs_{}", chance.number()), "summary": []}),
            json!({"type": "message", "id": format!("msg_{}", chance.number()),
                "status": "completed", "role": "assistant", "content": [
                    {"type": "output_text", "text": said, "annotations": []}]}),
        ],
        _ => vec![json!({"role": "assistant", "content": said})],
    }
}

/// Applies one kind of damage, as found in transcripts.
pub fn damage(list: &mut Vec<Value>, chance: &mut Chance) {
    if list.is_empty() {
        return;
    }
    let (at, to) = (chance.below(list.len()), chance.below(list.len()));
    match chance.below(12) {
        0 => drop(list.remove(at)),
        1 => list.swap(at, to),
        2 => list.insert(to, list[at].clone()),
        3 => list.truncate(at + 1),
        4 => empty(&mut list[at], chance),
        5 => rename(&mut list[at], chance),
        6 => reverse(&mut list[at]),
        7 => {
            unsign(&mut list[at]);
            fail(&mut list[at]);
        }
        8 => drop_one(&mut list[at], chance),
        9 => retype(&mut list[at], chance),
        10 => strip(&mut list[at], chance),
        _ => list.insert(at, json!({"role": "assistant", "content": "  \n"})),
    }
}

fn empty(message: &mut Value, chance: &mut Chance) {
    for field in ["content", "output"] {
        if message.get(field).is_some() {
            message[field] = chance.pick(&[json!(""), json!(" "), json!([])]).clone();
        }
    }
}

/// Makes ids repeat, empty, too long, or of invalid characters.
fn rename(value: &mut Value, chance: &mut Chance) {
    let long = "x".repeat(90);
    let ids = ["call_0_0_0", "", "a|b.c", long.as_str()];
    match value {
        Value::Object(object) => {
            for (field, value) in object {
                match field.as_str() {
                    "id" | "call_id" | "tool_call_id" | "tool_use_id" if chance.one_in(2) => {
                        *value = json!(chance.pick(&ids));
                    }
                    "name" if chance.one_in(3) => *value = json!("read file/now"),
                    _ => rename(value, chance),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| rename(value, chance)),
        _ => {}
    }
}

fn reverse(message: &mut Value) {
    if let Some(list) = message.get_mut("content").and_then(Value::as_array_mut) {
        list.reverse();
    }
}

/// Turns replies into errors, whatever they hold.
fn fail(message: &mut Value) {
    for part in message["content"].as_array_mut().into_iter().flatten() {
        if part["type"] == "tool_result" {
            part["is_error"] = json!(true);
        }
    }
}

fn unsign(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for field in ["signature", "data", "encrypted_content"] {
                if object.get(field).is_some_and(Value::is_string) {
                    object.insert(field.into(), json!(""));
                }
            }
            object.values_mut().for_each(unsign);
        }
        Value::Array(list) => list.iter_mut().for_each(unsign),
        _ => {}
    }
}

/// Changes the type of parts: to one of another role or format, or to an unknown one.
fn retype(message: &mut Value, chance: &mut Chance) {
    const TYPES: [&str; 22] = [
        "text",
        "input_text",
        "output_text",
        "refusal",
        "image_url",
        "input_image",
        "input_file",
        "input_audio",
        "file",
        "image",
        "document",
        "search_result",
        "container_upload",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "compaction",
        "tool_use",
        "tool_result",
        "function_call",
        "reasoning",
        "nobody_knows",
    ];
    for field in ["content", "output"] {
        for part in message.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten() {
            if part.get("type").is_some() && chance.one_in(2) {
                part["type"] = json!(chance.pick(&TYPES));
            }
            let inner = part.get_mut("content").and_then(Value::as_array_mut);
            for part in inner.into_iter().flatten().filter(|it| it.get("type").is_some()) {
                part["type"] = json!(chance.pick(&TYPES));
            }
        }
    }
}

/// Removes required fields from parts.
fn strip(message: &mut Value, chance: &mut Chance) {
    for field in ["content", "output"] {
        for part in message.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten() {
            let fields = part.as_object().into_iter().flat_map(|it| it.keys().cloned());
            let fields: Vec<String> = fields.filter(|it| it != "type").collect();
            if let (false, Some(part)) = (fields.is_empty(), part.as_object_mut()) {
                part.shift_remove(chance.pick(&fields));
            }
        }
    }
}

fn drop_one(message: &mut Value, chance: &mut Chance) {
    for field in ["content", "tool_calls", "output"] {
        if let Some(list) = message.get_mut(field).and_then(Value::as_array_mut)
            && !list.is_empty()
        {
            list.remove(chance.below(list.len()));
        }
    }
}
