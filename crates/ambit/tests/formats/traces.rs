//! Real runs of agents, if a folder of them exists: at every turn, in every format, compositions
//! are valid and extend what was shown before.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ambit::{Caller, Composition, Engine, Format, Source, parse_messages};
use serde_json::Value;

use crate::{append, by_model, compose, messages, must_be_valid};

/// A run, message by message, in its original format.
struct Run {
    name: String,
    /// True for a person's session with an agent, false for a benchmark's run.
    is_session: bool,
    format: Format,
    messages: Vec<Value>,
}

fn folder() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/traces");
    let folder = std::env::var_os("AMBIT_TRACES").map_or(PathBuf::from(beside), PathBuf::from);
    if !folder.is_dir() {
        println!("no traces: {} is not there (AMBIT_TRACES names its folder)", folder.display());
        return None;
    }
    Some(folder)
}

/// Returns all runs of the folder in their original format.
fn runs() -> Vec<Run> {
    let mut files: Vec<PathBuf> = folder()
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files.iter().flat_map(|file| read(file)).collect()
}

fn read(file: &std::path::Path) -> Vec<Run> {
    let bytes = std::fs::read(file).unwrap();
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let whole = |source: Source, name: String| {
        let engine = Engine::memory().unwrap();
        let caller = Caller::new("bot");
        let source_format = source.format();
        engine.append(&caller, parse_messages(&bytes, source, &|_| {}).unwrap()).unwrap();
        // As appended, one by one.
        let log = engine.log(&caller, None, 1_000_000).unwrap();
        let turns = log.events.iter().filter(|event| event.event == "appended");
        let turns = turns.map(|event| {
            let answer = engine.read_handle(&caller, &event.seq.to_string()).unwrap();
            let json = serde_json::to_value(&answer).unwrap();
            json["message"].clone()
        });
        let messages: Vec<Value> = turns.collect();
        Run { name, is_session: source == Source::Pi, format: source_format, messages }
    };
    if name.ends_with(".jsonl") {
        return vec![whole(Source::Pi, name)];
    }
    let runs: Vec<Value> = serde_json::from_slice(&bytes).unwrap();
    (1..=runs.len()).map(|run| whole(Source::Tau(Some(run)), format!("{name} {run}"))).collect()
}

/// The budget under which the long runs move their window many times.
const BUDGET: i64 = 24_000;

/// The last composition in a format.
#[derive(Default)]
struct Last {
    epoch: i64,
    cut: i64,
    blocks: Vec<String>,
}

/// Returns the content of a composition, block by block, regardless of messages.
fn blocks(composition: &Composition) -> Vec<String> {
    let mut all: Vec<String> = composition.system.iter().map(ToString::to_string).collect();
    for message in messages(composition) {
        match &message["content"] {
            Value::Array(parts) => all.extend(parts.iter().map(ToString::to_string)),
            Value::String(text) => {
                all.push(serde_json::json!({"type": "text", "text": text}).to_string());
            }
            _ => {}
        }
        let calls = message["tool_calls"].as_array();
        all.extend(calls.into_iter().flatten().map(ToString::to_string));
        if message.get("role").is_none() {
            all.push(message.to_string());
        }
    }
    all
}

// Proves S1-34, S1-38: at every turn of every run, for every pair of formats.
#[test]
fn real_runs_are_valid_and_stable_at_every_turn_in_every_format() {
    let mut kinds: BTreeMap<&str, Followed> = BTreeMap::new();
    for run in runs() {
        let all = kinds.entry(if run.is_session { "sessions" } else { "runs" }).or_default();
        for from in Format::ALL {
            follow(&run.name, from, &translated(&run, from), all);
        }
    }
    for (kind, Followed { compositions, extended, stable, tokens }) in kinds {
        let share = 100.0 * stable as f64 / tokens as f64;
        println!("{kind}: {share:.1} % of all tokens were a stable prefix");
        println!("{kind}: {extended} of {compositions} compositions extended the one before");
        // Otherwise the test would hardly have tested anything.
        assert!(extended * 10 > compositions * 9, "{extended} of {compositions}");
    }
}

/// Returns a run in another format, as composed there with room for all of it.
fn translated(run: &Run, to: Format) -> Vec<Value> {
    if run.format == to {
        return run.messages.clone();
    }
    let engine = Engine::memory().unwrap();
    let caller = Caller::new("bot");
    append(&engine, &caller, run.format, &run.messages);
    messages(&compose(&engine, &caller, to, 9_000_000))
}

/// Totals over all runs: the tokens shown, and those of them that were stable.
#[derive(Default)]
struct Followed {
    compositions: i64,
    extended: i64,
    stable: i64,
    tokens: i64,
}

/// Composes at every turn in every format.
fn follow(name: &str, from: Format, given: &[Value], all: &mut Followed) {
    let engine = Engine::memory().unwrap();
    let caller = Caller::new("bot");
    let mut last: [Last; 3] = Default::default();
    let mut begun = 0;
    for end in 1..=given.len() {
        let more = from == Format::Responses && given.get(end).is_some_and(by_model);
        if more && by_model(&given[end - 1]) {
            continue;
        }
        append(&engine, &caller, from, &given[begun..end]);
        begun = end;
        for (format, last) in Format::ALL.into_iter().zip(&mut last) {
            let composition = compose(&engine, &caller, format, BUDGET);
            let what = || format!("{name}: {from:?} to {format:?} at {end}");
            must_be_valid(&composition, &what);
            all.compositions += 1;
            all.extended += i64::from(extends(last, &composition, &what));
            all.stable += composition.stable_prefix_tokens;
            all.tokens += composition.tokens;
        }
    }
}

/// Checks that within an epoch and a step of the window, a composition begins with the one before.
/// Returns false if a new epoch or step began.
fn extends(last: &mut Last, composition: &Composition, what: &dyn Fn() -> String) -> bool {
    let cut = composition.left_out.iter().find(|it| it.id == "before the window");
    let cut = cut.map_or(0, |it| it.tokens);
    let blocks = blocks(composition);
    let goes_on = (last.epoch, last.cut) == (composition.epoch, cut);
    if goes_on {
        let same = last.blocks.iter().zip(&blocks).all(|(a, b)| a == b);
        assert!(same && last.blocks.len() <= blocks.len(), "{}: not what was shown", what());
    }
    *last = Last { epoch: composition.epoch, cut, blocks };
    goes_on
}
