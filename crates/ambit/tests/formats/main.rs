//! Conversations in every wire format, composed in every other: an independent check finds no
//! fault in any composition.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod conversation;
mod generated;
mod traces;

use ambit::{Caller, Composition, Engine, Format, Request, Source, check_request, parse_messages};
use ambit_testkit::chance;
use serde_json::Value;

/// Appends messages of a format, all at once.
pub fn append(engine: &Engine, caller: &Caller, format: Format, messages: &[Value]) {
    let json = Value::from(messages.to_vec()).to_string();
    let source = parse_messages(json.as_bytes(), Source::Wire(format), &|_| {});
    let source = source.unwrap_or_else(|error| panic!("{error}: {json}"));
    engine.append(caller, source).unwrap_or_else(|error| panic!("{error}: {json}"));
}

/// Returns whether a model produced an item of Responses: items of one response are appended
/// together.
pub fn by_model(item: &Value) -> bool {
    let kind = item["type"].as_str().unwrap_or("message");
    item["role"] == "assistant" || kind == "reasoning" || kind.ends_with("_call")
}

/// Composes in a format.
pub fn compose(engine: &Engine, caller: &Caller, format: Format, budget: i64) -> Composition {
    let request = Request { budget: Some(budget), format: Some(format), ..Request::default() };
    engine.compose(caller, &request).unwrap_or_else(|error| panic!("{format:?}: {error}"))
}

/// Returns a composition's messages without cache marks.
pub fn messages(composition: &Composition) -> Vec<Value> {
    let parse = |raw: &serde_json::value::RawValue| {
        let mut message = serde_json::from_str(raw.get()).unwrap();
        unmark(&mut message);
        message
    };
    composition.messages.iter().map(|raw| parse(raw)).collect()
}

pub fn unmark(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.shift_remove("cache_control");
            object.values_mut().for_each(unmark);
        }
        Value::Array(list) => list.iter_mut().for_each(unmark),
        _ => {}
    }
}

/// Panics if a provider would refuse a composition.
pub fn must_be_valid(composition: &Composition, what: &dyn Fn() -> String) {
    let format = Format::parse(composition.format).unwrap();
    // An empty request is never sent.
    if composition.messages.is_empty() {
        return;
    }
    let json = serde_json::to_string(composition).unwrap();
    let answer = check_request(json.as_bytes(), Some(format)).unwrap();
    let faults: Vec<_> =
        answer.faults.iter().map(|it| format!("{}: {}: {}", it.at, it.rule, it.message)).collect();
    assert!(answer.ok, "{faults:#?}\n{}\n{:#?}", what(), messages(composition));
}
