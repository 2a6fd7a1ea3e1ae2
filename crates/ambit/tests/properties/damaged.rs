//! Damaged conversations, as in real transcripts: orphan replies, repeated ids, empty turns,
//! interleaved authors, calls that are never answered. They compose without a panic to valid
//! requests.

use std::path::PathBuf;

use ambit::{ActorKind, Caller, Engine, Kind, Layout, Request};
use serde_json::{Value, json};

use ambit_testkit::chance::Chance;
use ambit_testkit::conversation::checker::{Ending, check};

const CONVERSATIONS: u64 = 10_000;

/// Whole runs of an agent, the source of real conversations.
fn traces() -> Option<Vec<Vec<Value>>> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/traces");
    let folder = std::env::var_os("AMBIT_TRACES").map_or(PathBuf::from(beside), PathBuf::from);
    let file = folder.join("tau_airline_first10.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        println!("no traces: {} is not there (AMBIT_TRACES names its folder)", file.display());
        return None;
    };
    let runs: Vec<Value> = serde_json::from_str(&text).unwrap();
    Some(runs.iter().map(|run| run["traj"].as_array().unwrap().clone()).collect())
}

/// Generates a valid conversation to be damaged.
fn sound(chance: &mut Chance) -> Vec<Value> {
    let mut list = vec![json!({"role": "system", "content": "Be brief."})];
    for round in 0..1 + chance.below(4) {
        list.push(json!({"role": "user", "content": format!("question {round}")}));
        let ids: Vec<_> = (0..chance.below(4)).map(|n| format!("c{}", n % 3)).collect();
        if !ids.is_empty() {
            let call = |id: &String| {
                let function = json!({"name": "look", "arguments": "{\"q\":1}"});
                json!({"id": id, "type": "function", "function": function})
            };
            let calls: Vec<_> = ids.iter().map(call).collect();
            list.push(json!({"role": "assistant", "content": null, "tool_calls": calls}));
            let reply = |id| json!({"role": "tool", "tool_call_id": id, "content": "seen"});
            list.extend(ids.iter().map(reply));
        }
        list.push(json!({"role": "assistant", "content": format!("answer {round}")}));
    }
    list
}

/// Applies one kind of damage.
fn damage(list: &mut Vec<Value>, chance: &mut Chance) {
    if list.is_empty() {
        return;
    }
    let (at, to) = (chance.below(list.len()), chance.below(list.len()));
    match chance.below(9) {
        0 => drop(list.remove(at)),
        1 => list.swap(at, to),
        2 => list.insert(to, list[at].clone()),
        3 => list.truncate(at + 1),
        4 => list[at]["content"] = chance.pick(&[json!(""), json!(null), json!([])]).clone(),
        5 => list[at]["content"] = json!([{"type": "text", "text": ""}]),
        6 => {
            let id = chance.pick(&["c0", "c9", ""]).to_string();
            list.insert(at, json!({"role": "tool", "tool_call_id": id, "content": "late"}));
        }
        7 => {
            if let Some(call) = list[at].pointer_mut("/tool_calls/0/id") {
                *call = json!(*chance.pick(&["c1", "c2", ""]));
            }
        }
        _ => list[at]["tool_calls"] = json!([]),
    }
}

/// Appends a conversation, each message by one of several authors, and composes it for each.
fn compose_all(engine: &Engine, vault: &str, list: &[Value], chance: &mut Chance) {
    let names = [("ada", ActorKind::Operator), ("bot", ActorKind::Agent)];
    let callers = names.map(|(name, kind)| {
        let mut caller = Caller::new(name);
        (caller.vault, caller.kind) = (vault.to_string(), kind);
        caller
    });
    engine.create_vault(vault).unwrap();
    let alone = chance.one_in(2);
    let ways = ["withhold", "close"];
    let dangling = *chance.pick(&ways);
    engine.set(&callers[0], "dangling", Some(dangling)).unwrap();
    // A caller may compose before the whole conversation is appended.
    let (first, second) = list.split_at(chance.below(list.len() + 1));
    for half in [first, second] {
        for message in half {
            let author = &callers[if alone { 1 } else { chance.below(2) }];
            engine.append_json(author, &message.to_string()).unwrap();
        }
        for caller in &callers {
            for budget in [200_000, 400] {
                check_one(engine, caller, budget, chance);
            }
        }
    }
}

fn check_one(engine: &Engine, caller: &Caller, budget: i64, chance: &mut Chance) {
    let layout = *chance.pick(&[Layout::Stable, Layout::Layered]);
    let request = Request { budget: Some(budget), layout: Some(layout), ..Request::default() };
    let composition = match engine.compose(caller, &request) {
        Ok(composition) => composition,
        Err(error) if error.kind() == Kind::Refused && budget < 1_000 => return,
        Err(error) => panic!("{error}"),
    };
    let parsed = composition.messages.iter().map(|it| serde_json::from_str(it.get()).unwrap());
    let messages: Vec<Value> = parsed.collect();
    if let Err(why) = check(&messages, Ending::Whole) {
        panic!("{}: {why}\n{messages:#?}", caller.vault);
    }
    assert!(composition.tokens <= budget);
}

// Proves D1-11, S1-37, S1-38, X-16.
#[test]
fn damaged_conversations_compose_to_valid_requests() {
    let traces = traces().unwrap_or_default();
    for seed in 0..CONVERSATIONS {
        // One store per seed: vaults in one store are independent, but listing them takes time.
        let engine = Engine::memory().unwrap();
        let mut chance = Chance::new(seed);
        let mut list = sound(&mut chance);
        if seed % 500 == 0 && !traces.is_empty() {
            list = traces[(seed / 500) as usize % traces.len()].clone();
        }
        for _ in 0..1 + chance.below(5) {
            damage(&mut list, &mut chance);
        }
        compose_all(&engine, &format!("damaged-{seed}"), &list, &mut chance);
    }
}

#[test]
fn real_conversations_compose_to_valid_requests() {
    for (index, list) in traces().unwrap_or_default().iter().enumerate() {
        let engine = Engine::memory().unwrap();
        let caller = Caller::new("bot");
        engine.append_json(&caller, &Value::from(list.clone()).to_string()).unwrap();
        // For a single author with enough room, a valid conversation is composed as appended.
        let composition = engine.compose(&caller, &Request::default()).unwrap();
        let raw = composition.messages.iter().map(|it| serde_json::from_str(it.get()).unwrap());
        let messages: Vec<Value> = raw.collect();
        if check(list, Ending::Whole).is_ok() {
            assert_eq!(&messages, list, "run {index}");
        }
        let mut chance = Chance::new(index as u64);
        for budget in [200_000, 8_000, 3_000] {
            check_one(&engine, &caller, budget, &mut chance);
        }
    }
}
