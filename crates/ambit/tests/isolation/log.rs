//! The log: every change is an event, and everything follows from the log alone.

use ambit_core::{Hash, chain};
use ambit_store::Rows;

use crate::world::{MINUTE, World, ada, bot, calls, message, reply};

fn session(world: &World) {
    let me = ada();
    world.append(&me, &[message("system", "be brief"), message("user", "go")]);
    world.append(&me, &[calls("calling", &["a", "b"]), reply("a", "one")]);
    world.engine.scope(&me, "step-1", "inside a call").unwrap();
    world.append(&me, &[reply("b", "two"), message("assistant", "done")]);
    world.engine.note(&me, "learned").unwrap();
    world.set("clear_on_goto", "on");
    world.pass(MINUTE);
    world.engine.goto(&me, "main", "back").unwrap();
    let turn = world.say(&bot(), "user", "bot is here");
    world.say(&bot(), "assistant", "and speaks");
    world.engine.rewind(&bot(), turn).unwrap();
    world.engine.note(&ada().in_scope("step-1"), "pinned").unwrap();
}

// Proves S1-8: every operation is an event with its actor and time; reading is not.
pub fn every_operation_is_an_event(world: &World) {
    let me = ada();
    let mut head = world.head();
    let mut grew = |what: &str, expected: &[&str]| {
        assert_eq!(world.names_after(head), expected, "{what}");
        head = world.head();
    };
    world.say(&me, "user", "hello");
    grew("append", &["registered", "appended"]);
    world.append(&me, &[message("assistant", "a"), message("user", "b")]);
    grew("append of two", &["appended", "appended"]);
    world.engine.note(&me, "n").unwrap();
    grew("note", &["noted"]);
    world.engine.scope(&me, "s", "n").unwrap();
    grew("scope", &["noted", "scope_created", "left", "entered", "focused"]);
    world.engine.goto(&me, "main", "n").unwrap();
    grew("goto", &["left", "entered", "focused", "noted"]);
    world.engine.rewind(&me, 3).unwrap();
    grew("rewind", &["rewound"]);
    world.set("clear_on_note", "on");
    grew("settings", &["set"]);
    world.engine.note(&me, "n").unwrap();
    grew("note that clears", &["noted", "cleared"]);
    world.compose(&me);
    world.engine.scopes(&me).unwrap();
    world.engine.notes(&me, None).unwrap();
    world.engine.settings(&me).unwrap();
    world.engine.where_am_i(&me).unwrap();
    world.engine.read_handle(&me, "3").unwrap();
    world.verified();
    grew("reading", &[]);
    let log = world.engine.log(&me, Some(0), 1000).unwrap();
    assert_eq!(log.events[0].actor, None, "the vault's creation is nobody's");
    assert!(log.events[1..].iter().all(|event| event.actor.as_deref() == Some("ada")));
    assert_eq!(log.events[0].via, None);
    assert!(log.events[1..].iter().all(|event| event.via == Some("library")));
    assert!(log.events.iter().all(|event| event.time == "2027-01-15T08:00:00.000Z"));
    assert!(log.events[2..].iter().all(|event| event.view.is_some()));
}

// Proves S1-9, S1-6, D1-8: the whole state follows from the log alone, and the hash chain proves
// the log.
pub fn the_state_follows_from_the_log(world: &World) {
    session(world);
    let (mut rebuilt, mut previous) = (Rows::default(), Hash::default());
    for logged in world.events() {
        let event = &logged.event;
        let hash = chain(&previous, event.seq, event.time, event.actor, event.view, &logged.text);
        assert_eq!(hash, logged.hash);
        previous = hash;
        rebuilt.apply(&logged);
    }
    assert_eq!(world.rows(), rebuilt);
    let answer = world.engine.verify(&ada(), &|_| {}).unwrap();
    assert!(answer.ok && answer.first_bad.is_none());
    assert_eq!(answer.events, world.head());
    assert_eq!(answer.digest, previous.to_hex());
    assert_eq!(answer.forgotten, 0);
}

// Proves D1-8: no event body contains user text: bodies reference it by its key.
pub fn bodies_hold_no_user_text(world: &World) {
    let me = ada();
    world.say(&me, "user", "a secret message");
    world.engine.note(&me, "a secret note").unwrap();
    world.engine.scope(&me, "step-1", "a secret reason").unwrap();
    assert!(world.events().iter().all(|logged| !logged.text.contains("secret")));
}

pub fn the_log_comes_in_pages(world: &World) {
    session(world);
    let all = world.engine.log(&ada(), Some(0), 1000).unwrap();
    assert_eq!(all.next, None);
    let mut seen = Vec::new();
    let mut after = Some(0);
    while let Some(from) = after {
        let page = world.engine.log(&ada(), Some(from), 7).unwrap();
        after = page.next;
        seen.extend(page.events.into_iter().map(|event| event.seq));
    }
    assert_eq!(seen, (1..=world.head()).collect::<Vec<_>>());
    assert!(world.engine.log(&ada(), Some(0), 0).unwrap().events.is_empty());
    assert!(world.engine.log(&ada(), Some(0), -1).unwrap().events.is_empty());
    assert!(world.engine.log(&ada(), Some(1_000_000), 10).unwrap().events.is_empty());
}

// An event's time is the later of now and the last event's.
pub fn event_times_never_go_back(world: &World) {
    let me = ada();
    world.pass(10 * MINUTE);
    world.say(&me, "user", "at ten past");
    world.pass(-20 * MINUTE);
    world.engine.note(&me, "before the beginning").unwrap();
    assert_eq!(world.compose(&me).messages.len(), 2);
    let log = world.engine.log(&me, Some(0), 100).unwrap();
    let times: Vec<_> = log.events.iter().map(|event| event.time.as_str()).collect();
    let (first, later) = ("2027-01-15T08:00:00.000Z", "2027-01-15T08:10:00.000Z");
    assert_eq!(times, [first, later, later, later]);
    world.verified();
}

// The same commands at the same times with the same seeds give the same bytes, on any store.
pub fn every_store_writes_the_same_bytes(world: &World) {
    let reference = World::memory();
    session(&reference);
    session(world);
    assert_eq!(world.events(), reference.events());
    assert_eq!(world.rows(), reference.rows());
}
