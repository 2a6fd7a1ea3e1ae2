//! Tests the example's agent loop with a scripted model behind a real HTTP server.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../examples/agent_loop.rs"]
#[expect(dead_code, reason = "the test calls `run`, and not its `main`")]
mod agent_loop;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;

use agent_loop::{Endpoint, run};
use ambit::{Caller, Engine, Request};
use serde_json::{Value, json};

/// Answers each request with the next of its replies. Returns its address, and at the end the
/// requests it received.
fn model(replies: Vec<Value>) -> (String, thread::JoinHandle<Vec<Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let served = thread::spawn(move || {
        let mut asked = Vec::new();
        for reply in replies {
            let mut stream = BufReader::new(listener.accept().unwrap().0);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                assert!(stream.read_line(&mut head).unwrap() > 0, "{head}");
            }
            assert!(head.starts_with("POST /v1/chat/completions HTTP/1.0\r\n"), "{head}");
            assert!(head.contains("Authorization: Bearer secret\r\n"), "{head}");
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            let mut body = vec![0; length.unwrap().parse().unwrap()];
            stream.read_exact(&mut body).unwrap();
            asked.push(serde_json::from_slice(&body).unwrap());
            let answer = json!({"choices": [{"message": reply}]}).to_string();
            let out = stream.get_mut();
            write!(out, "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{answer}")
                .unwrap();
        }
        asked
    });
    (base, served)
}

fn call(id: &str, name: &str, arguments: &Value) -> Value {
    let function = json!({"name": name, "arguments": arguments.to_string()});
    let calls = json!([{"id": id, "type": "function", "function": function}]);
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

#[test]
fn the_loop_works_in_scopes_and_returns_the_result() {
    let found = "the session lasts 1 s instead of 3600 s";
    let (base, served) = model(vec![
        call("c1", "scope", &json!({"name": "look", "note": "Looking into the timeout"})),
        call("c2", "read_file", &json!({"path": "Cargo.toml"})),
        call("c3", "note", &json!({"message": found})),
        call("c4", "goto", &json!({"name": "nowhere", "note": found})),
        call("c5", "goto", &json!({"name": "main", "note": found})),
        json!({"role": "assistant", "content": "It lasts 1 s."}),
    ]);
    let engine = Engine::memory().unwrap();
    let me = Caller::new("agent");
    let endpoint = Endpoint { base, model: "scripted".into(), key: Some("secret".into()) };
    assert_eq!(run(&engine, &me, &endpoint, "why does login time out?").unwrap(), "It lasts 1 s.");
    let asked = served.join().unwrap();

    let texts = |asked: &Value| -> Vec<String> {
        let messages = asked["messages"].as_array().unwrap();
        messages.iter().map(|it| it["content"].as_str().unwrap_or("-").to_string()).collect()
    };
    assert!(asked.iter().all(|it| it["model"] == "scripted" && it["tools"].is_array()));
    // In its scope the model sees what it read; in main, only the result.
    assert!(texts(&asked[2]).iter().any(|text| text.contains("name = \"ambit\"")), "{asked:?}");
    assert!(texts(&asked[4]).iter().any(|text| text.contains("there is no scope named")));
    let last = texts(&asked[5]);
    assert!(last.iter().any(|text| text == "why does login time out?"), "{last:?}");
    assert!(last.iter().any(|text| text.contains(&format!("[← look] {found}"))), "{last:?}");
    assert!(!last.iter().any(|text| text.contains("name = \"ambit\"")), "{last:?}");
    // No request has a reply without its call, or a call without its reply.
    for asked in &asked {
        let messages = asked["messages"].as_array().unwrap();
        let mut open: Vec<&Value> = Vec::new();
        for message in messages {
            if message["role"] == "tool" {
                let at = open.iter().position(|id| **id == message["tool_call_id"]).unwrap();
                open.remove(at);
            }
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            open.extend(calls.map(|call| &call["id"]));
        }
        assert!(open.is_empty(), "{messages:?}");
    }
    let shown = engine.compose(&me, &Request::default()).unwrap();
    assert_eq!(shown.scope, "main");
}

#[test]
fn a_failing_endpoint_is_reported() {
    let engine = Engine::memory().unwrap();
    let me = Caller::new("agent");
    let endpoint = |base: &str| Endpoint { base: base.into(), model: "x".into(), key: None };
    let error = run(&engine, &me, &endpoint("https://example.org/v1"), "hello").unwrap_err();
    assert!(error.to_string().contains("http://"), "{error}");
    assert!(run(&engine, &me, &endpoint("http://127.0.0.1:1/v1"), "hello").is_err());
}
