//! Examples of OpenAI Chat Completions.

use serde_json::{Value, json};

fn call(id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}})
}

fn calls(list: Value) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": list})
}

fn reply(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "ok"})
}

fn user(content: Value) -> Value {
    json!({"role": "user", "content": content})
}

/// A call with something changed, and its reply.
fn with_call(id: &str, change: impl Fn(&mut Value)) -> Value {
    let mut call = call(id);
    change(&mut call);
    json!([user(json!("go")), calls(json!([call])), reply(id)])
}

pub fn bad() -> super::Bad {
    let mut bad = vec![
        ("shape", json!({"model": "m"})),
        ("shape", json!(["hello"])),
        ("empty", json!({"messages": []})),
        ("role", json!([{"content": "x"}])),
        ("role", json!([{"role": "human", "content": "x"}])),
        ("content", json!([{"role": "user"}])),
        ("content", json!([user(json!(null))])),
        ("content", json!([user(json!([]))])),
        ("content", json!([{"role": "system", "content": {"text": "x"}}])),
        ("content", json!([calls(json!([call("a")])), {"role": "tool", "tool_call_id": "a"}])),
        ("no-content", json!([{"role": "assistant", "content": null}])),
        ("no-content", json!([{"role": "assistant", "refusal": null}])),
        ("part-role", json!([user(json!([{"type": "refusal", "refusal": "no"}]))])),
        ("part-role", json!([user(json!([{"type": "tool_result", "content": "x"}]))])),
        (
            "part-role",
            json!([{"role": "assistant",
                "content": [{"type": "image_url", "image_url": {"url": "https://a/b.png"}}]}]),
        ),
        (
            "part-role",
            json!([{"role": "system", "content": [{"type": "file", "file": {"file_id": "f"}}]}]),
        ),
        ("part-shape", json!([user(json!(["x"]))])),
        ("part-shape", json!([user(json!([{"type": "text"}]))])),
        ("part-shape", json!([user(json!([{"type": "image_url", "image_url": "https://a/b"}]))])),
        (
            "part-shape",
            json!([user(json!([{"type": "input_audio",
                "input_audio": {"data": "AA==", "format": "ogg"}}]))]),
        ),
        ("part-shape", json!([user(json!([{"type": "file", "file": {"filename": "a.pdf"}}]))])),
    ];
    bad.extend(bad_calls());
    bad
}

fn bad_calls() -> super::Bad {
    vec![
        ("calls-role", json!([{"role": "user", "content": "x", "tool_calls": [call("a")]}])),
        ("calls-role", json!([{"role": "user", "content": "x", "tool_call_id": "a"}])),
        ("calls-empty", json!([{"role": "assistant", "content": "x", "tool_calls": []}])),
        ("calls-empty", json!([{"role": "assistant", "content": "x", "tool_calls": null}])),
        ("call-shape", with_call("a", |call| call["type"] = json!("tool"))),
        ("call-shape", with_call("a", |call| call["function"] = json!(null))),
        ("call-shape", with_call("a", |call| call["function"]["arguments"] = json!({}))),
        (
            "call-shape",
            with_call("a", |call| {
                *call = json!({"id": "a", "type": "custom", "custom": {"name": "f"}})
            }),
        ),
        ("call-id", with_call("", |_| {})),
        ("call-id", with_call(&"a".repeat(41), |_| {})),
        (
            "call-id",
            json!([calls(json!([{"type": "function",
            "function": {"name": "f", "arguments": "{}"}}]))]),
        ),
        ("call-name", with_call("a", |call| call["function"]["name"] = json!("a b"))),
        ("call-name", with_call("a", |call| call["function"]["name"] = json!("a".repeat(65)))),
        ("call-name", with_call("a", |call| call["function"]["name"] = json!(""))),
        ("call-twice", json!([calls(json!([call("a"), call("a")])), reply("a")])),
        ("reply-id", json!([user(json!("x")), {"role": "tool", "content": "x"}])),
        ("orphan-reply", json!([user(json!("x")), reply("a")])),
        (
            "orphan-reply",
            json!([calls(json!([call("a")])), reply("a"), user(json!("x")), reply("a")]),
        ),
        ("orphan-reply", json!([calls(json!([call("a")])), reply("a"), reply("b")])),
        ("answered-twice", json!([calls(json!([call("a")])), reply("a"), reply("a")])),
        ("unanswered", json!([calls(json!([call("a")]))])),
        ("unanswered", json!([calls(json!([call("a"), call("b")])), reply("b"), user(json!("x"))])),
        ("unanswered", json!([calls(json!([call("a")])), calls(json!([call("b")])), reply("b")])),
        ("function-name", json!([{"role": "function", "content": "x"}])),
    ]
}

pub fn good() -> Vec<Value> {
    vec![
        json!({"model": "m", "messages": [user(json!("hello"))]}),
        json!([
            {"role": "developer", "content": [{"type": "text", "text": "be brief"}]},
            {"role": "system", "content": "be kind", "name": "house"},
            user(json!([
                {"type": "text", "text": "what is this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA==",
                    "detail": "low"}},
                {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
                {"type": "file", "file": {"filename": "a.pdf", "file_data": "AA=="}},
            ])),
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
            {"role": "assistant", "content": null, "refusal": "no"},
            {"role": "assistant", "audio": {"id": "audio_1"}},
            {"role": "user", "content": ""},
        ]),
        // Parallel calls, replies in another order, the same ids again later.
        json!({"messages": [
            user(json!("go")),
            {"role": "assistant", "content": "two at once", "tool_calls": [call("a"), call("b")]},
            reply("b"),
            {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "1"}]},
            calls(json!([call("a")])),
            reply("a"),
            {"role": "assistant", "content": "done", "x_unknown": {"a": 1}},
        ]}),
        json!([
            user(json!("go")),
            calls(json!([
                {"id": "c", "type": "custom", "custom": {"name": "grep", "input": "a b"}},
                {"id": "d", "type": "function",
                    "function": {"name": "f-1_x", "arguments": "no JSON"}},
            ])),
            {"role": "tool", "tool_call_id": "c", "content": ""},
            reply("d"),
        ]),
        json!([
            user(json!("old style")),
            {"role": "assistant", "content": null,
                "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": null},
        ]),
    ]
}
