//! Every tool called: the same answers as on the command line, and failures that a model can read.

use serde_json::{Value, json};

use super::client::{Client, message};
use crate::place::Place;

/// Proves S1-29, S1-30: the worked example by tools alone.
#[test]
fn the_worked_example_by_tools() {
    let place = Place::new();
    let mut client = Client::new(&place);
    let question = message("user", "why does login time out?");
    let appended = client.done("append", json!({"messages": [question]}));
    assert_eq!(appended["appended"], 1);
    let went = client.done("scope", json!({"name": "step-1", "note": "Investigating the timeout"}));
    assert_eq!((&went["scope"], &went["origin"]), (&json!("step-1"), &json!("main")));
    let read = message("user", "cat config.py");
    client.done("append", json!({"messages": [read]}));
    let noted = client.done("note", json!({"message": "the session lasts 1 s"}));
    let back = client.done("goto", json!({"name": "main", "note": "Fixed the session's length"}));
    assert_eq!((&back["scope"], &back["origin"]), (&json!("main"), &json!("step-1")));

    let shown = client.done("compose", json!({}));
    let memory = shown["messages"][0]["content"].as_str().unwrap();
    assert!(memory.starts_with("[EPISODIC MEMORY]\n"), "{memory}");
    assert!(memory.contains("[→ step-1] Investigating the timeout"), "{memory}");
    assert!(memory.ends_with("[← step-1] Fixed the session's length"), "{memory}");
    assert_eq!(shown["messages"][1]["content"], "why does login time out?");
    assert_eq!(shown["messages"].as_array().unwrap().len(), 2);

    let notes = client.done("notes", json!({"name": "step-1"}));
    let last = notes["notes"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["hash"], noted["hash"]);
    let scopes = client.done("scopes", json!({}));
    let names: Vec<_> = scopes["scopes"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["main", "step-1"]);
    let hash = noted["hash"].as_str().unwrap();
    assert_eq!(client.done("read", json!({"handle": hash}))["message"], "the session lasts 1 s");
    let snapshot = client.done("read", json!({"handle": hash, "snapshot": true}));
    assert_eq!(snapshot["messages"][0]["content"], "cat config.py");
    let here = client.done("where", json!({}));
    assert_eq!((&here["actor"], &here["kind"]), (&json!("tester"), &json!("agent")));
    place.head();
}

/// What a tool answers is what the command line answers, word for word.
#[test]
fn reading_tools_answer_as_the_command_line_does() {
    let place = Place::new();
    let mut client = Client::named(&place, "x", &["--as", "ada"]);
    client
        .done("append", json!({"messages": [message("user", "hello"), message("user", "again")]}));
    client.done("note", json!({"message": "found"}));
    for (tool, words, arguments) in [
        ("where", vec!["where"], json!({})),
        ("scopes", vec!["scopes"], json!({})),
        ("notes", vec!["notes", "main"], json!({"name": "main"})),
        ("read", vec!["read", "3"], json!({"handle": "3"})),
        ("compose", vec!["compose", "--budget", "9000"], json!({"budget": 9000})),
    ] {
        assert_eq!(client.done(tool, arguments), place.json(&words), "{tool}");
    }
}

/// The text of an answer is for models that are shown nothing else: whole, and without colours.
#[test]
fn texts_say_it_all_without_colours() {
    let place = Place::new();
    let mut client = Client::new(&place);
    let long = "word ".repeat(1_000);
    client.done("append", json!({"messages": [message("user", &long)]}));
    let answer = client.call("compose", json!({}));
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(long.trim_end()), "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains('█'), "{text}");
    let answer = client.call("read", json!({"handle": "3.0"}));
    assert_eq!(answer["content"][0]["text"].as_str().unwrap(), long);
    // A turn is a word that looks like a number, and a model writes it so.
    assert_eq!(client.done("read", json!({"handle": 3}))["id"], "3");
    assert_eq!(client.done("rewind", json!({"to": 3}))["to"], 3);
}

#[test]
fn rewind_hides_and_loses_nothing() {
    let place = Place::new();
    let mut client = Client::new(&place);
    let messages = [message("user", "name a colour"), message("assistant", "blue")];
    client.done("append", json!({"messages": messages}));
    let rewound = client.done("rewind", json!({"to": "3"}));
    assert_eq!(rewound["messages"], 1);
    assert_eq!(client.done("rewind", json!({"to": "3"}))["messages"], 1);
    assert_eq!(client.done("compose", json!({}))["messages"].as_array().unwrap().len(), 1);
    assert_eq!(client.done("read", json!({"handle": "4.0"}))["text"], "blue");
}

/// Key order, numbers' spelling and odd characters come back as they went in.
#[test]
fn messages_are_kept_as_they_are_spelt() {
    let place = Place::new();
    let mut client = Client::new(&place);
    let line = r#"{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"append","#
        .to_string()
        + r#""arguments":{"messages":[{"z":1.50,"role":"user","a":1e3,"content":"\u0000 \ud800 é","#
        + r#""n":12345678901234567890123,"m":-0}]}}}"#;
    client.send(&line);
    assert_eq!(client.line()["result"]["isError"], false);
    let answer = client.call("read", json!({"handle": "3"}));
    let text = answer["content"][0]["text"].as_str().unwrap();
    let kept = r#"{"z":1.50,"role":"user","a":1e3,"content":"\u0000 � é","#.to_string()
        + r#""n":12345678901234567890123,"m":-0}"#;
    assert_eq!(text.trim_end(), kept);
    // The protocol's types hold numbers of the usual size only.
    let structured = &answer["structuredContent"]["result"]["message"];
    assert_eq!(structured["a"], 1000.0, "{structured}");
}

/// A number that no client could read is refused where it comes in, and never costs an answer.
#[test]
fn a_number_too_large_is_refused_over_mcp_and_shown_where_it_is_stored() {
    let place = Place::new();
    let huge = br#"{"role":"user","content":"hello","n":1e999}"#;
    let ran = place.run_with(&["--json", "append", "-"], huge);
    let appended: Value = serde_json::from_str(&ran.out).unwrap();
    let handle = appended["result"]["head"].to_string();
    let mut client = Client::new(&place);
    assert_eq!(client.done("read", json!({"handle": handle}))["message"]["n"], "1e999");
    let line = r#"{"jsonrpc":"2.0","id":78,"method":"tools/call","params":"#.to_string()
        + r#"{"name":"append","arguments":{"messages":[{"role":"user","n":1e999}]}}}"#;
    client.send(&line);
    let answer = client.line();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(78), &json!(-32600)), "{answer}");
}

/// A broken stream makes clients repeat a call: under a key it is done once.
#[test]
fn a_call_repeated_under_its_key_is_done_once() {
    let place = Place::new();
    let mut client = Client::new(&place);
    for (tool, arguments) in [
        ("append", json!({"messages": [message("user", "once")], "key": "k1"})),
        ("note", json!({"message": "once", "key": "k2"})),
        ("scope", json!({"name": "s", "note": "once", "key": "k3"})),
        ("goto", json!({"name": "main", "note": "once", "key": "k4"})),
        ("rewind", json!({"to": "3", "key": "k5"})),
    ] {
        let first = client.done(tool, arguments.clone());
        let events = place.head();
        assert_eq!(client.done(tool, arguments), first, "{tool}");
        assert_eq!(place.head(), events, "{tool}");
    }
    let other = json!({"message": "another", "key": "k2"});
    assert_eq!(client.refused("note", other)["code"], "conflict");
}

#[test]
fn failures_are_told_with_a_hint_and_change_nothing() {
    let place = Place::new();
    let mut client = Client::new(&place);
    client.done("append", json!({"messages": [message("user", "hello")]}));
    let before = place.head();
    let cases: [(&str, Value, &str); 16] = [
        ("goto", json!({"name": "nowhere", "note": "off"}), "not_found"),
        ("goto", json!({"name": "main", "note": "off"}), "conflict"),
        ("scope", json!({"name": "main", "note": "off"}), "conflict"),
        ("note", json!({"message": ""}), "usage"),
        ("note", json!({"message": "x", "expect_head": 1}), "conflict"),
        ("note", json!({}), "usage"),
        ("note", json!({"message": ["x"]}), "usage"),
        ("note", json!({"message": "x", "mesage": "y"}), "usage"),
        ("note", json!({"message": "x", "key": ""}), "usage"),
        ("append", json!({"messages": "hello"}), "usage"),
        ("append", json!({"messages": ["hello"]}), "usage"),
        ("append", json!({"messages": [{"role": "wizard", "content": "x"}]}), "usage"),
        ("compose", json!({"budget": 3}), "refused"),
        ("compose", json!({"layout": "round"}), "usage"),
        ("read", json!({"handle": "999.0"}), "not_found"),
        ("rewind", json!({"to": "never"}), "usage"),
    ];
    for (tool, arguments, code) in cases {
        let error = client.refused(tool, arguments.clone());
        assert_eq!(error["code"], code, "{tool} {arguments}: {error}");
    }
    assert_eq!(place.head(), before);
}

/// A text that begins with @ is a text: no tool reads files.
#[test]
fn no_tool_reads_a_file() {
    let place = Place::new();
    std::fs::write(place.path().join("secret.txt"), "hunter2").unwrap();
    let mut client = Client::new(&place);
    let shown = client.done("compose", json!({"system": "@secret.txt"}));
    assert_eq!(shown["messages"][0]["content"], "@secret.txt");
}

#[test]
fn without_a_store_a_tool_says_how_to_get_one() {
    let place = Place::empty();
    let mut client = Client::new(&place);
    let error = client.refused("where", json!({}));
    assert_eq!(error["code"], "not_found");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("init") && !hint.contains("`ambit "), "{error}");
    assert_eq!(
        client.result("resources/list", json!({}))["resources"].as_array().unwrap().len(),
        3
    );
    // Whether a provider would take a request has nothing to do with one; nor is it settled who
    // asks.
    let request = json!({"messages": [message("user", "hello")]});
    let checked = &client.call("check", json!({"request": request}))["structuredContent"];
    assert_eq!((&checked["result"]["ok"], &checked["actor"]), (&json!(true), &json!(null)));
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    assert_eq!(place.run(&["init"]).code, 0);
    assert_eq!(client.done("where", json!({}))["primary_scope"], "main");
}

/// `--scope` pins one: there is no way out of it.
#[test]
fn a_pinned_scope_is_where_all_is_done() {
    let place = Place::new();
    let mut free = Client::new(&place);
    free.done("scope", json!({"name": "review", "note": "off"}));
    free.done("goto", json!({"name": "main", "note": "back"}));
    let mut pinned = Client::named(&place, "reviewer", &["--scope", "review"]);
    let appended = pinned.done("append", json!({"messages": [message("user", "hello")]}));
    assert_eq!(appended["scope"], "review");
    let error = pinned.refused("goto", json!({"name": "main", "note": "out"}));
    assert_eq!(error["code"], "refused");
}

/// A connection acts as itself and as the subagents that descend from it, wherever it is pinned; as
/// nobody else.
#[test]
fn a_connection_acts_as_its_subagents_and_as_nobody_else() {
    let place = Place::new();
    place.json(&["note", "-m", "somebody else", "--as", "eve"]);
    place.json(&["scope", "review", "-m", "off", "--as", "eve"]);
    let mut client = Client::named(&place, "reviewer", &["--as", "lead", "--scope", "review"]);
    let fork = json!({"op": "fork", "name": "7", "task": "count to seven"});
    assert_eq!(client.done("subagent", fork)["actor"], "7");
    // A name may look like a number.
    for actor in [json!("7"), json!(7)] {
        let noted = client.call("note", json!({"message": "by the child", "actor": actor}));
        let envelope = &noted["structuredContent"];
        assert_eq!(envelope["actor"], "7", "{envelope}");
        assert_eq!(envelope["result"]["scope"], "7", "in its own scope: {envelope}");
    }
    // Proves S0-79: who failed is said too.
    let failed = client.call("trace", json!({"op": "why", "id": "nothing", "actor": "7"}));
    assert_eq!(failed["structuredContent"]["ok"], false, "{failed}");
    assert_eq!(failed["structuredContent"]["actor"], "7", "{failed}");
    let here = client.done("where", json!({"actor": "7"}));
    assert_eq!(here["primary_scope"], "7");
    assert_eq!(client.done("where", json!({"actor": "lead"}))["primary_scope"], "review");
    for stranger in [json!("eve"), json!("nobody"), json!("act_1")] {
        let error = client.refused("note", json!({"message": "as another", "actor": stranger}));
        assert_eq!(error["code"], "not_found");
    }
    for odd in [json!(["7"]), json!(true), json!({})] {
        let error = client.refused("note", json!({"message": "odd", "actor": odd}));
        assert_eq!(error["code"], "usage");
    }
    let back = json!({"op": "rejoin", "actor": "7", "note": "seven"});
    assert_eq!(client.done("subagent", back)["parent_scope"], "review");
}
