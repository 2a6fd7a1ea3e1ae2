//! The checks of requests: a bad example for every rule, which breaks that rule and no other, good
//! examples that break none, and damage of every kind, which must not stop the check.

#[path = "check/anthropic.rs"]
mod anthropic;
#[path = "check/openai.rs"]
mod openai;
#[path = "check/responses.rs"]
mod responses;

use ambit_wire::Format;
use ambit_wire::check::{self, Fault, rules};
use ambit_wire::json::Json;
use proptest::prelude::*;
use serde_json::{Value, json};

fn json(request: &Value) -> Json {
    Json::parse(&request.to_string()).unwrap_or_else(|error| panic!("{error}: {request}"))
}

fn check(format: Format, request: &Value) -> Vec<Fault> {
    check::check(format, &json(request))
}

fn count(format: Format, request: &Value) -> usize {
    check::count(format, &json(request))
}

fn detect(request: &Value) -> Format {
    check::detect(&json(request))
}

/// A rule's id, and what breaks it.
type Bad = Vec<(&'static str, Value)>;

fn bad(format: Format) -> Bad {
    match format {
        Format::Openai => openai::bad(),
        Format::Responses => responses::bad(),
        Format::Anthropic => anthropic::bad(),
    }
}

fn good(format: Format) -> Vec<Value> {
    match format {
        Format::Openai => openai::good(),
        Format::Responses => responses::good(),
        Format::Anthropic => anthropic::good(),
    }
}

#[test]
fn every_bad_example_breaks_its_rule_and_no_other() {
    for format in Format::ALL {
        for (rule, request) in bad(format) {
            let faults = check(format, &request);
            assert!(!faults.is_empty(), "{format:?} {rule}: nothing found in {request}");
            for fault in &faults {
                assert_eq!(fault.rule, rule, "{format:?}: {fault:?} in {request}");
                assert!(!fault.hint.is_empty() && !fault.message.is_empty(), "{fault:?}");
                assert!(!fault.at.is_empty(), "{fault:?}");
            }
        }
    }
}

#[test]
fn every_rule_has_a_bad_example_and_a_distinct_id() {
    for format in Format::ALL {
        let bad = bad(format);
        let mut ids: Vec<_> = rules(format).iter().map(|rule| rule.id).collect();
        for id in &ids {
            assert!(bad.iter().any(|(rule, _)| rule == id), "{format:?}: no example of {id}");
        }
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), rules(format).len());
    }
}

#[test]
fn good_examples_break_no_rule() {
    for format in Format::ALL {
        for request in good(format) {
            assert_eq!(check(format, &request), [], "{format:?}: {request}");
        }
    }
}

#[test]
fn a_fault_says_where_it_is() {
    let call = |id: &str| {
        json!({"id": id, "type": "function",
        "function": {"name": "f", "arguments": "{}"}})
    };
    let request = json!({"messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "refusal"}]},
    ]});
    let faults = check(Format::Openai, &request);
    let places: Vec<_> = faults.iter().map(|fault| (fault.at.as_str(), fault.rule)).collect();
    assert_eq!(
        places,
        [("messages[1].tool_calls[1]", "unanswered"), ("messages[3].content[1]", "part-role")]
    );
}

/// A body, the bare list, what `compose` answers, and that in its envelope.
#[test]
fn a_request_is_accepted_as_body_list_or_composition() {
    for (format, list) in [
        (Format::Openai, json!([{"role": "nobody", "content": "x"}])),
        (Format::Responses, json!([{"type": "message", "role": "nobody", "content": "x"}])),
        (Format::Anthropic, json!([{"role": "nobody", "content": "x"}])),
    ] {
        let answer = json!({"messages": list, "tokens": 3});
        let ways = [
            list.clone(),
            answer.clone(),
            json!({"ok": true, "actor": "ada", "result": answer}),
            json!({"input": list}),
        ];
        let ways = ways.iter().take(if format == Format::Responses { 4 } else { 3 });
        for request in ways {
            let found: Vec<_> = check(format, request).iter().map(|fault| fault.rule).collect();
            assert_eq!(found, ["role"], "{format:?}: {request}");
            assert_eq!(count(format, request), 1);
        }
    }
}

#[test]
fn the_format_is_detected_from_the_shape() {
    for format in Format::ALL {
        // Only distinctive requests: a plain message is valid in every format.
        let name = match format {
            Format::Openai => "tool_calls",
            Format::Responses => "call_id",
            Format::Anthropic => "tool_use",
        };
        let telling = good(format);
        let telling = telling.iter().filter(|it| it.to_string().contains(name));
        assert!(telling.clone().count() >= 2);
        for request in telling {
            assert_eq!(detect(request), format, "{request}");
            let bare = request.get("messages").or(request.get("input")).unwrap_or(request);
            assert_eq!(detect(bare), format, "{bare}");
        }
    }
    assert_eq!(detect(&json!({"input": "hello"})), Format::Responses);
    assert_eq!(detect(&json!({"system": "be kind", "messages": []})), Format::Anthropic);
    assert_eq!(detect(&json!({"system": null, "messages": []})), Format::Openai);
    let composed = json!({"ok": true, "result": {"format": "responses", "system": "x"}});
    assert_eq!(detect(&composed), Format::Responses);
    assert_eq!(detect(&json!(null)), Format::Openai);
}

#[test]
fn a_value_that_is_not_a_request_is_reported() {
    for format in Format::ALL {
        for request in [json!(null), json!(7), json!("x"), json!({}), json!({"messages": {}})] {
            let faults = check(format, &request);
            let found: Vec<_> = faults.iter().map(|fault| fault.rule).collect();
            assert_eq!(found, ["shape"], "{format:?}: {request}");
        }
    }
}

/// Long texts of a request are not quoted in full.
#[test]
fn a_message_stays_short() {
    let long = "é".repeat(100_000);
    for format in Format::ALL {
        for request in [
            json!([{"role": long, "content": "x"}]),
            json!([{"role": "user", "content": [{"type": long}]}]),
            json!([{"role": "tool", "tool_call_id": long, "content": "x"}]),
            json!([{"type": "function_call", "call_id": long, "name": long, "arguments": ""}]),
        ] {
            for fault in check(format, &request) {
                assert!(fault.message.len() < 300, "{}", fault.message);
            }
        }
    }
}

/// Checking takes linear time, so a request with many messages is checked quickly.
#[test]
fn a_large_request_is_checked_in_linear_time() {
    let result = |i: usize| json!({"type": "tool_result", "tool_use_id": format!("t{i}")});
    let calls: Vec<_> = (0..20_000)
        .map(|i| json!({"type": "tool_use", "id": format!("t{i}"), "name": "f", "input": {}}))
        .collect();
    let results: Vec<_> = (0..20_000).rev().map(result).collect();
    let request = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
    ]);
    assert_eq!(check(Format::Anthropic, &request), []);
}

/// Generates values of any type, in place of the expected ones.
fn anything() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "user",
        "assistant",
        "tool",
        "text",
        "tool_use",
        "tool_result",
        "thinking",
        "message",
        "function_call",
        "function_call_output",
        "reasoning",
        "image",
        "document",
        "content",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.prop_map(Value::from),
        ".{0,5}".prop_map(Value::from),
    ];
    let field = prop::sample::select(vec![
        "type",
        "role",
        "content",
        "id",
        "call_id",
        "tool_calls",
        "tool_call_id",
        "tool_use_id",
        "name",
        "input",
        "output",
        "source",
        "function",
        "summary",
        "cache_control",
        "messages",
        "text",
        "result",
        "ok",
        "system",
        "tools",
        "thinking",
        "ttl",
        "url",
    ]);
    leaf.prop_recursive(5, 40, 5, move |inner| {
        let fields = prop::collection::vec((field.clone(), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            fields.prop_map(|fields| {
                fields.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
            }),
        ]
    })
}

/// Returns the n-th value of a tree, counted from the outside in.
fn nth<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(list) => list.iter_mut().find_map(|inner| nth(inner, left)),
        Value::Object(fields) => fields.values_mut().find_map(|inner| nth(inner, left)),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_value_stops_a_check(value in anything()) {
        for format in Format::ALL {
            for fault in check(format, &value) {
                prop_assert!(rules(format).iter().any(|rule| rule.id == fault.rule), "{fault:?}");
            }
            count(format, &value);
        }
        detect(&value);
    }

    #[test]
    fn no_damage_to_a_good_request_stops_a_check(
        number in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        damage in anything(),
        format in prop::sample::select(Format::ALL.to_vec()),
    ) {
        let good = good(format);
        let mut request = good[number.index(good.len())].clone();
        let mut place = place.index(60);
        if let Some(slot) = nth(&mut request, &mut place) {
            *slot = damage;
        }
        for format in Format::ALL {
            for fault in check(format, &request) {
                prop_assert!(!fault.hint.is_empty(), "{fault:?}");
            }
        }
    }
}
