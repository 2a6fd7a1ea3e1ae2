//! A day of real work, if a folder of traces exists: files that an agent read are visited, files
//! that it edited are changed, and `why` of its last edit names what it had read.

use std::path::PathBuf;

use ambit::{Caller, Engine, GetRequest, PutRequest};
use serde_json::Value;

/// How an agent used a file.
enum Touch {
    Read,
    Edit(String),
}

fn sessions() -> Vec<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/traces");
    let folder = std::env::var_os("AMBIT_TRACES").map_or(PathBuf::from(beside), PathBuf::from);
    if !folder.is_dir() {
        println!("no traces: {} is not there (AMBIT_TRACES names its folder)", folder.display());
        return Vec::new();
    }
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|it| it == "jsonl")).collect()
}

/// Returns the files that a session's tool calls name, in order.
fn touches(session: &str) -> Vec<(String, Touch)> {
    let lines = session.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let parts = lines.flat_map(|line| {
        let content = line["message"]["content"].as_array().cloned();
        content.unwrap_or_default()
    });
    let calls = parts.filter(|part| part["type"] == "toolCall");
    let touch = |call: Value| {
        let arguments = &call["arguments"];
        let path = arguments["path"].as_str()?.to_string();
        let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_string();
        match call["name"].as_str()? {
            "read" => Some((path, Touch::Read)),
            "edit" => Some((path, Touch::Edit(text("newText")))),
            "write" => Some((path, Touch::Edit(text("content")))),
            _ => None,
        }
    };
    calls.filter_map(touch).collect()
}

/// Returns a valid object name: a long path is shortened at its front.
fn name(path: &str) -> String {
    let kept: Vec<char> = path.chars().filter(|c| !c.is_control()).collect();
    let start = kept.len().saturating_sub(400);
    kept[start..].iter().collect::<String>().trim().to_string()
}

fn put(engine: &Engine, me: &Caller, name: &str, text: String) -> i64 {
    let request = PutRequest { object: name.to_string(), text, of_type: None, into: None };
    engine.put(me, &request).unwrap().event
}

#[test]
fn why_of_the_last_edit_names_what_was_read() {
    for file in sessions() {
        let session = std::fs::read_to_string(&file).unwrap();
        let (engine, me) = (Engine::memory().unwrap(), Caller::new("agent"));
        let mut touched: Vec<String> = Vec::new();
        let mut last = None;
        for (number, (path, touch)) in touches(&session).into_iter().enumerate() {
            let name = name(&path);
            let known = touched.contains(&name);
            let mind: Vec<String> = touched.iter().rev().take(7).cloned().collect();
            match touch {
                Touch::Read if known => {
                    let request = GetRequest { named: name.clone(), ..GetRequest::default() };
                    assert!(engine.get(&me, &request).unwrap().visited);
                }
                // A file that was not seen before is stored first.
                Touch::Read => drop(put(&engine, &me, &name, format!("as found, {number}"))),
                Touch::Edit(text) => {
                    let event = put(&engine, &me, &name, format!("{text}\n{number}"));
                    last = Some((event, name.clone(), mind));
                }
            }
            touched.retain(|it| *it != name);
            touched.push(name);
        }
        let Some((event, name, mind)) = last else { continue };
        let why = engine.why(&me, &event.to_string()).unwrap();
        assert_eq!(why.name.as_deref(), Some(name.as_str()));
        let named: Vec<_> = why.context.iter().map(|it| it.thing.name.clone()).collect();
        assert_eq!(named, mind, "{}", file.display());
        assert!(!why.before.is_empty());
        let verified = engine.verify(&me, &|_| {}).unwrap();
        assert!(verified.ok, "{:?}", verified.problem);
        let shown = file.file_name().unwrap_or_default().to_string_lossy();
        println!("{shown}: {} events; why of {name}: {named:#?}", verified.events);
    }
}
