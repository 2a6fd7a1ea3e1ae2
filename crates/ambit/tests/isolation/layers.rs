//! Composition in three layers, and messages shown as they were given.

use ambit::tokens::count;
use ambit::{Layout, Request};
use serde_json::{Value, json};

use crate::world::{
    MINUTE, World, ada, assert_valid, bytes, calls, lines, message, reply, shown, texts,
};

fn request(layout: Layout) -> Request {
    Request { layout: Some(layout), ..Request::default() }
}

fn count_i(text: &str) -> i64 {
    count(text) as i64
}

// Proves S1-1: a message is a role and a content, with calls or the id of the call it answers; it
// is shown as given, with unknown fields.
pub fn messages_are_shown_as_they_were_given(world: &World) {
    let me = ada();
    let given = [
        message("system", "be brief"),
        message("user", "hello"),
        calls("looking", &["a"]),
        reply("a", "found"),
        json!({"role": "assistant", "content": "done", "x_trace": {"b": 1, "a": [2.50, null]}})
            .to_string(),
        json!({"role": "user", "name": "ada", "content": [
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        ]})
        .to_string(),
        message("developer", "and kind"),
    ];
    world.append(&me, &given);
    let composed = world.compose(&me);
    let expected: Vec<Value> = given.iter().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(shown(&composed), expected);
    assert_valid(&composed);
}

// Proves S1-31: the system prompt is a system message, present only if given.
pub fn the_system_prompt_comes_first(world: &World) {
    let me = ada();
    world.say(&me, "user", "hello");
    assert_eq!(lines(&world.compose(&me)).len(), 1);
    let with = |system: &str| {
        let request = Request { system: Some(system.to_string()), ..Request::default() };
        world.engine.compose(&me, &request).unwrap()
    };
    assert_eq!(with("").messages.len(), 1, "an empty one is none");
    let composed = with("You are terse.");
    assert_eq!(lines(&composed)[0], ("system".to_string(), "You are terse.".to_string()));
    let system = &composed.layers[0];
    assert_eq!((system.name, system.items), ("system", 1));
    assert_eq!(system.tokens, count_i("You are terse.") + 4);
}

// Proves S1-32, D1-3: the layer of notes is a system message with a heading and a line for each.
pub fn the_layer_of_notes(world: &World) {
    let me = ada();
    world.say(&me, "user", "hello");
    let none = world.compose(&me);
    assert_eq!(none.messages.len(), 1, "absent when there are no notes");
    assert_eq!((none.layers[1].name, none.layers[1].items), ("notes", 0));
    let one = world.engine.note(&me, "Created User model").unwrap();
    let two = world.engine.scope(&me, "step-2", "Starting").unwrap();
    let (role, text) = lines(&world.compose(&me))[0].clone();
    assert_eq!(role, "system");
    let expected = format!(
        "[EPISODIC MEMORY]\n- [{}] Created User model\n- [{}] [→ step-2] Starting",
        &one.hash[..7],
        &two.note.hash[..7]
    );
    assert_eq!(text, expected);
    let layer = world.compose(&me).layers[1].clone();
    assert_eq!((layer.items, layer.tokens), (2, count_i(&expected) + 4));
}

// Proves S1-33: only the last N notes are shown, five by default.
pub fn only_the_last_notes_are_shown(world: &World) {
    let me = ada();
    for number in 1..=8 {
        world.engine.note(&me, &format!("note {number}")).unwrap();
    }
    let seen = || -> Vec<String> {
        let layer = texts(&world.compose(&me)).remove(0);
        layer.lines().skip(1).map(|line| line[12..].to_string()).collect()
    };
    assert_eq!(seen(), ["note 4", "note 5", "note 6", "note 7", "note 8"]);
    world.set("notes_shown", "2");
    assert_eq!(seen(), ["note 7", "note 8"]);
    world.set("notes_shown", "100");
    assert_eq!(seen().len(), 8);
}

// Proves S1-14, S1-34: system prompt, notes, and the messages in order.
pub fn system_then_notes_then_messages(world: &World) {
    let me = ada();
    world.say(&me, "user", "one");
    world.engine.note(&me, "between").unwrap();
    world.say(&me, "assistant", "two");
    world.say(&me, "user", "three");
    let request = Request {
        system: Some("sys".to_string()),
        layout: Some(Layout::Layered),
        ..Request::default()
    };
    let composed = world.engine.compose(&me, &request).unwrap();
    let seen = lines(&composed);
    let roles: Vec<_> = seen.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["system", "system", "user", "assistant", "user"]);
    assert_eq!(seen[0].1, "sys");
    assert!(seen[1].1.starts_with("[EPISODIC MEMORY]\n"));
    assert_eq!(texts(&composed)[2..], ["one", "two", "three"]);
    let layers: Vec<_> = composed.layers.iter().map(|layer| (layer.name, layer.items)).collect();
    assert_eq!(layers, [("system", 1), ("notes", 1), ("messages", 3)]);
    let sum: i64 = composed.layers.iter().map(|layer| layer.tokens).sum();
    assert_eq!(composed.tokens, sum);
    let messages: i64 = ["one", "two", "three"].iter().map(|text| count_i(text) + 4).sum();
    assert_eq!(composed.layers[2].tokens, messages, "what was stored, added up");
}

// Proves D1-4: `layered` renders the three layers at every call; `stable` does so at an epoch's
// start, and later notes are shown in their place, in the layer's form.
pub fn layered_at_every_call_stable_at_an_epochs_start(world: &World) {
    let me = ada();
    let both = || {
        let one = |layout| world.engine.compose(&me, &request(layout)).unwrap();
        (bytes(&one(Layout::Stable)), bytes(&one(Layout::Layered)))
    };
    let same = |why: &str| {
        let (stable, layered) = both();
        assert_eq!(stable, layered, "{why}");
    };
    world.engine.note(&me, "early").unwrap();
    world.say(&me, "user", "question");
    same("before a first answer");
    world.say(&me, "assistant", "answer");
    same("nothing was noted since");
    let note = world.engine.note(&me, "late").unwrap();
    world.say(&me, "user", "and then?");
    let (stable, layered) = both();
    let in_place = format!("[EPISODIC MEMORY]\n- [{}] late", &note.hash[..7]);
    assert!(stable[0].contains("early") && !stable[0].contains("late"));
    assert_eq!(stable[3], message_json("system", &in_place));
    assert_eq!(stable.len(), 5, "layer, question, answer, note, question");
    assert!(layered[0].contains("early") && layered[0].contains("late"));
    assert_eq!(layered.len(), 4);
    // The default is stable; a setting changes it.
    assert_eq!(bytes(&world.compose(&me)), stable);
    world.pass(5 * MINUTE + 1);
    same("after a silence a new epoch begins");
    world.set("layout", "layered");
    assert_eq!(world.compose(&me).layout, Layout::Layered);
}

fn message_json(role: &str, text: &str) -> String {
    format!("{{\"role\":\"{role}\",\"content\":{}}}", Value::from(text))
}

// A message that no provider accepts is left out and costs nothing.
pub fn an_empty_message_is_left_out_and_costs_nothing(world: &World) {
    let me = ada();
    world.say(&me, "user", "hello");
    let before = world.compose(&me);
    world.append(
        &me,
        &[
            message("assistant", ""),
            json!({"role": "assistant", "content": null, "trace": "a field of no use to a model"})
                .to_string(),
            json!({"role": "user", "content": []}).to_string(),
            json!({"role": "user", "content": [{"type": "text", "text": ""}]}).to_string(),
        ],
    );
    let after = world.compose(&me);
    assert_eq!(bytes(&after), bytes(&before));
    assert_eq!(after.tokens, before.tokens);
    let reasons: Vec<_> = after.left_out.iter().map(|out| out.why).collect();
    assert_eq!(reasons, ["empty"; 4]);
}

// A note over the layer's cap is replaced by its handle and can be read back.
pub fn notes_over_the_cap_have_a_handle(world: &World) {
    let me = ada();
    world.set("notes_tokens_max", "60");
    world.engine.note(&me, &"a long story ".repeat(100)).unwrap();
    world.engine.note(&me, "short").unwrap();
    let composed = world.compose(&me);
    let layer = &texts(&composed)[0];
    assert!(layer.ends_with("] short"), "{layer}");
    assert!(composed.layers[1].tokens <= 60);
    let out = &composed.left_out[0];
    assert_eq!(out.why, "over notes_tokens_max");
    let handle = out.handle.clone().unwrap();
    assert!(layer.contains(&handle), "{layer}");
    let ambit::ReadAnswer::Block(block) = world.engine.read_handle(&me, &handle).unwrap() else {
        panic!("a block")
    };
    assert_eq!(block.text, "a long story ".repeat(100));
}
