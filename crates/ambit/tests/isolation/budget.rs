//! The budget: a window over the messages that moves in steps, pinned messages, stubs, and refused
//! requests.

use ambit::tokens::count;
use ambit::{Kind, ReadAnswer, Request};

use crate::world::{World, ada, calls, lines, message, reply, shown, texts, within};

fn numbered(number: usize) -> String {
    format!("message {number}: {}", "lorem ipsum dolor sit amet ".repeat(4))
}

pub fn the_window_ends_with_the_last_message_and_moves_in_steps(world: &World) {
    let me = ada();
    let mut starts = Vec::new();
    for number in 0..60 {
        world.say(&me, if number % 2 == 0 { "user" } else { "assistant" }, &numbered(number));
        let composed = within(world, 1000);
        let seen = texts(&composed);
        let first = number + 1 - seen.len();
        let expected: Vec<_> = (first..=number).map(numbered).collect();
        assert_eq!(seen, expected, "a window without gaps, up to the last");
        if first > 0 {
            let out = &composed.left_out[0];
            assert_eq!(out.id, "before the window");
            let before: u64 = (0..first).map(|it| count(&numbered(it)) + 4).sum();
            assert_eq!(out.tokens, before as i64);
        } else {
            assert!(composed.left_out.is_empty());
        }
        starts.push(first);
    }
    let moves = starts.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(starts.windows(2).all(|pair| pair[0] <= pair[1]), "it never goes back");
    assert!((2..=10).contains(&moves), "it moved {moves} times in 60 messages");
    assert_eq!(starts[59], starts[58], "most calls leave it where it is");
}

// Leading system messages are pinned: a scope's instructions stay in sight.
pub fn leading_system_messages_stay_in_sight(world: &World) {
    let me = ada();
    world.say(&me, "system", "You mend clocks.");
    world.say(&me, "developer", "Speak German.");
    for number in 0..60 {
        world.say(&me, "user", &numbered(number));
    }
    world.say(&me, "system", "A later one is part of the conversation.");
    let composed = within(world, 1000);
    let seen = lines(&composed);
    assert_eq!(seen[0], ("system".into(), "You mend clocks.".into()));
    assert_eq!(seen[1], ("developer".into(), "Speak German.".into()));
    assert_eq!(seen[2].0, "user");
    assert_ne!(seen[2].1, numbered(0));
    // A cap bounds them, and 0 unpins them.
    world.set("pinned_tokens_max", "0");
    assert_eq!(lines(&within(world, 1000))[0].0, "user");
}

// A block too large for a step is shown as a stub with a handle, and can be read back whole.
pub fn a_message_too_large_becomes_a_stub(world: &World) {
    let me = ada();
    let large = "a very long output line\n".repeat(400);
    world.say(&me, "user", "short");
    world.append(&me, &[calls("calling", &["a"]), reply("a", &large), message("user", "well?")]);
    let composed = within(world, 1000);
    let seen = shown(&composed);
    let stub = seen.iter().find(|it| it["role"] == "tool").unwrap()["content"].as_str().unwrap();
    let out = composed.left_out.iter().find(|out| out.why == "shown as a stub").unwrap();
    let handle = out.handle.as_ref().unwrap();
    assert_eq!(
        *stub,
        format!("[{} tokens left out here; read {handle} gives them back]", count(&large))
    );
    let ReadAnswer::Block(block) = world.engine.read_handle(&me, handle).unwrap() else { panic!() };
    assert_eq!(block.text, large);
    // If it fits, it is shown in full.
    assert!(texts(&within(world, 100_000)).contains(&large));
}

// A call's arguments stay JSON when they are cut.
pub fn a_large_call_stays_json(world: &World) {
    let me = ada();
    let arguments = serde_json::json!({"text": "word ".repeat(2000)}).to_string();
    let call = serde_json::json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "write", "arguments": arguments}},
    ]});
    world.append(&me, &[message("user", "go"), call.to_string(), reply("a", "ok")]);
    world.say(&me, "user", "thanks");
    let composed = within(world, 1000);
    let seen = shown(&composed);
    let call = seen.iter().find(|it| it["tool_calls"].is_array()).unwrap();
    let cut = call["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
    let cut: serde_json::Value = serde_json::from_str(cut).unwrap();
    let handle = cut["left_out"].as_str().unwrap();
    let ReadAnswer::Block(block) = world.engine.read_handle(&me, handle).unwrap() else { panic!() };
    assert_eq!(block.text, arguments);
}

pub fn a_budget_too_small_is_refused(world: &World) {
    let me = ada();
    world.say(&me, "user", &numbered(1));
    let with = |budget, system: Option<&str>| {
        let system = system.map(str::to_string);
        Request { budget: Some(budget), system, ..Request::default() }
    };
    let words = world.refuses(Kind::Refused, |it| it.compose(&me, &with(5, None)));
    assert!(words.contains("a budget of 5 tokens is too small"), "{words}");
    let long = "rule ".repeat(200);
    world.refuses(Kind::Refused, |it| it.compose(&me, &with(100, Some(&long))));
    for absurd in [0, -1, i64::MIN, i64::MAX] {
        world.refuses(Kind::Usage, |it| it.compose(&me, &with(absurd, None)));
    }
    world.engine.compose(&me, &with(10_000_000, None)).unwrap();
}

// An empty scope composes to nothing, within any budget.
pub fn an_empty_scope_composes_to_nothing(world: &World) {
    for budget in [1, 10, 1000] {
        let composed = within(world, budget);
        assert_eq!((composed.messages.len(), composed.tokens), (0, 0));
        assert_eq!(composed.cost.cached, 0);
    }
}
