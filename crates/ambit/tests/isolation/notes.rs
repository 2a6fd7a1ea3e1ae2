//! Notes: their hashes, their history, their snapshots, and clearing.

use ambit::{Kind, ReadAnswer};
use ambit_core::{Noted, Way, What};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::world::{MINUTE, World, ada, bot, calls, lines, message, reply, texts};

fn snapshot(world: &World, hash: &str) -> Vec<Value> {
    match world.engine.read_snapshot(&ada(), hash).unwrap() {
        ReadAnswer::Snapshot(answer) => {
            answer.messages.iter().map(|raw| serde_json::from_str(raw.get()).unwrap()).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn contents(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|it| it["content"].as_str().unwrap()).collect()
}

// Proves S1-2, S1-4: a note has a hash, a message, a time and a parent; notes form a history.
pub fn a_note_and_its_history(world: &World) {
    let me = ada();
    let first = world.engine.note(&me, "one").unwrap();
    world.pass(MINUTE);
    let second = world.engine.note(&me, "two").unwrap();
    let third = world.engine.scope(&me, "step-1", "three").unwrap();
    let fourth = world.engine.note(&me, "four").unwrap();
    let notes = world.engine.notes(&me, None).unwrap().notes;
    let hashes: Vec<_> = notes.iter().map(|note| note.hash.clone()).collect();
    assert_eq!(hashes, [first.hash, second.hash, third.note.hash, fourth.hash]);
    assert_eq!(notes[0].parent_hash, None);
    for (index, note) in notes.iter().enumerate().skip(1) {
        assert_eq!(note.parent_hash.as_ref(), Some(&hashes[index - 1]), "inherited ones too");
    }
    assert_eq!(notes[0].timestamp, "2027-01-15T08:00:00.000Z");
    assert_eq!(notes[1].timestamp, "2027-01-15T08:01:00.000Z");
    // Proves S1-5: the scope's head note is its last.
    assert_eq!(world.scope("step-1").last_note.unwrap().to_hex(), hashes[3]);
    assert_eq!(world.scope("main").last_note.unwrap().to_hex(), hashes[2]);
}

// Proves D1-9: the hash is SHA-256 over the content's key, time, parent, the hash of the scope's
// head before the command, and the note's direction.
pub fn what_the_hash_covers(world: &World) {
    let me = ada();
    world.say(&me, "user", "hello");
    world.engine.note(&me, "plain").unwrap();
    world.pass(MINUTE);
    world.engine.scope(&me, "step-1", "departure").unwrap();
    world.engine.goto(&me, "main", "arrival").unwrap();
    let events = world.events();
    let mut seen = 0;
    for logged in &events {
        let What::Noted(Noted { text, hash, parent, snapshot, way, .. }) = &logged.event.body.what
        else {
            continue;
        };
        let (direction, other) = match way {
            None => (0u8, 0),
            Some(Way::To(scope)) => (1, scope.0),
            Some(Way::From(scope)) => (2, scope.0),
        };
        let expected = Sha256::new()
            .chain_update(text.key.0)
            .chain_update(logged.event.time.to_be_bytes())
            .chain_update(parent.map_or([0; 32], |parent| parent.0))
            .chain_update(events[*snapshot as usize - 1].hash.0)
            .chain_update([direction])
            .chain_update(other.to_be_bytes())
            .finalize();
        assert_eq!(hash.0[..], expected[..], "event {}", logged.event.seq);
        seen += 1;
    }
    assert_eq!(seen, 3);
    // The prefix is added when composing: the stored text is the user's.
    let ReadAnswer::Block(block) = world.engine.read_handle(&me, "5.0").unwrap() else { panic!() };
    assert_eq!(block.text, "departure");
    // Equal notes at the same time have different hashes.
    let (one, two) =
        (world.engine.note(&me, "same").unwrap(), world.engine.note(&me, "same").unwrap());
    assert_ne!(one.hash, two.hash);
}

// Proves D1-9: in a layer a note is one line, whatever its text.
pub fn a_note_is_one_line(world: &World) {
    let me = ada();
    let note = world.engine.note(&me, " a\r\nb\t\tc\u{1b}[31m\u{2028}d ").unwrap();
    let layer = &texts(&world.compose(&me))[0];
    assert_eq!(*layer, format!("[EPISODIC MEMORY]\n- [{}] a b c [31m d", &note.hash[..7]));
}

// Proves S1-24: a note snapshots the messages and does not switch scopes.
pub fn note_does_not_switch(world: &World) {
    let me = ada();
    world.engine.scope(&me, "step-1", "away").unwrap();
    let head = world.head();
    let answer = world.engine.note(&me, "learned").unwrap();
    assert_eq!((answer.scope.as_str(), answer.head), ("step-1", head + 1));
    assert_eq!(world.names_after(head), ["noted"]);
    assert_eq!(world.engine.where_am_i(&me).unwrap().primary_scope.as_deref(), Some("step-1"));
}

// Proves S1-3, S1-10: the whole snapshot can be read back exactly, whatever happened to the
// messages; only the note's message is shown in the context.
pub fn the_snapshot_is_exact_and_only_the_message_is_shown(world: &World) {
    let me = ada();
    world.say(&me, "user", "one");
    let two = world.say(&me, "assistant", "two");
    world.append(&me, &[calls("three", &["a"]), reply("a", "four")]);
    let first = world.engine.note(&me, "the first note").unwrap();
    world.say(&me, "user", "five");
    world.engine.rewind(&me, two).unwrap();
    let second = world.engine.note(&me, "after the rewind").unwrap();
    world.set("clear_on_note", "on");
    world.say(&me, "user", "six");
    let third = world.engine.note(&me, "clears").unwrap();
    assert_eq!(world.scope("main").messages, 0, "S1-10: cleared");
    assert_eq!(world.scope("main").notes, 3, "S1-10: notes persist");
    let shot = snapshot(world, &first.hash);
    assert_eq!(contents(&shot), ["one", "two", "three", "four"]);
    assert_eq!(shot[2], serde_json::from_str::<Value>(&calls("three", &["a"])).unwrap());
    assert_eq!(contents(&snapshot(world, &second.hash[..7])), ["one", "two"]);
    assert_eq!(contents(&snapshot(world, &third.hash)), ["one", "two", "six"]);
    let composed = world.compose(&me);
    assert_eq!(composed.messages.len(), 1, "the notes alone");
    assert!(!texts(&composed)[0].contains("four"));
}

// The snapshot of an arrival is the destination before the command, without the carried chain.
pub fn a_snapshot_is_taken_before_the_command(world: &World) {
    let me = ada();
    world.say(&me, "user", "in main");
    world.engine.scope(&me, "step-1", "away").unwrap();
    world.append(&me, &[calls("calling", &["a"])]);
    let arrived = world.engine.goto(&me, "main", "with a call").unwrap();
    assert_eq!(arrived.carried, 1);
    assert_eq!(contents(&snapshot(world, &arrived.note.hash)), ["in main"]);
    let later = world.engine.note(&me, "later").unwrap();
    assert_eq!(contents(&snapshot(world, &later.hash)), ["in main", "calling"]);
}

// Proves S1-25, D1-2: clearing is off by default, and a setting for each verb, per scope or for
// the vault.
pub fn clearing_is_a_setting_and_off_by_default(world: &World) {
    let me = ada();
    let count = || world.scope("main").messages;
    world.say(&me, "user", "one");
    world.engine.note(&me, "kept").unwrap();
    world.engine.scope(&me, "step-1", "kept").unwrap();
    world.engine.goto(&me, "main", "kept").unwrap();
    world.engine.goto(&me, "step-1", "kept").unwrap();
    world.engine.goto(&me, "main", "kept").unwrap();
    assert_eq!(count(), 1, "off by default");
    world.set("clear_on_note", "on");
    world.engine.note(&me, "clears").unwrap();
    assert_eq!(count(), 0);
    world.say(&me, "user", "two");
    world.engine.goto(&me, "step-1", "kept").unwrap();
    assert_eq!(count(), 1, "each verb has its own");
    world.set("clear_on_goto", "on");
    world.engine.goto(&me, "main", "back").unwrap();
    assert_eq!(count(), 1, "the origin is cleared, not the destination");
    world.engine.goto(&me, "step-1", "clears main").unwrap();
    assert_eq!(count(), 0);
    world.engine.goto(&me, "main", "back").unwrap();
    world.say(&me, "user", "three");
    world.engine.set(&ada().in_scope("main"), "clear_on_scope", Some("on")).unwrap();
    world.engine.scope(&me, "step-2", "clears main").unwrap();
    assert_eq!(count(), 0);
    world.say(&me, "user", "in step-2");
    world.engine.scope(&me, "step-3", "main's setting is not step-2's").unwrap();
    assert_eq!(world.scope("step-2").messages, 1);
    world.verified();
}

// Proves D1-2: a pending chain is never cleared, whichever actor it belongs to.
pub fn a_pending_chain_is_never_cleared(world: &World) {
    let me = ada();
    world.set("clear_on_note", "on");
    world.append(&me, &[message("user", "go"), calls("mine", &["a", "b"]), reply("a", "done")]);
    world.append(&bot(), &[calls("bot's", &["c"])]);
    world.say(&bot(), "user", "bot waits");
    world.append(&bot(), &[calls("bot's second", &["d"])]);
    world.engine.note(&me, "clears the rest").unwrap();
    assert_eq!(world.scope("main").messages, 3, "ada's call and reply, bot's open call");
    world.append(&me, &[reply("b", "done too")]);
    world.append(&bot(), &[reply("d", "done")]);
    assert!(lines(&world.compose(&me)).iter().any(|(role, text)| role == "tool" && text == "done"));
    // With only a pending chain, there is nothing to clear.
    world.engine.note(&me, "clears all").unwrap();
    assert_eq!(world.scope("main").messages, 0);
    world.append(&me, &[calls("again", &["e"])]);
    let head = world.head();
    world.engine.note(&me, "nothing to hide").unwrap();
    assert_eq!(world.names_after(head), ["noted"]);
    world.verified();
}

pub fn hashes_that_name_no_note_are_not_found(world: &World) {
    let me = ada();
    let note = world.engine.note(&me, "one").unwrap();
    let absent = if note.hash.starts_with('0') { "1111111" } else { "0000000" };
    for bad in [absent, "zzzzzzz"] {
        world.refuses(Kind::NotFound, |it| it.read_snapshot(&me, bad));
        world.refuses(Kind::NotFound, |it| it.read_handle(&me, bad));
    }
    for short in ["", &note.hash[..1], &note.hash[..6]] {
        world.refuses(Kind::Usage, |it| it.read_snapshot(&me, short));
    }
    world.engine.read_snapshot(&me, &note.hash[..7]).unwrap();
}
