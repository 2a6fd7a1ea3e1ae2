//! Forged files: the hash chain and the manifest match, but Ambit did not write the events. Each
//! is refused, or is as valid as an export: nothing panics, and an imported vault verifies.

use ambit::Kind;
use ambit_core::{Hash, chain};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::world::{World, memory, sqlite};

/// The lines of an export, to be altered and sealed again.
struct Forgery {
    lines: Vec<Value>,
}

impl Forgery {
    fn of(export: &str) -> Forgery {
        let lines = export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Forgery { lines }
    }

    fn events(&mut self) -> impl Iterator<Item = &mut Value> {
        self.lines.iter_mut().filter_map(|line| line.get_mut("event"))
    }

    /// Recomputes the hash chain and the manifest.
    fn seal(mut self) -> String {
        let (mut previous, mut count, mut forgotten) = (Hash::default(), 0, 0);
        for event in self.events() {
            let number = |name: &str| event[name].as_i64().unwrap_or_default();
            let (actor, view) = (ambit_core::ActorNo(number("actor")), event["view"].as_i64());
            let body = event["body"].to_string();
            let view = view.map(ambit_core::ViewNo);
            previous = chain(&previous, number("seq"), number("time"), actor, view, &body);
            let gone = event["body"]["what"]["forgotten"]["contents"].as_array().map(Vec::len);
            (count, forgotten) = (count + 1, forgotten + gone.unwrap_or(0));
            event["hash"] = json!(previous.to_hex());
        }
        self.lines.retain(|line| line.get("manifest").is_none());
        let contents = self.lines.iter().filter(|line| line.get("content").is_some()).count();
        let text: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        let sha256 = Hash(Sha256::digest(&text).into()).to_hex();
        let manifest = json!({"manifest": {"events": count, "contents": contents,
            "forgotten": forgotten, "head": previous.to_hex(), "sha256": sha256}});
        format!("{text}{manifest}\n")
    }
}

/// Collects the path of every value in a body.
fn paths(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            let all = list.iter().enumerate();
            all.for_each(|(index, it)| paths(it, &format!("{at}/{index}"), out));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, it)| paths(it, &format!("{at}/{name}"), out));
        }
        _ => {}
    }
    if !at.is_empty() {
        out.push(at.to_string());
    }
}

/// Returns replacements for a value.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(number) => {
            let number = number.as_i64().unwrap_or(0);
            let near = [number + 1, number - 1, 0, -1, 1 << 40, i64::MAX, i64::MIN];
            near.into_iter().map(|it| json!(it)).collect()
        }
        Value::String(_) => vec![json!(""), json!("main"), json!("x\u{0}y"), json!(7)],
        Value::Bool(it) => vec![json!(!it), json!(null)],
        Value::Array(list) => {
            let mut twice = list.clone();
            twice.extend(list.clone());
            vec![json!([]), json!(twice), json!(list.iter().skip(1).collect::<Vec<_>>())]
        }
        Value::Object(_) | Value::Null => vec![json!({}), json!(null)],
    }
}

/// Imports a file; returns true if it is accepted and verifies, false if it is refused with a line
/// and a reason.
fn judged(world: &World, text: &str, what: &str) -> bool {
    match world.import("forged", text.as_bytes()) {
        Err(error) => {
            assert_eq!(error.kind(), Kind::Usage, "{what}: {error}");
            assert!(error.to_string().starts_with("line "), "{what}: {error}");
            false
        }
        Ok(_) => {
            world.verified("forged");
            let me = crate::world::ada("forged");
            let _ = world.engine.compose(&me, &Default::default());
            let _ = world.engine.note(&me, "on it goes");
            world.verified("forged");
            assert_eq!(Forgery::of(&world.export("forged")).seal(), world.export("forged"));
            true
        }
    }
}

#[test]
fn invalid_events_are_refused() {
    let from = memory();
    from.play("default");
    let export = from.export("default");
    assert_eq!(Forgery::of(&export).seal(), export, "a forgery of nothing is the export");
    let events = export.lines().filter(|line| line.starts_with("{\"event\"")).count();
    let (mut tried, mut taken) = (0, 0);
    for index in 0..events {
        let mut places = Vec::new();
        paths(&Forgery::of(&export).events().nth(index).unwrap()["body"], "", &mut places);
        for place in places {
            let original = Forgery::of(&export).events().nth(index).unwrap()["body"].clone();
            for other in others(original.pointer(&place).unwrap()) {
                let mut forgery = Forgery::of(&export);
                let event = forgery.events().nth(index).unwrap();
                *event["body"].pointer_mut(&place).unwrap() = other.clone();
                let world = memory();
                let what = format!("event {}: {place} = {other}", index + 1);
                taken += usize::from(judged(&world, &forgery.seal(), &what));
                tried += 1;
            }
        }
    }
    println!("{tried} forgeries, {taken} of them sound");
    assert!(tried > 2_000, "{tried}");
    assert!(taken < tried / 4, "{taken} of {tried} were taken in");
}

/// Fields outside the bodies: numbers, times, actors and views.
#[test]
fn events_out_of_place_are_refused() {
    let from = memory();
    from.play("default");
    let export = from.export("default");
    let events = export.lines().filter(|line| line.starts_with("{\"event\"")).count();
    for index in 0..events {
        for (name, other) in [
            ("time", json!(-1)),
            ("time", json!(i64::MAX)),
            ("time", json!(0)),
            ("actor", json!(999)),
            ("actor", json!(-1)),
            ("view", json!(999)),
            ("view", json!(0)),
            ("seq", json!(index + 2)),
            ("seq", json!(0)),
        ] {
            let mut forgery = Forgery::of(&export);
            forgery.events().nth(index).unwrap()[name] = other.clone();
            // A first event at time 0 is valid.
            let fine = index == 0 && name == "time" && other == json!(0);
            let what = format!("event {}: {name} = {other}", index + 1);
            assert_eq!(judged(&memory(), &forgery.seal(), &what), fine, "{what}");
        }
    }
}

/// A message without a block, and notes that are carried like messages: their scopes would show
/// items that nobody wrote, or show items twice.
#[test]
fn invalid_places_are_refused() {
    let from = memory();
    from.play("default");
    let export = from.export("default");
    let what = |event: &Value| event["body"]["what"].as_object().unwrap().keys().next().cloned();
    let position = |name: &str| {
        let mut forgery = Forgery::of(&export);
        let found = forgery.events().position(|event| what(event).as_deref() == Some(name));
        found.unwrap_or_else(|| panic!("there is no {name}"))
    };
    let mut hollow = Forgery::of(&export);
    let event = hollow.events().nth(position("appended")).unwrap();
    event["body"]["what"]["appended"]["blocks"] = json!([]);
    assert!(!judged(&memory(), &hollow.seal(), "no block"));
    let noted = Forgery::of(&export).events().nth(position("noted")).unwrap().clone();
    let item = noted["body"]["what"]["noted"]["item"].clone();
    let mut moved = Forgery::of(&export);
    let event = moved.events().nth(position("carried")).unwrap();
    event["body"]["what"]["carried"]["moves"][0]["item"] = item;
    assert!(!judged(&memory(), &moved.seal(), "a note that is carried"));
}

/// Captures, dropped frames and ended views cannot be invented.
#[test]
fn invented_captures_are_refused() {
    let from = memory();
    from.engine.create_vault("default").unwrap();
    let me = crate::world::ada("default");
    let put = |object: &str, text: &str| {
        let (object, text) = (object.to_string(), text.to_string());
        let request = ambit::PutRequest { object, text, ..Default::default() };
        from.engine.put(&me, &request).unwrap();
    };
    put("plan", "one");
    put("code", "two");
    put("plan", "three");
    from.engine.fork(&me, "lost", "go", ambit::Inherit::None).unwrap();
    from.engine.fork(&me, "busy", "go", ambit::Inherit::None).unwrap();
    from.engine.fork(&me, "done", "go", ambit::Inherit::Full).unwrap();
    let done = ambit::Caller { actor: "done".into(), ..me.clone() };
    from.engine.enter(&done, "main").unwrap();
    from.engine.rejoin(&me, Some("done"), None, false).unwrap();
    from.engine.abandon(&me, "lost", false).unwrap();
    assert_eq!(from.engine.tidy(&me).unwrap().frames, 1);
    let export = from.export("default");
    let forged = |what: &str, path: &str, other: &dyn Fn(&Value) -> Value| {
        let mut forgery = Forgery::of(&export);
        let named = |event: &&mut Value| event["body"]["what"].get(what).is_some();
        let event = forgery.events().filter(named).last().unwrap();
        let mut place = &mut event["body"]["what"][what];
        for key in path.split('/').skip(1) {
            place = &mut place[key];
        }
        *place = other(place);
        judged(&memory(), &forgery.seal(), &format!("{what}{path}"))
    };
    assert!(forged("put", "/delta/context", &Value::clone), "as it was");
    let back = |it: &Value| it.as_array().unwrap().iter().rev().cloned().collect();
    assert!(!forged("put", "/delta/context", &back), "another order");
    let twice = |it: &Value| json!([it[0], it[0]]);
    assert!(!forged("put", "/delta/context", &twice), "what was not in mind");
    let homes: Vec<_> = {
        let mut forgery = Forgery::of(&export);
        let forks = forgery
            .events()
            .filter_map(|event| event["body"]["what"].pointer("/forked/child/home").cloned());
        forks.collect()
    };
    assert!(forged("tidied", "/frames", &|_| json!([homes[0]])), "the abandoned one's");
    assert!(!forged("tidied", "/frames", &|_| json!([homes[1]])), "one that is at work");
    assert!(!forged("tidied", "/ended", &|_| json!([{"actor": 3, "view": 1}])), "no open view");
    assert!(forged("rejoined", "/merge", &Value::clone), "as it was");
    assert!(!forged("rejoined", "/ended", &|_| json!([{"actor": 3, "view": 1}])), "another's view");
    assert!(!forged("rejoined", "/merge/previous", &|_| json!(1)), "another one before it");
    assert!(!forged("rejoined", "/merge/streams", &|it| json!([it[1], it[0]])), "other streams");
    assert!(!forged("rejoined", "/merge/streams", &|it| json!([it[0]])), "one stream");
    assert!(!forged("rejoined", "/elsewhere", &|_| json!([homes[1]])), "where it never was");
}

/// A file that one store accepts, a database accepts too: no constraint refuses it.
#[test]
fn all_stores_accept_the_same_files() {
    let from = memory();
    from.play("default");
    let export = from.export("default");
    let events = export.lines().filter(|line| line.starts_with("{\"event\"")).count();
    let world = sqlite();
    for index in (0..events).step_by(3) {
        let mut places = Vec::new();
        paths(&Forgery::of(&export).events().nth(index).unwrap()["body"], "", &mut places);
        for place in places.into_iter().step_by(3) {
            let original = Forgery::of(&export).events().nth(index).unwrap()["body"].clone();
            for other in others(original.pointer(&place).unwrap()) {
                let mut forgery = Forgery::of(&export);
                let event = forgery.events().nth(index).unwrap();
                *event["body"].pointer_mut(&place).unwrap() = other.clone();
                let text = forgery.seal();
                let reference = memory().import("forged", text.as_bytes()).is_ok();
                let vault = format!("{index}{}", place.replace('/', "-"));
                let vault = format!("{vault} {}", world.vaults().len());
                let here = world.import(&vault, text.as_bytes());
                assert_eq!(here.is_ok(), reference, "event {index}: {place} = {other}: {here:?}");
            }
        }
    }
}

/// An ended subagent may have left a scope before: exports with such events are accepted.
#[test]
fn late_ends_of_subagents_are_accepted() {
    let from = memory();
    from.engine.create_vault("default").unwrap();
    let me = crate::world::ada("default");
    from.engine.set(&me, "idle_seconds", Some("1")).unwrap();
    let call = |caller: &ambit::Caller, id: &str| {
        let call = json!({"id": id, "type": "function",
            "function": {"name": "run", "arguments": "{}"}});
        let said = json!({"role": "assistant", "content": "I look", "tool_calls": [call]});
        from.engine.append_json(caller, &said.to_string()).unwrap();
    };
    let fork = |caller: &ambit::Caller, name: &str| {
        from.engine.fork(caller, name, "go", ambit::Inherit::Full).unwrap();
        ambit::Caller { actor: name.into(), ..me.clone() }
    };
    // Its note gives up its open call after a silence.
    let silent = fork(&me, "silent");
    call(&silent.clone().in_scope("main"), "a");
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    from.engine.rejoin(&silent, None, Some("done"), false).unwrap();
    // Its open call was in the scope of a subagent that ended with it.
    let upper = fork(&me, "upper");
    fork(&upper, "lower");
    call(&upper.clone().in_scope("lower"), "b");
    from.engine.rejoin(&me, Some("upper"), None, true).unwrap();
    from.engine.scope(&me, "elsewhere", "off").unwrap();
    let upper = fork(&me, "upper too");
    fork(&upper, "lower too");
    call(&upper.clone().in_scope("lower too"), "c");
    from.engine.enter(&upper, "main").unwrap();
    from.engine.abandon(&me, "upper too", true).unwrap();
    from.verified("default");
    assert!(judged(&memory(), &from.export("default"), "as it was"));
}
