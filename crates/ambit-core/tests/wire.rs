//! The wire round trip: an OpenAI Chat message taken apart and put together again is the same JSON,
//! with its key order and its numbers spelt as they were. White space and escapes are not kept.

#![allow(clippy::unwrap_used)]

use ambit_core::wire::{Turn, openai, parse_json};
use ambit_core::{Form, Role};

fn parse(json: &str) -> Turn {
    openai::parse(parse_json(json).unwrap_or_else(|error| panic!("{json}: {}", error.message)))
        .unwrap_or_else(|error| panic!("{json}: {}", error.message))
}

/// What the store would give back.
fn restore(turn: &Turn) -> String {
    let texts: Vec<_> = turn.blocks.iter().map(|block| Some(block.text.as_str())).collect();
    openai::restore(turn.role, turn.shape.as_deref(), &texts)
}

/// What a provider would be sent.
fn render(turn: &Turn) -> Option<String> {
    let texts: Vec<_> = turn.blocks.iter().map(|block| Some(block.text.as_str())).collect();
    let shape = turn.shape.as_deref();
    openai::render(&openai::Parts {
        role: turn.role,
        shape,
        texts: &texts,
        calls: true,
        call_ids: &[],
        bare: false,
    })
}

/// Messages without white space outside strings and without needless escapes: what is restored must
/// be the same, byte for byte.
fn same_bytes() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("wire/messages.jsonl").lines();
    lines.filter(|line| !line.starts_with('#'))
}

#[test]
fn what_was_parsed_is_restored_byte_for_byte() {
    for json in same_bytes() {
        assert_eq!(restore(&parse(json)), *json);
    }
}

#[test]
fn white_space_and_escapes_are_normalised_and_nothing_else() {
    let table = [
        (" { \"role\" :\n\"user\",\"content\":\"a\" } ", r#"{"role":"user","content":"a"}"#),
        (
            r#"{"role":"user","content":"\u0061\/\ud83d\ude00"}"#,
            r#"{"role":"user","content":"a/😀"}"#,
        ),
        (
            r#"{"role":"user", "content":"x", "n": 1.10}"#,
            r#"{"role":"user","content":"x","n":1.10}"#,
        ),
    ];
    for (given, expected) in table {
        assert_eq!(restore(&parse(given)), expected);
    }
}

/// What restores to itself parses to the same turn: the round trip ends there.
#[test]
fn restoring_twice_changes_nothing() {
    for json in same_bytes() {
        let turn = parse(json);
        assert_eq!(parse(&restore(&turn)), turn, "{json}");
    }
}

/// What a provider takes is sent as it was given.
#[test]
fn rendering_is_restoring_where_nothing_is_left_out() {
    let empty = |json: &str| {
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        let calls = value["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
        let content = match &value["content"] {
            serde_json::Value::String(text) => !text.is_empty(),
            serde_json::Value::Array(parts) => !parts.is_empty(),
            _ => false,
        };
        !calls && !content && value["role"] != "tool"
    };
    for json in same_bytes() {
        let rendered = render(&parse(json));
        if empty(json) {
            assert_eq!(rendered, None, "{json}");
        } else if !json.contains(r#""tool_calls":[]"#)
            && !json.contains(r#""tool_calls":null"#)
            && !json.contains(r#""text":"""#)
            && (!json.contains("tool_calls") || json.contains(r#""role":"assistant""#))
            && (!json.contains("tool_calls") || json.contains(r#""type":"#))
        {
            assert_eq!(rendered.as_deref(), Some(json));
        }
    }
    // Lists of no calls and empty parts are what providers turn down.
    let of = |json| render(&parse(json));
    let bare = Some(r#"{"role":"assistant","content":"x"}"#.to_string());
    assert_eq!(of(r#"{"role":"assistant","content":"x","tool_calls":[]}"#), bare);
    assert_eq!(of(r#"{"role":"assistant","content":"x","tool_calls":null}"#), bare);
}

/// Which blocks a message has.
#[test]
fn blocks_and_their_forms() {
    let forms = |json: &str| -> Vec<_> {
        parse(json).blocks.into_iter().map(|block| (block.form, block.text)).collect()
    };
    let text = |form, text: &str| (form, text.to_string());
    assert_eq!(forms(r#"{"role":"user","content":"a"}"#), [text(Form::Text, "a")]);
    assert_eq!(forms(r#"{"role":"tool","content":"a"}"#), [text(Form::Reply, "a")]);
    assert_eq!(forms(r#"{"role":"assistant"}"#), [text(Form::Other, "")]);
    let parts = concat!(
        r#"{"role":"user","content":[{"type":"text","text":"a"},"#,
        r#"{"type":"file","file":{}},{"type":"new"}]}"#
    );
    assert_eq!(
        forms(parts),
        [
            text(Form::Text, "a"),
            text(Form::Media, r#"{"type":"file","file":{}}"#),
            text(Form::Other, r#"{"type":"new"}"#),
        ]
    );
    let calls = concat!(
        r#"{"role":"assistant","content":"t","tool_calls":["#,
        r#"{"id":"x","function":{"name":"f","arguments":"1"}},"#,
        r#"{"id":"y","type":"custom","custom":{"name":"g","input":"2"}}]}"#
    );
    let turn = parse(calls);
    let ids: Vec<_> = turn.blocks.iter().map(|block| block.call_id.as_deref()).collect();
    assert_eq!(ids, [None, Some("x"), Some("y")]);
    let forms: Vec<_> = turn.blocks.iter().map(|block| block.form).collect();
    assert_eq!(forms, [Form::Text, Form::Call, Form::Call]);
    assert_eq!((turn.role, turn.reply_to), (Role::Assistant, None));
    let reply = parse(r#"{"role":"tool","tool_call_id":"x","content":"r"}"#);
    assert_eq!(reply.reply_to.as_deref(), Some("x"));
    // Text is stored once: it stands in no shape.
    assert_eq!(parse(r#"{"role":"user","content":"a"}"#).shape, None);
    let shape = parse(r#"{"role":"user","content":"secret","n":1}"#).shape.unwrap();
    assert!(!shape.contains("secret"), "{shape}");
}

/// A chain that was given up leaves its turn's text alone.
#[test]
fn calls_can_be_left_out() {
    let without = |json: &str| {
        let turn = parse(json);
        let texts: Vec<_> = turn.blocks.iter().map(|block| Some(block.text.as_str())).collect();
        let shape = turn.shape.as_deref();
        let parts = openai::Parts {
            role: turn.role,
            shape,
            texts: &texts,
            calls: false,
            call_ids: &[],
            bare: false,
        };
        openai::render(&parts)
    };
    let call = r#"[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]"#;
    let with = |content: &str| format!(r#"{{"role":"assistant",{content}"tool_calls":{call}}}"#);
    assert_eq!(
        without(&with(r#""content":"why","#)).as_deref(),
        Some(r#"{"role":"assistant","content":"why"}"#)
    );
    for nothing in ["", r#""content":null,"#, r#""content":"","#, r#""content":[],"#] {
        assert_eq!(without(&with(nothing)), None, "{nothing}");
    }
}
