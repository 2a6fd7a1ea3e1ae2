//! Every verb's arguments and answer have a schema, and real answers fit it.

use std::path::Path;

use ambit::Via;
use ambit_verbs::{Mcp, Object, Session, VERBS, find, properties};
use serde_json::{Value, json};

#[test]
fn every_verb_has_schemas() {
    for verb in VERBS {
        assert_eq!(verb.input()["type"], "object", "{}", verb.name);
        let output = verb.output();
        let either = output.get("anyOf").and_then(Value::as_array).cloned();
        for answer in either.unwrap_or_else(|| vec![Value::Object(output)]) {
            assert_eq!(answer["type"], "object", "{}: {answer}", verb.name);
            let fields = answer.as_object().map(|it| properties(it).count());
            assert_ne!(fields, Some(0), "{}: {answer}", verb.name);
        }
    }
}

/// Calls of every verb except `import`, in an order in which all of them succeed.
fn calls(folder: &Path) -> Vec<(&'static str, Value)> {
    let file = |name: &str| folder.join(name);
    let call = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}]});
    let hello = json!({"role": "user", "content": "hello"});
    vec![
        ("init", json!({})),
        ("where", json!({})),
        ("append", json!({"messages": [hello]})),
        ("scope", json!({"name": "step", "note": "off"})),
        ("note", json!({"message": "found"})),
        ("goto", json!({"name": "main", "note": "back"})),
        ("where", json!({"at": "1"})),
        ("scopes", json!({})),
        ("scopes", json!({"at": "3"})),
        ("notes", json!({})),
        ("compose", json!({})),
        ("compose", json!({"format": "anthropic", "system": "be kind"})),
        ("read", json!({"handle": "3"})),
        ("read", json!({"handle": "3", "lines": "1..1"})),
        ("search", json!({"query": "hello"})),
        ("check", json!({"request": {"messages": [call]}})),
        ("insight", json!({"message": "tests are slow"})),
        ("insights", json!({})),
        ("put", json!({"name": "a.txt", "content": "one\n"})),
        ("put", json!({"name": "a.txt", "content": "two\n"})),
        ("get", json!({"id": "a.txt"})),
        ("meta", json!({"id": "a.txt"})),
        ("objects", json!({})),
        ("enter", json!({"scope": "step"})),
        ("focus", json!({"scope": "step"})),
        ("focus", json!({"scope": "main"})),
        ("leave", json!({"scope": "step"})),
        ("place", json!({"id": "a.txt", "scope": "step"})),
        ("context", json!({})),
        ("suggest", json!({})),
        ("why", json!({"id": "a.txt"})),
        ("history", json!({"id": "a.txt"})),
        ("related", json!({"id": "a.txt"})),
        ("views", json!({})),
        ("diff", json!({"id": "a.txt"})),
        ("fork", json!({"name": "helper", "task": "look"})),
        ("rejoin", json!({"child": "helper", "note": "seen"})),
        ("fork", json!({"name": "other", "task": "look"})),
        ("abandon", json!({"child": "other"})),
        ("break", json!({})),
        ("revert", json!({"by": "tester", "since": "1h", "dry_run": true})),
        ("settings", json!({})),
        ("settings", json!({"name": "notes_shown", "value": "3"})),
        ("log", json!({})),
        ("verify", json!({})),
        ("rebuild", json!({})),
        ("gc", json!({"dry_run": true})),
        ("tidy", json!({})),
        ("doctor", json!({})),
        ("rewind", json!({"to": "3"})),
        ("forget", json!({"containing": "hello", "yes": true})),
        ("export", json!({"file": file("export.jsonl")})),
        ("backup", json!({"file": file("backup.db")})),
    ]
}

#[test]
fn answers_fit_their_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(folder.path());
    let calls = calls(folder.path());
    let mut wrong = Vec::new();
    for (name, arguments) in &calls {
        let verb = find(name).unwrap();
        match verb.run_json(&verb.input(), &arguments.to_string(), &session) {
            Err(why) => wrong.push(format!("{name} {arguments}: {}", why.message)),
            Ok(done) => {
                let answer = serde_json::from_str(done.answer.get()).unwrap();
                let misfit = misfit(&Value::Object(verb.output()), &answer);
                wrong.extend(misfit.map(|why| format!("{name} {arguments}: {why}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let called = |name: &str| calls.iter().any(|(it, _)| *it == name);
    // An import needs a store of its own.
    let rest: Vec<_> = VERBS.iter().map(|verb| verb.name).filter(|it| !called(it)).collect();
    assert_eq!(rest, ["import"], "add calls of the others to calls()");
}

/// Tools have no flags, and are not called by the program's name.
#[test]
fn answers_over_mcp_name_no_commands() {
    let folder = tempfile::tempdir().unwrap();
    let commands = session(folder.path());
    let tools = Session { via: Via::Mcp, ..session(folder.path()) };
    for (name, arguments) in calls(folder.path()) {
        let verb = find(name).unwrap();
        let offered = verb.mcp != Mcp::Withheld;
        let session = if offered { &tools } else { &commands };
        let done = verb.run_json(&verb.input(), &arguments.to_string(), session).unwrap();
        let text = done.plain_text();
        let named = text.contains("ambit ") || text.contains(" --");
        assert!(!offered || !named, "{name} {arguments}: {text}");
    }
}

/// A check that never fails would show nothing.
#[test]
fn a_misfit_is_found() {
    let schema = Value::Object(find("note").unwrap().output());
    let good = json!({"hash": "0", "scope": "main", "head": 1, "warnings": []});
    assert_eq!(misfit(&schema, &good), None);
    for (field, wrong) in [("hash", json!(null)), ("head", json!("1")), ("warnings", json!([1]))] {
        let mut bad = good.clone();
        bad[field] = wrong;
        assert!(misfit(&schema, &bad).is_some(), "{bad}");
        bad.as_object_mut().unwrap().remove(field);
        assert!(misfit(&schema, &bad).is_some(), "{bad}");
    }
}

fn session(folder: &std::path::Path) -> Session {
    Session {
        json: true,
        screen: None,
        folder: Some(folder.to_path_buf()),
        store: None,
        vault: "default".into(),
        actor: "tester".into(),
        named: true,
        kind: None,
        via: Via::Cli,
        scope: None,
        scope_flag: None,
        opened: None,
        progress: None,
    }
}

/// The first thing about the value that is not as the schema says.
fn misfit(schema: &Value, value: &Value) -> Option<String> {
    let schema: &Object = schema.as_object()?;
    let list = |word: &str| schema.get(word).and_then(Value::as_array).into_iter().flatten();
    let word = |word: &str| schema.contains_key(word);
    let types = schema.get("type").map(|it| match it {
        Value::Array(several) => several.clone(),
        one => vec![one.clone()],
    });
    let wrong = types.is_some_and(|types| !types.iter().any(|it| is(it, value)))
        || schema.get("const").is_some_and(|it| it != value)
        || (word("enum") && !list("enum").any(|it| it == value))
        || (word("anyOf") && !list("anyOf").any(|it| misfit(it, value).is_none()))
        || (word("oneOf") && list("oneOf").filter(|it| misfit(it, value).is_none()).count() != 1);
    if wrong {
        return Some(format!("{value} is not as {} says", json!(schema)));
    }
    if let Some(fields) = value.as_object() {
        let mut required = list("required").filter_map(Value::as_str);
        if let Some(name) = required.find(|name| !fields.contains_key(*name)) {
            return Some(format!("{name} is missing"));
        }
        let known = properties(schema).filter_map(|(name, it)| Some((it, fields.get(name)?)));
        return known.into_iter().find_map(|(schema, value)| misfit(schema, value));
    }
    let items = schema.get("items")?;
    value.as_array()?.iter().find_map(|item| misfit(items, item))
}

fn is(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap_or_default() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other}"),
    }
}
