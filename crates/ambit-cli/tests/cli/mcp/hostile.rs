//! Clients that misbehave: the store stays whole, and the process does not stay behind.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{Client, message};
use crate::place::Place;

/// How long a process may take to leave when its client is gone.
const LEAVE: Duration = Duration::from_secs(5);

#[test]
fn a_client_that_closes_its_end_leaves_no_process_and_a_whole_store() {
    let place = Place::new();
    let mut client = Client::new(&place);
    client.done("append", json!({"messages": [message("user", "hello")]}));
    assert!(client.leave(LEAVE).success());
    assert_eq!(place.json(&["where"])["messages"], 1);
    place.head();
    // One that never said a word.
    assert!(Client::start(&place, &[]).leave(LEAVE).success());
}

/// What was asked before the end is still done: the answer may be lost, the work is not.
#[test]
fn what_was_asked_before_a_client_left_is_done() {
    let place = Place::new();
    let mut client = Client::new(&place);
    for n in 0..20 {
        let arguments = json!({"messages": [message("user", &format!("message {n}"))]});
        client.ask("tools/call", json!({"name": "append", "arguments": arguments}));
    }
    assert!(client.leave(LEAVE).success());
    let shown = place.json(&["compose"]);
    let texts: Vec<_> = shown["messages"].as_array().unwrap().iter().collect();
    assert_eq!(texts.len(), 20);
    assert!(texts[19]["content"].as_str().unwrap().ends_with("message 19"), "{shown}");
}

/// Calls are done in the order in which they came, also for who does not wait in between.
#[test]
fn calls_are_done_in_their_order() {
    let place = Place::new();
    let mut client = Client::new(&place);
    let mut ids = Vec::new();
    for n in 0..30 {
        let note = json!({"name": "note", "arguments": {"message": format!("note {n}")}});
        ids.push(client.ask("tools/call", note));
        ids.push(client.ask("tools/call", json!({"name": "where", "arguments": {}})));
    }
    let answers: Vec<_> = ids.iter().map(|_| client.line()).collect();
    for (index, id) in ids.iter().enumerate() {
        let answer = answers.iter().find(|answer| answer["id"] == *id).unwrap();
        if index % 2 == 1 {
            let notes = &answer["result"]["structuredContent"]["result"]["notes"];
            assert_eq!(*notes, index / 2 + 1, "{answer}");
        }
    }
}

#[test]
fn a_killed_server_leaves_the_store_whole_and_its_name_free() {
    let place = Place::new();
    for n in 0..3 {
        let mut client = Client::new(&place);
        client.done("append", json!({"messages": [message("user", "hello")]}));
        assert_eq!(client.done("where", json!({}))["actor"], "tester");
        let arguments =
            json!({"messages": [message("user", "on its way")], "key": format!("k{n}")});
        client.ask("tools/call", json!({"name": "append", "arguments": arguments.clone()}));
        client.kill();
        // Whether it was done or not, asked again under its key it is done once.
        let mut client = Client::new(&place);
        client.done("append", arguments);
        assert_eq!(client.done("where", json!({}))["messages"], 2 * (n + 1));
    }
    place.head();
}

#[test]
fn garbage_is_passed_over() {
    let place = Place::new();
    let mut client = Client::new(&place);
    for garbage in ["", "   ", "hello", "{", "\u{1b}[31m", "{\"jsonrpc\":", "nul", "\u{feff}"] {
        client.send(garbage);
    }
    assert!(client.silent(Duration::from_millis(200)));
    assert_eq!(client.done("where", json!({}))["actor"], "tester");
    // JSON that is not a message gets an answer: a client must not wait for ever.
    for wrong in ["[]", "5", "\"x\"", "{}", "{\"id\":9}", "{\"jsonrpc\":\"1.0\",\"id\":9}"] {
        client.send(wrong);
        let answer = client.line();
        assert!(answer["error"]["code"].is_i64(), "{wrong}: {answer}");
    }
    client.send("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/dance\"}");
    let answer = client.line();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(9), &json!(-32601)), "{answer}");
    let answer = client.request("tools/call", json!({"name": "dance"}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = client.request("tools/call", json!({"name": "where", "arguments": "x"}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = client.request("resources/read", json!({"uri": 5}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(client.done("where", json!({}))["actor"], "tester");
}

/// Bytes that are no text at all.
#[test]
fn bytes_that_are_no_text_are_passed_over() {
    let place = Place::new();
    let mut command = place.command();
    let pipes = command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = pipes.stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"\xff\xfe\x00\n\x80\n").unwrap();
    stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line.trim(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// A line over the limit is answered by an error that names the limit; all goes on.
#[test]
fn a_huge_line_is_refused_and_nothing_of_it_kept() {
    let place = Place::new();
    let mut client = Client::new(&place);
    let text = "x".repeat(17 << 20);
    let arguments = json!({"messages": [message("user", &text)]});
    client.ask("tools/call", json!({"name": "append", "arguments": arguments}));
    let answer = client.line();
    let why = answer["error"]["message"].as_str().unwrap();
    assert!(why.contains("16777216 bytes"), "{answer}");
    assert_eq!(client.done("where", json!({}))["messages"], 0);
}

/// A client that never reads: its answers fill the pipe, and then the process leaves.
#[test]
fn a_client_that_never_reads_is_left() {
    let place = Place::new();
    let text = "word ".repeat(100_000);
    assert_eq!(place.run_with(&["append", "--role", "user", "-"], text.as_bytes()).code, 0);
    let before = place.head();
    let mut command = place.command();
    command.args(["mcp", "--patience", "2"]);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = pipes.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":
        "2025-06-18","capabilities":{},"clientInfo":{"name":"mute","version":"1"}}}"#;
    writeln!(stdin, "{}", hello.replace('\n', "")).unwrap();
    let began = Instant::now();
    for id in 2..2_000 {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "compose", "arguments": {}}});
        // Neither does it read for ever what is sent.
        if writeln!(stdin, "{call}").is_err() {
            break;
        }
    }
    while child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(30), "it still waits to be read");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(place.head(), before);
}

/// A client that asks much and waits for nothing still gets every answer, once it reads.
#[test]
fn a_client_may_ask_more_than_is_done_at_once() {
    let place = Place::new();
    let mut client = Client::new(&place);
    // Some are no longer waited for: they do not count for ever.
    for _ in 0..100 {
        let id = client.ask("tools/call", json!({"name": "where", "arguments": {}}));
        let params = json!({"requestId": id});
        let cancel =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        client.send(&cancel.to_string());
    }
    let ids: Vec<_> = (0..500).map(|_| client.ask("ping", json!({}))).collect();
    let mut answered = std::collections::BTreeSet::new();
    while !ids.iter().all(|id| answered.contains(id)) {
        answered.insert(client.line()["id"].as_i64().unwrap());
    }
    assert_eq!(client.done("where", json!({}))["actor"], "tester");
}

/// A client that closes only its reading end.
#[test]
fn a_client_that_cannot_be_answered_is_left() {
    let place = Place::new();
    let mut command = place.command();
    let pipes = command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = pipes.stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}").unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < LEAVE, "it still waits for questions");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A client that skips the handshake gets an error, and the server exits.
#[test]
fn a_client_that_begins_with_something_else_gets_an_error() {
    let place = Place::new();
    let mut client = Client::start(&place, &[]);
    let answer = client.request("tools/list", json!({}));
    assert!(answer["error"]["code"].is_i64(), "{answer}");
}
