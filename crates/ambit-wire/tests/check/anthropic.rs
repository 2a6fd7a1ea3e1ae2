//! Examples of Anthropic Messages.

use serde_json::{Value, json};

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "f", "input": {}})
}

fn result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "ok"})
}

fn said(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn thought() -> Value {
    json!({"type": "thinking", "thinking": "hm", "signature": "AA=="})
}

fn user(content: Value) -> Value {
    json!({"role": "user", "content": content})
}

fn assistant(content: Value) -> Value {
    json!({"role": "assistant", "content": content})
}

/// A block with a field changed.
fn with(mut block: Value, field: &str, value: Value) -> Value {
    block[field] = value;
    block
}

fn marked(block: Value) -> Value {
    with(block, "cache_control", json!({"type": "ephemeral"}))
}

/// A question, these blocks of the assistant, and then these of the user.
fn turn(said: Value, then: Value) -> Value {
    json!([user(json!("go")), assistant(said), user(then)])
}

/// A call with a field changed, and its result.
fn with_call(field: &str, value: Value) -> Value {
    turn(json!([with(call("a"), field, value)]), json!([result("a")]))
}

/// One block of the user's.
fn one(block: Value) -> Value {
    json!([user(json!([block]))])
}

pub fn bad() -> super::Bad {
    let many: Vec<Value> = (0..100_001).map(|_| user(json!("x"))).collect();
    let mut bad = vec![
        ("shape", json!({"model": "m"})),
        ("shape", json!([user(json!("x")), 7])),
        ("empty", json!({"messages": []})),
        ("too-many", json!(many)),
        ("role", json!([{"role": "system", "content": "x"}])),
        ("role", json!([user(json!("x")), {"role": "tool", "content": "x"}])),
        ("role", json!([{"content": "x"}])),
        ("first-role", json!([assistant(json!("x")), user(json!("y"))])),
        ("system", json!({"system": 7, "messages": [user(json!("x"))]})),
        ("system", json!({"system": [{"type": "image"}], "messages": [user(json!("x"))]})),
        ("content", json!([user(json!(""))])),
        ("content", json!([user(json!([]))])),
        ("content", json!([{"role": "user"}])),
        ("content", json!([user(json!("x")), assistant(json!([])), user(json!("y"))])),
        ("block-type", one(json!("x"))),
        ("block-type", one(json!({"type": "input_text", "text": "x"}))),
        ("block-type", one(json!({"type": "image_url", "image_url": {"url": "x"}}))),
        ("block-role", turn(json!([said("x"), image()]), json!("y"))),
        ("block-role", one(json!({"type": "server_tool_use", "id": "srvtoolu_1"}))),
        ("block-shape", one(json!({"type": "text"}))),
        (
            "block-shape",
            turn(json!([call("a")]), json!([with(result("a"), "is_error", json!("no"))])),
        ),
        ("block-shape", one(json!({"type": "search_result", "source": "s", "title": "t"}))),
        ("empty-text", one(said(""))),
        ("empty-text", one(said(" \n"))),
        ("empty-text", json!([user(json!("  "))])),
        ("empty-text", turn(json!([said(""), call("a")]), json!([result("a")]))),
        (
            "empty-text",
            turn(json!([call("a")]), json!([with(result("a"), "content", json!([said("")]))])),
        ),
        ("empty-text", json!({"system": [said("")], "messages": [user(json!("x"))]})),
        ("trailing-space", json!([user(json!("x")), assistant(json!("the answer is "))])),
        ("trailing-space", json!([user(json!("x")), assistant(json!([said("a\n")]))])),
    ];
    bad.extend(bad_sources());
    bad.extend(bad_calls());
    bad.extend(bad_thinking());
    bad.extend(bad_markers());
    bad
}

fn image() -> Value {
    json!({"type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}})
}

fn bad_sources() -> super::Bad {
    let image = |source: Value| one(json!({"type": "image", "source": source}));
    let document = |source: Value| one(json!({"type": "document", "source": source}));
    vec![
        ("source", one(json!({"type": "image"}))),
        ("source", image(json!({"type": "base64", "media_type": "image/tiff", "data": "AA=="}))),
        ("source", image(json!({"type": "base64", "media_type": "image/png", "data": ""}))),
        ("source", image(json!({"type": "url"}))),
        ("source", image(json!({"type": "text", "media_type": "text/plain", "data": "x"}))),
        ("source", document(json!({"type": "base64", "media_type": "text/html", "data": "AA=="}))),
        ("source", document(json!({"type": "content", "content": [{"type": "document"}]}))),
    ]
}

fn bad_calls() -> super::Bad {
    let picture = with(result("a"), "content", json!([image()]));
    vec![
        ("call-id", turn(json!([call("a.b")]), json!([result("a.b")]))),
        ("call-id", turn(json!([call("")]), json!([result("")]))),
        ("call-id", turn(json!([{"type": "tool_use", "name": "f", "input": {}}]), json!("x"))),
        ("call-name", with_call("name", json!("a b"))),
        ("call-name", with_call("name", json!("a".repeat(129)))),
        ("call-name", with_call("name", json!(null))),
        ("call-input", with_call("input", json!("{}"))),
        ("call-input", with_call("input", json!(null))),
        ("call-twice", turn(json!([call("a"), call("a")]), json!([result("a")]))),
        (
            "call-twice",
            json!([
                user(json!("go")),
                assistant(json!([call("a")])),
                user(json!([result("a")])),
                assistant(json!([call("a")])),
                user(json!([result("a")])),
            ]),
        ),
        ("unanswered", json!([user(json!("x")), assistant(json!([call("a")]))])),
        ("unanswered", turn(json!([call("a")]), json!("never mind"))),
        ("unanswered", turn(json!([call("a"), call("b")]), json!([result("a")]))),
        (
            "unanswered",
            json!([user(json!("x")), assistant(json!([call("a")])), assistant(json!("y"))]),
        ),
        ("orphan-result", one(result("a"))),
        ("orphan-result", turn(json!([call("a")]), json!([result("a"), result("b")]))),
        (
            "orphan-result",
            json!([
                user(json!("x")),
                assistant(json!([call("a")])),
                user(json!([result("a")])),
                assistant(json!("hm")),
                user(json!([result("a")])),
            ]),
        ),
        ("answered-twice", turn(json!([call("a")]), json!([result("a"), result("a")]))),
        ("results-first", turn(json!([call("a")]), json!([said("here:"), result("a")]))),
        (
            "results-first",
            turn(json!([call("a"), call("b")]), json!([result("a"), said("x"), result("b")])),
        ),
        (
            "result-content",
            turn(json!([call("a")]), json!([with(result("a"), "content", json!([call("b")]))])),
        ),
        (
            "result-content",
            turn(json!([call("a")]), json!([with(result("a"), "content", json!({}))])),
        ),
        (
            "error-content",
            turn(json!([call("a")]), json!([with(picture, "is_error", json!(true))])),
        ),
    ]
}

fn bad_thinking() -> super::Bad {
    let unsigned = json!({"type": "thinking", "thinking": "hm"});
    vec![
        ("thinking-shape", turn(json!([unsigned, said("x")]), json!("y"))),
        ("thinking-shape", turn(json!([{"type": "redacted_thinking"}, said("x")]), json!("y"))),
        ("thinking-first", turn(json!([said("x"), thought(), call("a")]), json!([result("a")]))),
        ("thinking-last", turn(json!([thought()]), json!("y"))),
        ("thinking-last", turn(json!([thought(), said("x"), thought()]), json!("y"))),
        (
            "thinking-missing",
            json!({
                "thinking": {"type": "enabled", "budget_tokens": 1024},
                "messages": turn(json!([call("a")]), json!([result("a")])),
            }),
        ),
    ]
}

fn bad_markers() -> super::Bad {
    let (short, long) = (json!({"type": "ephemeral"}), json!({"type": "ephemeral", "ttl": "1h"}));
    let with_marker = |marker: Value| with(said("x"), "cache_control", marker);
    vec![
        ("cache-shape", one(with_marker(json!({"type": "permanent"})))),
        ("cache-shape", one(with_marker(json!({"type": "ephemeral", "ttl": "1d"})))),
        ("cache-shape", one(with_marker(json!(true)))),
        (
            "cache-many",
            json!({
                "tools": [marked(json!({"name": "f", "input_schema": {"type": "object"}}))],
                "system": [marked(said("be kind"))],
                "messages": [
                    user(json!([marked(said("a")), marked(said("b")), marked(said("c"))])),
                ],
            }),
        ),
        (
            "cache-many",
            json!({
                "cache_control": {"type": "ephemeral"},
                "messages": turn(
                    json!([marked(call("a"))]),
                    json!([
                        with(result("a"), "content", json!([marked(said("x"))])),
                        marked(said("b")),
                        marked(said("c")),
                    ]),
                ),
            }),
        ),
        ("cache-where", turn(json!([marked(thought()), said("x")]), json!("y"))),
        ("cache-order", json!([user(json!([with_marker(short), with_marker(long)]))])),
    ]
}

pub fn good() -> Vec<Value> {
    vec![
        json!({"model": "m", "max_tokens": 9, "messages": [user(json!("hello"))]}),
        json!({"system": "", "messages": [user(json!("hello")), assistant(json!("It is ("))]}),
        // Same roles in a row are one turn to the API; the assistant's last message may be empty.
        json!([user(json!("a")), user(json!("b")), assistant(json!("c")), assistant(json!(""))]),
        // Parallel calls with thinking, results in another order, an error, an image, text behind.
        json!({
            "thinking": {"type": "enabled", "budget_tokens": 1024},
            "system": [said("be brief"), marked(said("be kind"))],
            "messages": [
                user(json!([
                    said("what is this?"),
                    image(),
                    {"type": "document", "title": "t", "source": {"type": "text",
                        "media_type": "text/plain", "data": "x"}},
                    {"type": "document", "source": {"type": "content", "content": [said("x")]}},
                    {"type": "image", "source": {"type": "url", "url": "https://a/b.png"}},
                    {"type": "search_result", "source": "s", "title": "t", "content": [said("x")]},
                ])),
                assistant(json!([
                    thought(),
                    {"type": "redacted_thinking", "data": "AA=="},
                    said("two at once"),
                    call("toolu_a"),
                    call("toolu_b"),
                ])),
                user(json!([
                    {"type": "tool_result", "tool_use_id": "toolu_b", "is_error": true,
                        "content": [said("no")]},
                    with(result("toolu_a"), "content", json!([said(" "), image()])),
                    marked(said("and now?")),
                ])),
                assistant(json!([thought(), call("toolu_c")])),
                user(json!([{"type": "tool_result", "tool_use_id": "toolu_c"}])),
                // Without thinking: the turn began with it.
                assistant(json!([call("toolu_d")])),
                user(json!([
                    marked(with(result("toolu_d"), "content", json!(""))),
                    marked(said("x")),
                ])),
            ],
        }),
        json!([
            user(json!("search")),
            assistant(json!([
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
                said("found"),
                call("tool_use_1"),
            ])),
            user(json!([with(result("tool_use_1"), "cache_control", json!(null))])),
        ]),
        json!([user(json!([
            with(said("x"), "cache_control", json!({"type": "ephemeral", "ttl": "1h"})),
            marked(said("y"))
        ])),]),
    ]
}
