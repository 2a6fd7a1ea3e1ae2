//! Large and unusual input: many leading messages, unknown fields, parts that a role may not hold,
//! thousands of calls, and many messages behind an open call.

use ambit::Kind;
use serde_json::{Value, json};

use crate::world::{World, ada, bot, bytes, calls, message, reply, shown, within};

/// The same leading messages are in front, wherever the window begins.
pub fn many_leading_messages_stay_the_same(world: &World) {
    let leading: Vec<_> = (0..40).map(|n| message("system", &format!("rule {n}"))).collect();
    world.append(&ada(), &leading);
    let long = "word ".repeat(100);
    let mut before: Option<Vec<String>> = None;
    for number in 0..60 {
        world.say(&ada(), "user", &format!("{number} {long}"));
        let composed = bytes(&within(world, 4_000));
        let rules = composed.iter().take_while(|it| it.contains("rule ")).count();
        assert_eq!(rules, 40, "at message {number}");
        if let Some(before) = before.filter(|before| composed.get(40) == before.get(40)) {
            assert!(composed.starts_with(&before), "at message {number}");
        }
        world.say(&ada(), "assistant", "so be it");
        before = Some(composed);
    }
}

/// Instructions over their cap are shown as a stub, never dropped silently.
pub fn a_leading_message_over_its_cap_is_a_stub(world: &World) {
    let turn = world.say(&ada(), "system", &"rule ".repeat(2_000));
    for number in 0..60 {
        world.say(&ada(), "user", &format!("{number} {}", "word ".repeat(100)));
    }
    let composed = within(world, 4_000);
    let first = &shown(&composed)[0];
    assert_eq!(first["role"], "system");
    assert!(first["content"].as_str().unwrap().contains(&format!("read {turn}.0-")));
    assert!(composed.left_out.iter().any(|out| out.why == "over pinned_tokens_max"));
}

/// A field that cannot be cut does not prevent composing the rest.
pub fn a_large_unknown_field_is_left_out(world: &World) {
    let big = "word ".repeat(30_000);
    let odd = json!({"role": "assistant", "content": "short", "reasoning_details": big});
    let turn = world.append(&ada(), &[odd.to_string()]);
    world.say(&ada(), "user", "hi");
    let composed = within(world, 20_000);
    let all = shown(&composed);
    assert_eq!(all[0], json!({"role": "assistant", "content": "short"}));
    assert_eq!(all[1]["content"], "hi");
    let out = composed.left_out.iter().find(|out| out.why.starts_with("fields")).unwrap();
    assert_eq!(out.handle, Some(turn.to_string()));
    // If it fits, it is shown as given.
    assert_eq!(shown(&within(world, 200_000))[0], odd);
}

// Proves D1-11: whatever was appended, a provider accepts the composition.
pub fn parts_and_calls_that_providers_refuse_are_repaired(world: &World) {
    let image = json!({"type": "image_url", "image_url": {"url": "data:x"}});
    let text = json!({"type": "text", "text": "look"});
    for role in ["system", "assistant", "tool", "user"] {
        let parts = json!({"role": role, "content": [text, image, {"type": "weird", "x": 1}]});
        world.append(&ada(), &[parts.to_string()]);
    }
    let untyped = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "function": {"name": "f", "arguments": "{}"}},
        {"id": "b", "type": "magic", "function": {"name": "f", "arguments": "{}"}}]});
    world.append(&ada(), &[untyped.to_string(), reply("a", "1"), reply("b", "2")]);
    let all = shown(&within(world, 200_000));
    let kinds = |message: &Value| -> Vec<String> {
        let parts = message["content"].as_array().unwrap().iter();
        parts.map(|part| part["type"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(kinds(&all[0]), ["text", "text", "text"]);
    assert_eq!(kinds(&all[1]), ["text", "text", "text"]);
    assert_eq!(kinds(&all[3]), ["text", "image_url", "text"]);
    for call in all[4]["tool_calls"].as_array().unwrap() {
        assert_eq!(call["type"], "function");
    }
}

/// Thousands of calls with one id are made distinct, quickly.
pub fn thousands_of_equal_ids_are_made_distinct(world: &World) {
    let ids = vec!["same"; 3_000];
    let mut messages = vec![calls("all at once", &ids)];
    messages.extend((0..3_000).map(|n| reply("same", &n.to_string())));
    world.append(&ada(), &messages);
    let composed = within(world, 1_000_000);
    assert_eq!(composed.messages.len(), 3_001);
    let many =
        json!({"role": "user", "content": vec![json!({"type": "text", "text": "x"}); 5_000]});
    world.refuses(Kind::Refused, |it| it.append_json(&ada(), &many.to_string()));
}

/// Messages that others write behind a reader's open call are summed up, not listed.
pub fn messages_behind_an_open_call_are_summed_up(world: &World) {
    world.say(&ada(), "user", "go");
    world.append(&ada(), &[calls("", &["a"])]);
    let many: Vec<_> = (0..500).map(|n| message("user", &format!("later {n}"))).collect();
    world.append(&bot(), &many);
    let composed = within(world, 100_000);
    assert_eq!(composed.messages.len(), 1);
    assert!(composed.left_out.len() < 100, "{}", composed.left_out.len());
    let out: i64 = composed.left_out.iter().map(|out| out.tokens).sum();
    assert_eq!(out + composed.tokens, world.scope("main").sum, "every token has its receipt");
}

/// Each note that is not shown whole has a receipt.
pub fn notes_that_do_not_fit_have_receipts(world: &World) {
    for number in 0..7 {
        world.engine.note(&ada(), &format!("{number} {}", "word ".repeat(30))).unwrap();
    }
    world.set("notes_shown", "7");
    world.set("notes_tokens_max", "60");
    let composed = world.compose(&ada());
    let layer = &composed.layers[1];
    assert!(layer.tokens <= 60);
    let whole = 7 - composed.left_out.len() as i64;
    assert!((0..=layer.items).contains(&whole), "{:?}", composed.left_out);
}
