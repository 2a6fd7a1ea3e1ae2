//! The log's bytes: the same script writes the same events, with the same hashes, as when
//! `fixtures/log.txt` was written. The fixture has every kind of event.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use ambit::{
    ActorKind, Caller, Engine, GetRequest, Inherit, Outside, PutRequest, RevertRequest, Selection,
};
use ambit_core::{What, hex};
use ambit_store::{Memory, Store};
use serde_json::json;

const LOG: &str = include_str!("fixtures/log.txt");
const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

struct World {
    engine: Engine,
    store: Arc<Memory>,
    clock: Arc<AtomicI64>,
}

impl World {
    fn new() -> World {
        let store = Arc::new(Memory::default());
        let clock = Arc::new(AtomicI64::new(1_800_000_000_000));
        let (now, seeds) = (clock.clone(), AtomicU64::new(0));
        let outside = Outside::given(
            move || now.load(Ordering::Relaxed),
            move || {
                let mut seed = [5; 32];
                let number = seeds.fetch_add(1, Ordering::Relaxed);
                seed[..8].copy_from_slice(&number.to_be_bytes());
                seed
            },
        );
        let engine = Engine::over(store.clone(), outside);
        engine.create_vault("default").unwrap();
        World { engine, store, clock }
    }

    fn pass(&self, ms: i64) {
        self.clock.fetch_add(ms, Ordering::Relaxed);
    }

    fn put(&self, caller: &Caller, object: &str, text: &str, kind: Option<&str>) -> i64 {
        let (object, text) = (object.to_string(), text.to_string());
        let of_type = kind.map(str::to_string);
        let request = PutRequest { object, text, of_type, into: None };
        self.engine.put(caller, &request).unwrap().event
    }

    fn get(&self, caller: &Caller, name: &str) {
        let request = GetRequest { named: name.to_string(), ..GetRequest::default() };
        self.engine.get(caller, &request).unwrap();
    }

    /// Returns the log, one line per event: sequence, time, actor, view, hash, body.
    fn log(&self) -> String {
        let mut log = String::new();
        self.store
            .read("default", &mut |snapshot| {
                for event in snapshot.events(0, i64::MAX)? {
                    let view = event.view.map_or("-".to_string(), |view| view.to_string());
                    let body = String::from_utf8(event.body).unwrap();
                    let (seq, time, actor) = (event.seq, event.time, event.actor);
                    log += &format!("{seq} {time} {actor} {view} {} {body}\n", hex(&event.hash));
                }
                Ok(())
            })
            .unwrap();
        log
    }
}

fn ada() -> Caller {
    Caller::new("ada")
}

fn bot() -> Caller {
    Caller { kind: ActorKind::Agent, via: ambit::Via::Mcp, ..Caller::new("bot") }
}

fn call(id: &str) -> String {
    let function = json!({"name": "run", "arguments": "{\"n\":1}"});
    let call = json!({"id": id, "type": "function", "function": function});
    json!({"role": "assistant", "content": "I look", "tool_calls": [call]}).to_string()
}

fn conversation(world: &World) {
    let engine = &world.engine;
    engine.append_text(&ada(), "user", "Fix the login").unwrap();
    engine.append_json(&bot(), &call("call_1")).unwrap();
    let reply = json!({"role": "tool", "tool_call_id": "call_1", "content": "fn login() {}"});
    engine.append_json(&bot(), &reply.to_string()).unwrap();
    let turn = engine.append_text(&bot(), "assistant", "It is in login.rs").unwrap().head;
    engine.append_text(&ada(), "user", "No").unwrap();
    engine.rewind(&ada(), turn).unwrap();
    engine.note(&bot(), "The login is in login.rs").unwrap();
    let kept = engine.insight(&ada(), "Sessions last an hour").unwrap().hash;
    engine.insight(&ada(), "Names are ASCII").unwrap();
    engine.retract(&ada(), &kept).unwrap();
    engine.set(&ada(), "frame_size", Some("3")).unwrap();
    engine.set(&ada().in_scope("main"), "clear_on_scope", Some("true")).unwrap();
    engine.append_json(&bot(), &call("call_2")).unwrap();
    engine.scope(&bot(), "alpha", "Look at the session").unwrap();
    engine.append_text(&bot().in_scope("main"), "assistant", "Away").unwrap();
    world.pass(20 * MINUTE);
    engine.goto(&bot(), "main", "Nothing there").unwrap();
    engine.enter(&bot(), "alpha").unwrap();
    engine.focus(&bot(), "alpha").unwrap();
    engine.leave(&bot(), "main").unwrap();
}

fn objects(world: &World) {
    let engine = &world.engine;
    world.put(&ada(), "src/login.rs", "fn login() {}", None);
    let change = world.put(&ada(), "src/login.rs", "fn login() { check() }", None);
    world.put(&ada(), "jo", "Jo, designer", Some("contact"));
    world.put(&bot(), "tally", "1", Some("file"));
    world.get(&bot(), "src/login.rs");
    engine.context_break(&bot()).unwrap();
    engine.place(&ada(), "jo", "alpha", false).unwrap();
    engine.place(&ada(), "jo", "main", true).unwrap();
    world.get(&ada().in_scope("alpha"), "jo");
    let request = RevertRequest { event: Some(change), ..RevertRequest::default() };
    engine.revert(&ada(), &request).unwrap();
    engine.set(&ada(), "frame_size", None).unwrap();
}

fn subagents(world: &World) {
    let engine = &world.engine;
    engine.fork(&ada(), "scout", "Read the tests", Inherit::Full).unwrap();
    let scout = Caller::new("scout");
    engine.append_json(&scout, &call("call_3")).unwrap();
    engine.enter(&scout, "alpha").unwrap();
    world.get(&scout, "jo");
    engine.fork(&scout, "deeper", "One test", Inherit::None).unwrap();
    engine.note(&Caller::new("deeper"), "It passes").unwrap();
    engine.rejoin(&ada(), Some("scout"), Some("All pass"), true).unwrap();
    engine.fork(&ada(), "stray", "Try", Inherit::Notes).unwrap();
    engine.append_text(&Caller::new("stray"), "user", "secret token").unwrap();
    engine.abandon(&ada(), "stray", false).unwrap();
    let containing = Some("secret".to_string());
    let selection = Selection { containing, ..Selection::default() };
    engine.forget(&ada(), &selection, &|_| {}).unwrap();
    let containing = Some("Nothing there".to_string());
    let selection = Selection { containing, ..Selection::default() };
    engine.forget(&ada(), &selection, &|_| {}).unwrap();
    world.pass(6 * MINUTE);
    engine.tidy(&ada()).unwrap();
    world.pass(400 * DAY);
    engine.append_text(&ada(), "user", "Back").unwrap();
    engine.tidy(&ada()).unwrap();
}

#[test]
fn the_same_script_writes_the_same_log() {
    let world = World::new();
    conversation(&world);
    objects(&world);
    subagents(&world);
    let log = world.log();
    for (written, kept) in log.lines().zip(LOG.lines()) {
        assert_eq!(written, kept);
    }
    assert_eq!(log.lines().count(), LOG.lines().count());
    assert!(world.engine.verify(&ada(), &|_| {}).unwrap().ok);
}

#[test]
fn the_log_has_every_kind_of_event() {
    let words: BTreeSet<_> = LOG.lines().map(word).collect();
    let missing: Vec<_> = kinds().into_iter().filter(|it| !words.contains(it)).collect();
    assert!(missing.is_empty(), "let the script write them, in fixtures/log.txt too: {missing:?}");
}

/// The kinds of events, as serde lists them for an unknown one.
fn kinds() -> Vec<String> {
    let error = serde_json::from_str::<What>(r#""?""#).unwrap_err().to_string();
    error.split('`').skip(3).step_by(2).map(String::from).collect()
}

fn word(line: &str) -> String {
    let body = line.splitn(6, ' ').nth(5).unwrap();
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    match &body["what"] {
        serde_json::Value::String(word) => word.clone(),
        what => what.as_object().unwrap().keys().next().unwrap().clone(),
    }
}
