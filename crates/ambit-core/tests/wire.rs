//! The wire round trip: an OpenAI Chat message taken apart and put together again is the same JSON,
//! with its key order and its numbers spelt as they were. White space and string escapes are not kept.

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
    })
}

/// Messages without white space outside strings and without needless escapes: the restored text
/// must be the same, byte for byte.
const SAME_BYTES: &[&str] = &[
    r#"{"role":"user","content":"hello"}"#,
    r#"{"role":"user","content":""}"#,
    r#"{"content":"the other order","role":"user"}"#,
    r#"{"role":"system","content":"be brief"}"#,
    r#"{"role":"developer","content":"be kind"}"#,
    r#"{"role":"assistant","content":null}"#,
    r#"{"role":"assistant"}"#,
    r#"{"role":"assistant","content":[]}"#,
    r#"{"role":"tool","content":"no id"}"#,
    r#"{"role":"tool","tool_call_id":null,"content":"null id"}"#,
    r#"{"role":"tool","tool_call_id":"a","content":"result"}"#,
    r#"{"tool_call_id":"a","content":"","role":"tool"}"#,
    r#"{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"1"},{"type":"text","text":""}]}"#,
    r#"{"role":"user","name":"ada","content":"with a name"}"#,
    r#"{"role":"user","content":"0"}"#,
    r#"{"role":"user","content":"emoji 😀👩‍👩‍👧 and 修复 and é"}"#,
    r#"{"role":"user","content":"quote \" backslash \\ slash / newline \n tab \t"}"#,
    r#"{"role":"user","content":"NUL \u0000 and bell \u0007"}"#,
    // Numbers as they were spelt, wherever they stand.
    r#"{"role":"user","content":"n","a":1.0,"b":1e5,"c":-0,"d":1.10,"e":1E+5,"f":-0.0,"g":0.1e-7}"#,
    r#"{"role":"user","content":"n","big":123456789012345678901234567890,"tiny":1e-400}"#,
    r#"{"z":0,"role":"user","y":[1.0,{"x":2.50}],"content":"n","a":{"b":{"d":1,"c":2}}}"#,
    // Fields that look like what a shape holds, or like what serde_json keeps to itself.
    r#"{"role":"user","content":"x","m":{"$serde_json::private::Number":"1"}}"#,
    r#"{"role":"user","content":"x","m":{"$serde_json::private::RawValue":"[]"}}"#,
    r#"{"role":"user","content":"x","a":[[[[1E5]]],{"b":{"c":2e-0}}],"s":"1e5","t":true,"u":null}"#,
    r#"{"role":"user","content":[{"type":"new","n":1E5}]}"#,
    r#"{"role":"user","content":"x","text":0,"arguments":1,"input":2}"#,
    r#"{"role":"user","content":"x","tool_calls":[{"id":"a","function":{"name":"f","arguments":0}}]}"#,
    r#"{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}"#,
    r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:,","detail":"low"}},{"type":"text","text":"b"}]}"#,
    r#"{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}},{"type":"file","file":{"file_id":"f"}}]}"#,
    r#"{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}"#,
    r#"{"role":"user","content":[{"type":"unheard_of","text":7,"n":1.10}]}"#,
    r#"{"role":"assistant","content":null,"refusal":"I cannot","annotations":[],"audio":{"id":"x"}}"#,
    // Calls.
    r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
    r#"{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"arguments":"{\"x\": 1.0}","name":"f"},"index":0},{"id":"a","type":"function","function":{"name":"g","arguments":""}}]}"#,
    r#"{"role":"assistant","content":"and text","tool_calls":[{"type":"function","function":{"name":"f","arguments":"not json"},"id":""}]}"#,
    r#"{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"custom","custom":{"name":"grep","input":"free\ntext"}}]}"#,
    r#"{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
    r#"{"role":"assistant","content":"x","tool_calls":[]}"#,
    r#"{"role":"assistant","content":"x","tool_calls":null}"#,
    r#"{"role":"assistant","content":"x","function_call":{"name":"f","arguments":"{}"}}"#,
    // A call of one type with a field of the other's name.
    r#"{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"f","input":"i"},"function":{"arguments":0}}]}"#,
    r#"{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"i"},"custom":{"input":0}}]}"#,
];

#[test]
fn what_was_parsed_is_restored_byte_for_byte() {
    for json in SAME_BYTES {
        assert_eq!(restore(&parse(json)), **json);
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
    for json in SAME_BYTES {
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
    for json in SAME_BYTES {
        let rendered = render(&parse(json));
        if empty(json) {
            assert_eq!(rendered, None, "{json}");
        } else if !json.contains(r#""tool_calls":[]"#)
            && !json.contains(r#""tool_calls":null"#)
            && !json.contains(r#""text":"""#)
        {
            assert_eq!(rendered.as_deref(), Some(*json));
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
    let parts = r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"file","file":{}},{"type":"new"}]}"#;
    assert_eq!(
        forms(parts),
        [
            text(Form::Text, "a"),
            text(Form::Media, r#"{"type":"file","file":{}}"#),
            text(Form::Other, r#"{"type":"new"}"#),
        ]
    );
    let calls = r#"{"role":"assistant","content":"t","tool_calls":[{"id":"x","function":{"name":"f","arguments":"1"}},{"id":"y","type":"custom","custom":{"name":"g","input":"2"}}]}"#;
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
        let parts =
            openai::Parts { role: turn.role, shape, texts: &texts, calls: false, call_ids: &[] };
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
