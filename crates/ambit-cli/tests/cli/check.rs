//! `check`: needs no store, and says in the envelope and by the exit code what it found.

use serde_json::{Value, json};

use crate::place::{Place, Ran};

fn checked(place: &Place, arguments: &[&str], input: &Value) -> (i32, Value) {
    let arguments: Vec<_> = ["check", "-", "--json"].iter().chain(arguments).copied().collect();
    let ran = place.run_with(&arguments, input.to_string().as_bytes());
    (ran.code, serde_json::from_str(&ran.out).unwrap())
}

#[test]
fn faults_stand_in_the_answer_and_nothing_is_made() {
    let place = Place::empty();
    let bad = json!([{"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}]);
    let (code, answer) = checked(&place, &[], &bad);
    assert_eq!(code, 5, "{answer}");
    assert_eq!(answer["ok"], true);
    let result = &answer["result"];
    assert_eq!((&result["ok"], &result["format"]), (&json!(false), &json!("responses")));
    assert_eq!(result["messages"], 1);
    let fault = &result["faults"][0];
    assert_eq!((&fault["at"], &fault["rule"]), (&json!("input[0]"), &json!("unanswered")));
    assert!(fault["message"].is_string() && fault["hint"].is_string(), "{fault}");

    let good = json!({"messages": [{"role": "user", "content": "hello"}]});
    let (code, answer) = checked(&place, &["--format", "anthropic"], &good);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(
        answer["result"],
        json!({"ok": true, "format": "anthropic", "messages": 1,
        "faults": []})
    );
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

/// A store that cannot be opened is nobody's business here.
#[test]
fn no_store_is_opened() {
    let place = Place::empty();
    let file = place.path().join("request.json");
    std::fs::write(&file, "[{\"role\":\"user\",\"content\":\"hello\"}]").unwrap();
    let ran = place.run(&["check", "request.json", "--store", "postgres://127.0.0.1:1/none"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn what_compose_prints_is_a_request() {
    let place = Place::new();
    place.json(&["append", "--role", "user", "hello"]);
    place.json(&["note", "-m", "it says which format it is in"]);
    for format in ["openai", "responses", "anthropic"] {
        let ran = place.run(&["compose", "--json", "--format", format]);
        let ran = place.run_with(&["check", "-"], ran.out.as_bytes());
        let told = ran.out.contains(&format!("as {format}")) && ran.out.contains("no faults");
        assert_eq!((ran.code, told), (0, true), "{ran:?}");
    }
}

#[test]
fn what_cannot_be_read_is_told() {
    let place = Place::empty();
    let told = |ran: &Ran, code: i32, words: &str| {
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(ran.err.contains(words) && ran.err.contains("hint:"), "{ran:?}");
    };
    told(&place.run(&["check", "nothing.json"]), 3, "nothing.json");
    told(&place.run(&["check", "."]), 2, ".: ");
    told(&place.run_with(&["check", "-"], b""), 2, "not JSON: EOF");
    told(&place.run_with(&["check", "-"], b"[\n{\"a\": tru}]"), 2, "line 2 column");
    told(&place.run_with(&["check", "-"], b"\xff"), 2, "not UTF-8");
    let deep = "[".repeat(100_000);
    told(&place.run_with(&["check", "-"], deep.as_bytes()), 2, "not JSON");
    let huge = vec![b' '; (64 << 20) + 1];
    told(&place.run_with(&["check", "-"], &huge), 5, "more than 67108864 bytes");
}
