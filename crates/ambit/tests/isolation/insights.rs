//! Insights: notes of the whole vault, shown in every scope.

use ambit::{Kind, ReadAnswer, Request, SearchRequest, Selection};
use ambit_core::{Noted, ScopeNo, What};

use crate::world::{World, ada, bot, bytes, message, texts};

fn insights(world: &World) -> Vec<(String, String)> {
    let all = world.engine.insights(&ada()).unwrap().insights;
    all.into_iter().map(|it| (it.message, it.author)).collect()
}

/// Returns the lines of a composition's first message, without the heading and the hashes.
fn layer(text: &str) -> Vec<&str> {
    let lines = text.strip_prefix("[INSIGHTS]\n").unwrap_or_else(|| panic!("{text}")).lines();
    lines.map(|line| &line[12..]).collect()
}

// Proves X-8: the last N insights, a setting of their own, are shown in every scope before its
// notes, with their authors; they are notes of no scope.
pub fn insights_are_shown_in_every_scope(world: &World) {
    let (me, other) = (ada(), bot());
    world.engine.scope(&me, "step-1", "off").unwrap();
    world.engine.insight(&me, "the first").unwrap();
    world.engine.goto(&me, "main", "back").unwrap();
    let last = world.engine.insight(&other, "the second\nin two lines").unwrap();
    assert_eq!((last.insights, last.retracted, last.event), (2, false, world.head()));
    for (caller, scope) in [(&me, "main"), (&me, "step-1"), (&other, "main")] {
        let composed = world.compose(&caller.clone().in_scope(scope));
        let shown = texts(&composed);
        assert_eq!(layer(&shown[0]), ["the first (ada)", "the second in two lines (bot)"]);
        assert!(shown[1].starts_with("[EPISODIC MEMORY]"), "{shown:?}");
        let names: Vec<_> = composed.layers.iter().map(|it| (it.name, it.items)).collect();
        assert_eq!(names[..2], [("system", 0), ("insights", 2)]);
    }
    let expected = [("the first", "ada"), ("the second\nin two lines", "bot")];
    assert_eq!(insights(world), expected.map(|(text, who)| (text.into(), who.into())));
    assert!(!world.notes("main").iter().any(|(text, _)| text.contains("second")));
    assert_eq!(world.engine.scopes(&me).unwrap().scopes.len(), 2, "it is no scope to go to");
    world.set("insights_shown", "1");
    let shown = texts(&world.compose(&me));
    assert_eq!(layer(&shown[0]), ["the second in two lines (bot)"]);
    assert!(shown[1].contains("off") && shown[1].contains("back"), "notes have an N of their own");
    world.verified();
}

// Proves X-8: an insight is retracted by an event and can still be read.
pub fn an_insight_is_retracted_by_an_event(world: &World) {
    let me = ada();
    let first = world.engine.insight(&me, "holds").unwrap();
    let second = world.engine.insight(&me, "does not").unwrap();
    let note = world.engine.note(&me, "a note").unwrap();
    let before = world.head();
    let keyed = bot().with_key("once");
    let gone = world.engine.retract(&keyed, &second.hash[..9]).unwrap();
    assert_eq!((gone.hash.as_str(), gone.retracted, gone.insights), (&*second.hash, true, 1));
    assert_eq!(world.names_after(before), ["registered", "retracted"]);
    assert_eq!(world.engine.retract(&keyed, &second.hash[..9]).unwrap(), gone);
    assert_eq!(insights(world), [("holds".to_string(), "ada".to_string())]);
    assert_eq!(layer(&texts(&world.compose(&me))[0]), ["holds (ada)"]);
    let ReadAnswer::Note(read) = world.engine.read_handle(&me, &second.hash).unwrap() else {
        panic!("it can be read")
    };
    assert_eq!(read.message, "does not");
    world.refuses(Kind::Conflict, |it| it.retract(&me, &second.hash));
    world.refuses(Kind::NotFound, |it| it.retract(&me, &note.hash));
    world.refuses(Kind::NotFound, |it| it.retract(&me, "1234567"));
    world.refuses(Kind::NotFound, |it| it.retract(&me, "no hash"));
    world.refuses(Kind::Usage, |it| it.insight(&me, " "));
    world.refuses(Kind::NotFound, |it| it.read_snapshot(&me, &first.hash));
    world.engine.retract(&me, &first.hash).unwrap();
    let composed = world.compose(&me);
    assert!(texts(&composed)[0].starts_with("[EPISODIC MEMORY]"));
    assert!(composed.layers.iter().all(|layer| layer.name != "insights"));
    world.verified();
}

// The front of all compositions changes, so every reader's epoch ends; within an epoch the front
// stays.
pub fn an_insight_begins_an_epoch_for_every_reader(world: &World) {
    let (me, other) = (ada(), bot());
    for caller in [&me, &other] {
        world.append(caller, &[message("user", "go"), message("assistant", "yes")]);
        assert!(world.compose(caller).stable_prefix_tokens > 0);
    }
    let kept = world.engine.insight(&me, "holds everywhere").unwrap();
    for caller in [&me, &other] {
        let composed = world.compose(caller);
        assert_eq!((composed.epoch, composed.stable_prefix_tokens), (kept.event, 0));
    }
    world.say(&me, "user", "and now?");
    let asked = world.compose(&me);
    world.append(&me, &[message("assistant", "done"), message("user", "more")]);
    let later = world.compose(&me);
    assert_eq!(later.stable_prefix_tokens, asked.tokens, "insights are part of the prefix");
    assert_eq!(bytes(&later)[..asked.messages.len()], bytes(&asked)[..]);
    let gone = world.engine.retract(&me, &kept.hash).unwrap();
    assert_eq!(world.compose(&other).epoch, gone.event);
}

// An insight captures the frame where it was written, and enters that frame.
pub fn an_insight_is_captured_where_it_was_written(world: &World) {
    let me = ada();
    world.engine.scope(&me, "step-1", "off").unwrap();
    let note = world.engine.note(&me, "in mind").unwrap().head;
    let insight = world.engine.insight(&me, "had here").unwrap().event;
    let here = world.scope("step-1").scope;
    let (seq, context, frame) = world.captures().pop().unwrap();
    assert_eq!((seq, context[0], frame), (insight, note, here));
    assert_eq!(world.frame(here)[0], insight);
    assert_eq!(world.frame(world.home("ada"))[0], insight);
    let stands = |what: &What| matches!(what, What::Noted(Noted { scope: ScopeNo::VAULT, .. }));
    let events = world.events();
    assert_eq!(events.iter().filter(|it| stands(&it.event.body.what)).count(), 1);
    // Proves X-13: search finds it, in no scope.
    let query = SearchRequest { query: "had here".into(), ..SearchRequest::default() };
    let hits = world.engine.search(&me, &query).unwrap().hits;
    assert_eq!((hits[0].kind, hits[0].scope.as_deref()), ("insight", None));
}

// A text over the cap is replaced by a handle; a forgotten one by a mark, everywhere.
pub fn an_insight_too_long_has_a_handle_and_can_be_forgotten(world: &World) {
    let me = ada();
    let long = "many words ".repeat(200);
    let kept = world.engine.insight(&me, long.trim()).unwrap();
    let request = Request { budget: Some(2_000), ..Request::default() };
    let composed = world.engine.compose(&me, &request).unwrap();
    let stub = layer(&texts(&composed)[0]).concat();
    let handle = composed.left_out[0].handle.clone().unwrap();
    assert!(stub.contains(&handle) && stub.ends_with("(ada)"), "{stub}");
    assert_eq!(composed.left_out[0].why, "over insights_tokens_max");
    let ReadAnswer::Block(block) = world.engine.read_handle(&me, &handle).unwrap() else {
        panic!("it can be read")
    };
    assert_eq!(block.text, long.trim());
    let selection = Selection { names: vec![kept.hash], ..Selection::default() };
    let report = world.engine.forget(&me, &selection, &|_| {}).unwrap();
    assert_eq!((report.notes, report.texts), (1, 1));
    let composed = world.compose(&bot());
    assert_eq!(layer(&texts(&composed)[0]), ["[forgotten] (ada)"]);
    assert_eq!(Some(composed.epoch), report.head);
    world.verified();
}
