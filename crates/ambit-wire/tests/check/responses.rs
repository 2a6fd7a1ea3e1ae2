//! Examples of OpenAI Responses.

use serde_json::{Value, json};

fn call(id: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"})
}

fn output(id: &str) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": "ok"})
}

fn user(content: Value) -> Value {
    json!({"role": "user", "content": content})
}

fn said(id: &str) -> Value {
    json!({"type": "message", "id": id, "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "hi", "annotations": []}]})
}

fn thought(id: &str) -> Value {
    json!({"type": "reasoning", "id": id, "summary": []})
}

/// An item with a field changed.
fn with(mut item: Value, field: &str, value: Value) -> Value {
    item[field] = value;
    item
}

pub fn bad() -> super::Bad {
    let mut bad = vec![
        ("shape", json!({"model": "m"})),
        ("shape", json!({"input": 7})),
        ("shape", json!(["hello"])),
        ("shape", json!([{"content": "x"}])),
        ("empty", json!({"input": []})),
        ("empty", json!({"input": ""})),
        ("instructions", json!({"instructions": ["be kind"], "input": "x"})),
        ("role", json!([{"role": "tool", "content": "x"}])),
        ("role", json!([{"type": "message", "content": "x"}])),
        ("content", json!([{"role": "user"}])),
        ("content", json!([user(json!({"type": "input_text"}))])),
        ("part-role", json!([user(json!([{"type": "output_text", "text": "x"}]))])),
        ("part-role", json!([user(json!([{"type": "text", "text": "x"}]))])),
        (
            "part-role",
            json!([{"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}]),
        ),
        ("part-shape", json!([user(json!(["x"]))])),
        ("part-shape", json!([user(json!([{"type": "input_text"}]))])),
        ("part-shape", json!([user(json!([{"type": "input_image", "image_url": {"url": "x"}}]))])),
        ("part-shape", json!([user(json!([{"type": "input_file", "filename": "a.pdf"}]))])),
        ("part-shape", json!([{"role": "assistant", "content": [{"type": "refusal"}]}])),
        ("item-id", json!([said("m1")])),
        ("item-id", json!([said(&format!("msg_{}", "a".repeat(61)))])),
        ("item-id", json!([with(call("a"), "id", json!("call_a")), output("a")])),
        ("item-id", json!([with(call("a"), "id", json!(7)), output("a")])),
        ("item-id", json!([thought("reason_1"), said("msg_1")])),
        ("item-twice", json!([said("msg_1"), said("msg_1")])),
    ];
    bad.extend(bad_calls());
    bad
}

fn bad_calls() -> super::Bad {
    let long = "a".repeat(65);
    vec![
        ("call-id", json!([call(""), output("")])),
        ("call-id", json!([call(&long), output(&long)])),
        ("call-id", json!([{"type": "function_call", "name": "f", "arguments": "{}"}])),
        ("call-name", json!([with(call("a"), "name", json!("a.b")), output("a")])),
        ("call-name", json!([with(call("a"), "name", json!("a".repeat(129))), output("a")])),
        ("call-shape", json!([with(call("a"), "arguments", json!({})), output("a")])),
        (
            "call-shape",
            json!([{"type": "custom_tool_call", "call_id": "a", "name": "f"},
            {"type": "custom_tool_call_output", "call_id": "a", "output": "x"}]),
        ),
        ("call-twice", json!([call("a"), call("a"), output("a")])),
        ("output-shape", json!([call("a"), with(output("a"), "output", json!(null))])),
        (
            "output-shape",
            json!([call("a"), with(output("a"), "output", json!([{"type": "text", "text": "x"}]))]),
        ),
        ("orphan-output", json!([user(json!("x")), output("a")])),
        ("orphan-output", json!([output("a"), user(json!("x"))])),
        ("answered-twice", json!([call("a"), output("a"), output("a")])),
        ("unanswered", json!([user(json!("x")), call("a")])),
        ("unanswered", json!([call("a"), call("b"), output("a"), said("msg_1")])),
        ("unanswered", json!([{"type": "shell_call", "call_id": "a", "action": {}}])),
        ("reasoning-shape", json!([{"type": "reasoning", "summary": []}, said("msg_1")])),
        ("reasoning-shape", json!([{"type": "reasoning", "id": "rs_1"}, said("msg_1")])),
        ("reasoning-alone", json!([user(json!("x")), thought("rs_1")])),
        ("reasoning-alone", json!([thought("rs_1"), user(json!("x"))])),
        ("reasoning-alone", json!([call("a"), thought("rs_1"), output("a")])),
    ]
}

pub fn good() -> Vec<Value> {
    vec![
        json!({"input": "hello"}),
        json!({"instructions": "be kind", "input": [user(json!("hello"))]}),
        json!({"previous_response_id": "resp_1", "input": [output("a")]}),
        json!({"previous_response_id": "resp_1", "input": []}),
        // Parallel calls with reasoning before them, outputs in another order, an image as output.
        json!({"input": [
            {"role": "developer", "content": "be brief"},
            user(json!([
                {"type": "input_text", "text": "what is this?"},
                {"type": "input_image", "image_url": "data:image/png;base64,AA=="},
                {"type": "input_file", "filename": "a.pdf", "file_data": "AA=="},
            ])),
            thought("rs_1"),
            with(call("a"), "id", json!("fc_1")),
            with(call("b"), "id", json!("fc_2")),
            output("b"),
            with(output("a"), "output", json!([
                {"type": "input_image", "file_id": "file_1"},
                {"type": "input_text", "text": "a picture"},
            ])),
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "so"}],
                "encrypted_content": "gAAA"},
            thought("rs_3"),
            said("msg_1"),
            {"role": "assistant", "content": "plain"},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
        ]}),
        json!([
            user(json!("x")),
            {"type": "custom_tool_call", "call_id": "a", "name": "grep", "input": "a b"},
            user(json!("wait")),
            {"type": "custom_tool_call_output", "call_id": "a", "output": "ok"},
            {"type": "local_shell_call", "id": "lsh_1", "call_id": "b", "action": {},
                "status": "completed"},
            {"type": "local_shell_call_output", "id": "b", "output": "ok"},
            {"type": "web_search_call", "id": "ws_1", "status": "completed"},
            {"type": "a_type_of_tomorrow", "x": 1},
        ]),
        json!([{"type": "item_reference", "id": "rs_1"}, {"id": "fc_1"}, output("a")]),
    ]
}
