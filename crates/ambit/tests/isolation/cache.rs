//! Epochs: within one, each call's bytes are a prefix of the next call's, and the receipt reports
//! how much of them is cached.

use ambit::{Composition, Kind};

use crate::world::{MINUTE, World, ada, bot, bytes, calls, message, reply, texts};

fn extends(earlier: &Composition, later: &Composition) {
    let (earlier, later) = (bytes(earlier), bytes(later));
    assert_eq!(later[..earlier.len().min(later.len())], earlier[..]);
}

// In a linear conversation, everything that was answered before is cached.
pub fn a_linear_conversation_keeps_its_prefix(world: &World) {
    let me = ada();
    world.say(&me, "system", "be brief");
    let mut answered: Option<Composition> = None;
    for round in 0..6 {
        world.say(&me, "user", &format!("question {round} with a few words"));
        world.pass(MINUTE);
        let composed = world.compose(&me);
        let stable = answered.as_ref().map_or(0, |it| it.tokens);
        assert_eq!(composed.stable_prefix_tokens, stable);
        let cost = (100 * stable + 1250 * (composed.tokens - stable) + 500) / 1000;
        assert_eq!((composed.cost.cached, composed.cost.uncached), (cost, composed.tokens));
        assert_eq!(composed.epoch, 0, "one epoch from the start");
        answered.iter().for_each(|it| extends(it, &composed));
        assert_eq!(bytes(&world.compose(&me)), bytes(&composed), "composing writes nothing");
        world.say(&me, "assistant", &format!("answer {round}"));
        answered = Some(composed);
    }
}

// Notes, tool calls and others' turns come at the end; the front stays.
pub fn notes_and_calls_leave_the_front_alone(world: &World) {
    let me = ada();
    world.engine.note(&me, "an early note").unwrap();
    world.say(&me, "user", "go");
    let first = world.compose(&me);
    world.append(&me, &[calls("calling", &["a"])]);
    extends(&first, &world.compose(&me));
    world.append(&me, &[reply("a", "done")]);
    let second = world.compose(&me);
    extends(&first, &second);
    assert_eq!(second.stable_prefix_tokens, first.tokens);
    world.say(&me, "assistant", "answer");
    world.engine.note(&me, "a late note").unwrap();
    world.say(&bot(), "assistant", "from another");
    world.say(&me, "user", "more");
    let third = world.compose(&me);
    extends(&second, &third);
    assert_eq!(third.stable_prefix_tokens, second.tokens);
    assert_eq!(third.messages.len(), second.messages.len() + 4);
    // Coming back by goto continues the scope's epoch.
    world.engine.scope(&me, "step-1", "away").unwrap();
    world.engine.goto(&me, "main", "back").unwrap();
    let fourth = world.compose(&me);
    extends(&third, &fourth);
    assert_eq!((fourth.epoch, third.epoch), (first.epoch, first.epoch));
}

// Hiding or altering what was shown begins a new epoch without a cached prefix.
pub fn boundaries_begin_a_new_epoch(world: &World) {
    let me = ada();
    let first = world.say(&me, "user", "one");
    world.append(&me, &[message("assistant", "two"), message("user", "three")]);
    let start = world.compose(&me);
    assert!(start.stable_prefix_tokens > 0);
    type Step = (&'static str, Box<dyn Fn(&World)>);
    let steps: Vec<Step> = vec![
        ("rewind", Box::new(move |it| drop(it.engine.rewind(&ada(), first).unwrap()))),
        ("setting", Box::new(|it| it.set("notes_shown", "4"))),
        (
            "clear",
            Box::new(|it| {
                it.set("clear_on_note", "on");
                it.engine.note(&ada(), "clears").unwrap();
            }),
        ),
        (
            "silence",
            Box::new(|it| {
                it.pass(5 * MINUTE + 1);
                it.say(&ada(), "user", "back again");
            }),
        ),
    ];
    let mut epoch = start.epoch;
    for (name, step) in steps {
        world.append(&me, &[message("user", "go on"), message("assistant", "yes")]);
        assert!(world.compose(&me).stable_prefix_tokens > 0, "before {name}");
        step(world);
        let composed = world.compose(&me);
        assert_eq!(composed.epoch, world.head(), "{name}");
        assert!(composed.epoch > epoch, "{name}");
        assert_eq!(composed.stable_prefix_tokens, 0, "{name}");
        epoch = composed.epoch;
    }
}

// Each reader has its own epoch.
pub fn each_reader_has_its_own_silence(world: &World) {
    world.append(&ada(), &[message("user", "one"), message("assistant", "two")]);
    world.append(&bot(), &[message("user", "three")]);
    world.pass(4 * MINUTE);
    world.say(&bot(), "user", "bot goes on");
    world.pass(2 * MINUTE);
    assert_eq!(world.compose(&bot()).epoch, 0, "bot spoke two minutes ago");
    assert_eq!(world.compose(&ada()).epoch, world.head() + 1, "ada is silent");
    assert_eq!(world.compose(&ada()).stable_prefix_tokens, 0);
}

// `expect_head` refuses a caller whose head is out of date.
pub fn an_outdated_expected_head_is_refused(world: &World) {
    let me = ada();
    let head = world.say(&me, "user", "one");
    let composed = world.engine.compose(&ada().expecting(head), &Default::default()).unwrap();
    assert_eq!(composed.head, head);
    let head = world.engine.note(&ada().expecting(head), "seen").unwrap().head;
    world.say(&bot(), "user", "in between");
    let late = ada().expecting(head);
    let words = world.refuses(Kind::Conflict, |it| it.append_text(&late, "user", "two"));
    assert!(words.contains(&format!("not {head}")), "{words}");
    world.refuses(Kind::Conflict, |it| it.note(&late, "two"));
    world.refuses(Kind::Conflict, |it| it.compose(&late, &Default::default()));
    assert_eq!(texts(&world.compose(&me)).last().unwrap(), "in between");
    // The head is the scope's: events elsewhere do not count, nor does a focus.
    let head = world.scope("main").head;
    world.engine.scope(&bot(), "elsewhere", "away").unwrap();
    let head_now = world.scope("main").head;
    assert_eq!(head_now, head + 1, "bot's departure note");
    world.say(&bot(), "user", "elsewhere");
    world.engine.goto(&bot(), "main", "back").unwrap();
    let arrived = world.scope("main").head;
    world.engine.append_text(&ada().expecting(arrived), "user", "in time").unwrap();
}
