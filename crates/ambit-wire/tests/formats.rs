//! The wire round trip: a message that is parsed and restored is the same JSON, with the same order
//! of keys and spelling of numbers. White space and escapes are not kept.

#![allow(clippy::unwrap_used)]

#[path = "formats/written.rs"]
mod written;

use ambit_wire::json::Json;
use ambit_wire::{Form, Format, Role, Turn, openai};
use written::write;

fn parse(json: &str) -> Turn {
    openai::parse(Json::parse(json).unwrap_or_else(|error| panic!("{json}: {error}")))
        .unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// Returns a turn as a store would return it.
fn restore(turn: &Turn) -> String {
    let texts: Vec<_> = turn.blocks.iter().map(|block| block.text.as_str()).collect();
    ambit_wire::restore(turn.role, turn.shape.as_deref(), &texts)
}

fn render(turn: &Turn) -> Option<String> {
    write(turn, Format::Openai, true).messages.pop()
}

/// Reads the turns of a format from a file with one message per line; several items of one
/// Responses turn are a list on one line.
fn turns(format: Format, file: &str) -> Vec<(Vec<String>, Turn)> {
    let mut all = Vec::new();
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let messages = match Json::parse(line).unwrap() {
            Json::Array(items) => items,
            message => vec![message],
        };
        let lines = messages.iter().map(ToString::to_string).collect();
        let mut turns = ambit_wire::parse(format, messages).unwrap();
        assert_eq!(turns.len(), 1, "{line}");
        all.push((lines, turns.remove(0)));
    }
    all
}

fn all_turns() -> Vec<(Format, Vec<String>, Turn)> {
    let files = [
        (Format::Openai, include_str!("formats/messages.jsonl")),
        (Format::Anthropic, include_str!("formats/anthropic.jsonl")),
        (Format::Responses, include_str!("formats/responses.jsonl")),
    ];
    let of = |(format, file)| turns(format, file).into_iter().map(move |(a, b)| (format, a, b));
    files.into_iter().flat_map(of).collect()
}

#[test]
fn every_format_is_restored_byte_for_byte() {
    for (format, lines, turn) in all_turns() {
        let whole = match lines.as_slice() {
            [only] => only.clone(),
            all => format!("[{}]", all.join(",")),
        };
        assert_eq!(restore(&turn), whole, "{format:?}");
    }
}

/// A message that a provider accepts is sent unchanged, except for cache markers.
#[test]
fn accepted_messages_are_written_unchanged() {
    let unmarked = |json: &String| json.replace(r#","cache_control":{"type":"ephemeral"}"#, "");
    for (format, lines, turn) in all_turns() {
        if format == Format::Openai || turn.role.is_system() {
            continue;
        }
        let mut written: Vec<_> =
            write(&turn, format, true).messages.iter().map(unmarked).collect();
        if turn.role == Role::Assistant && format == Format::Anthropic {
            // A request begins with a user's message.
            written.remove(0);
        }
        assert_eq!(written, lines, "{format:?}");
    }
}

/// Every message of one format can be written in the others as valid JSON.
#[test]
fn every_turn_can_be_written_in_every_format() {
    for (from, lines, turn) in all_turns() {
        for format in Format::ALL {
            for calls in [true, false] {
                for message in write(&turn, format, calls).messages {
                    let value: serde_json::Value = serde_json::from_str(&message).unwrap();
                    assert!(value.is_object(), "{from:?} to {format:?}: {lines:?}: {message}");
                    // Block numbers occur only in shapes.
                    let content = value.get("content").or(value.get("output"));
                    assert!(!content.is_some_and(serde_json::Value::is_number), "{message}");
                }
            }
        }
    }
}

/// Messages without white space outside strings and without needless escapes: what is restored must
/// be the same, byte for byte.
fn same_bytes() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("formats/messages.jsonl").lines();
    lines.filter(|line| !line.starts_with('#'))
}

#[test]
fn a_parsed_message_is_restored_byte_for_byte() {
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

/// A restored message parses to the same turn.
#[test]
fn restoring_twice_changes_nothing() {
    for json in same_bytes() {
        let turn = parse(json);
        assert_eq!(parse(&restore(&turn)), turn, "{json}");
    }
}

/// A message that a provider accepts is sent unchanged.
#[test]
fn writing_equals_restoring_if_nothing_is_left_out() {
    let empty = |json: &str| {
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        let calls = value["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
        let content = match &value["content"] {
            serde_json::Value::String(text) => !text.is_empty(),
            serde_json::Value::Array(parts) => !parts.is_empty(),
            _ => false,
        };
        let refuses = value["refusal"].as_str().is_some_and(|text| !text.is_empty());
        !calls && !content && !refuses && value["role"] != "tool"
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
            // Parts that a provider does not accept from a user are named.
            && !render(&parse(json)).is_some_and(|it| it.contains("[other 7."))
            && !render(&parse(json)).is_some_and(|it| it.contains("[media 7."))
            // A reply without a call is a text.
            && json != r#"{"role":"tool","content":"no id"}"#
        {
            assert_eq!(rendered.as_deref(), Some(json));
        }
    }
    // Providers refuse empty lists of calls and empty parts.
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
    assert_eq!((turn.role, &turn.blocks[0].reply_to), (Role::Assistant, &None));
    let reply = parse(r#"{"role":"tool","tool_call_id":"x","content":"r"}"#);
    assert_eq!(reply.blocks[0].reply_to.as_deref(), Some("x"));
    // Text is stored once: it is not in the shape.
    assert_eq!(parse(r#"{"role":"user","content":"a"}"#).shape, None);
    let shape = parse(r#"{"role":"user","content":"secret","n":1}"#).shape.unwrap();
    assert!(!shape.contains("secret"), "{shape}");
}

/// A chain that was given up leaves only the text of its turn.
#[test]
fn calls_can_be_left_out() {
    let without = |json: &str| write(&parse(json), Format::Openai, false).messages.pop();
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
