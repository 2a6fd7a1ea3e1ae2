//! Messages that a fork inherits from its origin: as they were at the fork, unaffected by later
//! events.

use ambit::{Caller, Composition, Inherit, Request, Selection};

use crate::world::{
    MINUTE, World, ada, assert_valid, bot, bytes, calls, lines, message, reply, texts,
};

fn full(world: &World, caller: &Caller, name: &str) -> Caller {
    let line = world.engine.fork(caller, name, "go", Inherit::Full).unwrap();
    let shown = line.composition.unwrap();
    let sub = Caller::new(line.actor);
    assert_eq!(bytes(&shown), bytes(&world.compose(&sub)));
    sub
}

fn tokens(composition: &Composition, layer: &str) -> i64 {
    composition.layers.iter().find(|it| it.name == layer).map_or(0, |it| it.tokens)
}

// Proves D0-9, S0-90: the origin's messages at the fork precede its own; turns of its ancestors
// are turns, others' are attributed.
pub fn a_full_fork_continues_the_messages(world: &World) {
    world.say(&ada(), "user", "why does login fail?");
    world.say(&ada(), "assistant", "I look into it.");
    world.say(&bot(), "assistant", "I saw it too.");
    world.append(&ada(), &[calls("looking", &["a"])]);
    world.append(&ada(), &[reply("a", "TTL is 1")]);
    let sub = full(world, &ada(), "sub");
    world.say(&ada(), "user", "later, to main alone");
    world.say(&sub, "user", "find the place");
    let composed = world.compose(&sub);
    assert_valid(&composed);
    let all = lines(&composed);
    let (roles, said): (Vec<_>, Vec<_>) = all.iter().map(|(a, b)| (a.as_str(), b.as_str())).unzip();
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "tool", "user"]);
    assert_eq!(said[1..3], ["why does login fail?", "I look into it."]);
    assert!(said[3].starts_with("<turn author=\"bot\""));
    assert_eq!(said[4..], ["looking", "TTL is 1", "find the place"]);
    let sum = ["system", "notes", "inherited", "messages"].map(|it| tokens(&composed, it));
    assert!(sum[2] > sum[3] && sum.iter().sum::<i64>() == composed.tokens);
    // A reader that is not a descendant sees all of it attributed.
    let stranger = world.compose(&bot().in_scope("sub"));
    assert_valid(&stranger);
    let own: Vec<_> = lines(&stranger).into_iter().filter(|it| it.0 == "assistant").collect();
    assert_eq!(own, [("assistant".to_string(), "I saw it too.".to_string())]);
    // Inherits only notes, or nothing.
    for (name, inherit) in [("some", Inherit::Notes), ("none", Inherit::None)] {
        world.engine.fork(&ada(), name, "go", inherit).unwrap();
        let composed = world.compose(&Caller::new(name));
        assert!(!texts(&composed).concat().contains("login"));
        assert_eq!(composed.layers.iter().find(|it| it.name == "inherited"), None);
    }
    world.verified();
}

// A call that is open at the fork is given up there: its text stays, and its reply comes too late.
// Messages hidden in the origin later are still inherited.
pub fn inherited_messages_stay_as_they_were(world: &World) {
    let first = world.say(&ada(), "user", "one");
    world.say(&ada(), "assistant", "two");
    world.append(&ada(), &[calls("I fork", &["f"])]);
    let sub = full(world, &ada(), "sub");
    let before = texts(&world.compose(&sub));
    assert_eq!(before[1..], ["one", "two", "I fork"]);
    world.append(&ada(), &[reply("f", "forked")]);
    world.engine.rewind(&ada(), first).unwrap();
    assert_eq!(texts(&world.compose(&sub)), before);
    assert_eq!(texts(&world.compose(&ada())).len(), 1);
    // Nested forks inherit what their origin inherits.
    world.say(&sub, "assistant", "three");
    let below = full(world, &sub, "below");
    world.say(&sub, "assistant", "four");
    let composed = world.compose(&below);
    assert_eq!(texts(&composed)[1..], ["one", "two", "I fork", "three"]);
    assert!(lines(&composed)[2..].iter().all(|(role, _)| role == "assistant"));
    // Also at a past moment.
    let seq = world.head();
    world.say(&below, "assistant", "five");
    let then = world.engine.compose_at(&below, &Request::default(), &seq.to_string()).unwrap();
    assert_eq!(bytes(&then), bytes(&composed));
    world.verified();
}

// The last messages that fit are shown; instructions stay, and calls stay with their replies.
pub fn a_long_conversation_is_inherited_from_its_end(world: &World) {
    world.say(&ada(), "system", "be brief");
    for round in 0..40 {
        let id = format!("c{round}");
        world.append(
            &ada(),
            &[message("user", &format!("question {round} {}", "word ".repeat(20)))],
        );
        world.append(&ada(), &[calls("calling", &[&id]), reply(&id, &"result ".repeat(20))]);
    }
    let sub = full(world, &ada(), "sub");
    world.say(&sub, "user", "go on");
    for (name, value) in [("inherited_tokens_max", "600"), ("inherited_tokens_max", "601")] {
        world.set(name, value);
        let composed = world.compose(&sub);
        assert_valid(&composed);
        let said = texts(&composed);
        assert_eq!((said[1].as_str(), said.last().unwrap().as_str()), ("be brief", "go on"));
        assert!((300..=601).contains(&tokens(&composed, "inherited")), "{:?}", composed.layers);
        assert!(said[said.len() - 4].starts_with("question 39"));
        let cut = composed.left_out.iter().find(|it| it.why.starts_with("no room")).unwrap();
        let handle = cut.handle.as_deref().unwrap();
        world.engine.read_handle(&sub, handle).unwrap();
    }
    for budget in [60, 100, 400, 2_000] {
        let request = Request { budget: Some(budget), ..Request::default() };
        let composed = world.engine.compose(&sub, &request).unwrap();
        assert_valid(&composed);
        assert!(composed.tokens <= budget, "{} of {budget}", composed.tokens);
    }
}

// A chain that was carried from one ancestor's scope into another's is inherited once.
pub fn a_carried_chain_is_inherited_once(world: &World) {
    world.say(&ada(), "user", "go on");
    world.append(&ada(), &[calls("I look", &["a"])]);
    let first = full(world, &ada(), "first");
    world.engine.goto(&ada(), "first", "over there").unwrap();
    world.append(&ada(), &[reply("a", "seen")]);
    let line = world.engine.fork(&ada(), "second", "go", Inherit::Full).unwrap();
    let composed = line.composition.unwrap();
    assert_valid(&composed);
    let said = texts(&composed).into_iter().filter(|text| text == "I look").count();
    assert_eq!(said, 1, "{:#?}", texts(&composed));
    assert_valid(&world.compose(&first));
    world.verified();
}

// Attributed text costs more than the stored text: if that leaves no room for the beginning, the
// instructions there still stay.
pub fn inherited_instructions_stay(world: &World) {
    world.say(&ada(), "system", "Be brief.");
    for number in 0..60 {
        world.say(&bot(), "assistant", &number.to_string());
    }
    let sub = full(world, &ada(), "sub");
    for cap in [400, 500, 700, 4_000] {
        world.set("inherited_tokens_max", &cap.to_string());
        let composed = world.compose(&sub);
        assert!(texts(&composed).contains(&"Be brief.".to_string()), "{cap}");
        assert!(tokens(&composed, "inherited") <= cap, "{cap}: {:?}", composed.layers);
    }
}

// The cap is used fully: by whole turns of any size.
pub fn the_cap_of_inherited_messages_is_used(world: &World) {
    for number in 0..5 {
        world.say(&ada(), "user", &format!("{number} {}", "word ".repeat(995)));
    }
    let sub = full(world, &ada(), "sub");
    for (cap, turns) in [(900, 0), (1_100, 1), (2_100, 2), (2_900, 2), (3_100, 3), (9_000, 5)] {
        world.set("inherited_tokens_max", &cap.to_string());
        let composed = world.compose(&sub);
        let shown = texts(&composed).iter().filter(|text| text.contains("word word")).count();
        assert_eq!(shown, turns, "{cap}: {:?}", composed.layers);
        assert!(tokens(&composed, "inherited") <= cap);
        assert!(tokens(&composed, "inherited") > 0, "a stub, at the least");
    }
}

// Within an epoch the front stays the same, whatever happens in the origin; forgetting begins a
// new epoch.
pub fn inherited_messages_keep_the_cache(world: &World) {
    let secret = world.say(&ada(), "user", "the password is hunter2");
    world.say(&ada(), "assistant", "noted");
    let sub = full(world, &ada(), "sub");
    world.say(&sub, "user", "begin");
    let mut last = world.compose(&sub);
    for round in 0..4 {
        world.say(&sub, "assistant", &format!("answer {round}"));
        world.say(&ada(), "user", "meanwhile");
        world.engine.note(&ada(), "meanwhile").unwrap();
        world.pass(MINUTE);
        world.say(&sub, "user", "next");
        let now = world.compose(&sub);
        assert_eq!(now.stable_prefix_tokens, last.tokens);
        assert_eq!(bytes(&now)[..last.messages.len()], bytes(&last)[..]);
        last = now;
    }
    let selection = Selection { names: vec![secret.to_string()], ..Selection::default() };
    world.engine.forget(&ada(), &selection, &|_| {}).unwrap();
    let now = world.compose(&sub);
    assert!(now.epoch > last.epoch && now.stable_prefix_tokens == 0);
    assert!(!texts(&now).concat().contains("hunter2"));
    // Once no scope inherits it, forgetting affects only the scopes that show it.
    world.engine.rejoin(&sub, None, None, false).unwrap();
    world.engine.scope(&ada(), "elsewhere", "off").unwrap();
    let epoch = world.compose(&ada()).epoch;
    let selection = Selection { names: vec![(secret + 1).to_string()], ..Selection::default() };
    world.engine.forget(&ada(), &selection, &|_| {}).unwrap();
    assert_eq!(world.compose(&ada()).epoch, epoch);
    world.verified();
}

/// The fork succeeds even if its first composition is refused; here it had already begun.
pub fn a_fork_succeeds_without_a_composition(world: &World) {
    let keyed = ada().with_key("once");
    let first = world.engine.fork(&keyed, "sub", "go", Inherit::Full).unwrap();
    assert!(first.composition.is_some() && first.warnings.is_empty());
    world.say(&Caller::new("sub"), "user", &"much ".repeat(100));
    world.set("budget", "10");
    let again = world.engine.fork(&keyed, "sub", "go", Inherit::Full).unwrap();
    assert_eq!((&again.actor_id, again.event), (&first.actor_id, first.event));
    assert!(again.composition.is_none());
    assert!(again.warnings[0].contains("budget"), "{:?}", again.warnings);
    world.set("budget", "10000");
    world.engine.rejoin(&Caller::new("sub"), None, None, false).unwrap();
    let again = world.engine.fork(&keyed, "sub", "go", Inherit::Full).unwrap();
    assert_eq!(again.composition.unwrap().scope, "sub");
}
