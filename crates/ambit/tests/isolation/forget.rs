//! Forgetting: what is deleted, what is shown instead, and what stays.

use ambit::{Caller, ForgetReport, Kind, Selection, tokens};
use ambit_core::Form;
use ambit_wire::forgotten;

use crate::world::{
    World, ada, assert_valid, bot, calls, lines, message, reply, shown, texts, within,
};

fn named(names: &[&str]) -> Selection {
    Selection { names: names.iter().map(ToString::to_string).collect(), ..Selection::default() }
}

fn containing(text: &str) -> Selection {
    Selection { containing: Some(text.to_string()), ..Selection::default() }
}

fn forget(world: &World, selection: &Selection) -> ForgetReport {
    let before = world.head();
    let preview = world.engine.forget_preview(&ada(), selection, &|_| {}).unwrap();
    assert_eq!(world.head(), before, "a preview changes nothing");
    let report = world.engine.forget(&ada(), selection, &|_| {}).unwrap();
    let amounts = |it: &ForgetReport| (it.blocks, it.notes, it.shapes, it.texts, it.kept);
    assert_eq!(amounts(&report), amounts(&preview), "it does what the preview said");
    assert_eq!((preview.done, report.done, report.scrubbed), (false, true, Some(true)));
    world.verified();
    report
}

pub fn a_text_is_forgotten_by_its_name(world: &World) {
    let me = ada();
    let turn = world.say(&me, "user", "the password is hunter2");
    let noted = world.engine.note(&me, "hunter2 opens it").unwrap();
    world.say(&me, "user", "and so on");
    let report = forget(world, &named(&[&turn.to_string(), &noted.hash[..8]]));
    assert_eq!((report.blocks, report.notes, report.texts, report.kept), (1, 1, 2, 0));
    assert_eq!(report.head, Some(world.head()));
    let layer = format!("[EPISODIC MEMORY]\n- [{}] [forgotten]", &noted.hash[..7]);
    assert_eq!(texts(&world.compose(&me)), [layer.as_str(), "[forgotten]", "and so on"]);
    assert_eq!(world.notes("main"), [("[forgotten]".to_string(), false)]);
    for name in [turn.to_string(), format!("{turn}.0"), noted.hash.clone()] {
        let error = world.refuses(Kind::NotFound, |engine| engine.read_handle(&me, &name));
        assert!(error.contains("ada forgot it on 2027-01-15T08:00:00.000Z"), "{error}");
    }
    let again = forget(world, &named(&[&turn.to_string()]));
    assert_eq!((again.blocks, again.head), (0, None), "there is nothing left to forget");
    let verified = world.engine.verify(&me, &|_| {}).unwrap();
    assert_eq!((verified.forgotten, verified.contents), (2, 1));
    assert!(world.events().iter().all(|logged| !logged.text.contains("hunter2")));
}

pub fn one_block_of_a_message_can_be_forgotten(world: &World) {
    let me = ada();
    let parts = r#"{"role":"user","content":[{"type":"text","text":"keep"},
        {"type":"text","text":"lose"}],"mood":"curious"}"#;
    let turn = world.append(&me, &[parts.replace('\n', "")]);
    let report = forget(world, &named(&[&format!("{turn}.1")]));
    assert_eq!((report.blocks, report.shapes, report.partly), (1, 0, vec![turn]));
    let content = &shown(&world.compose(&me))[0];
    assert_eq!(content["content"][0]["text"], "keep");
    assert_eq!(content["content"][1]["text"], "[forgotten]");
    assert_eq!(content["mood"], "curious");
    // The whole turn, with its remaining blocks.
    let report = forget(world, &named(&[&turn.to_string()]));
    assert_eq!((report.blocks, report.shapes), (1, 1));
    let content = &shown(&world.compose(&me))[0];
    assert!(content.get("mood").is_none(), "{content}");
}

/// Whatever part of a batch is forgotten, providers accept the rest.
pub fn calls_and_replies_stay_paired(world: &World) {
    let me = ada();
    let call = world.append(&me, &[calls("looking", &["a", "b", "a"])]);
    let first = world.append(&me, &[reply("a", "one")]);
    world.append(&me, &[reply("b", "two"), reply("a", "three"), message("assistant", "done")]);
    let names = [format!("{call}.1"), format!("{first}"), format!("{call}")];
    for name in &names {
        forget(world, &named(&[name]));
        let composed = world.compose(&me);
        assert_valid(&composed);
        assert_eq!(composed.messages.len(), 5);
        let calls = shown(&composed)[0]["tool_calls"].as_array().unwrap().clone();
        assert_eq!(calls[0]["function"]["arguments"], r#"{"forgotten":true}"#);
        assert_valid(&world.compose(&bot()));
    }
    let composed = shown(&world.compose(&me));
    assert_eq!(composed[0]["tool_calls"][1]["function"]["name"], "forgotten");
    assert_eq!(composed[0]["content"], "[forgotten]");
    assert_eq!(composed[1]["content"], "[forgotten]");
    assert_eq!(composed[2]["content"], "two");
    for budget in [400, 700, 5_000] {
        within(world, budget);
    }
}

/// An open call stays open.
pub fn an_open_call_can_be_forgotten(world: &World) {
    let me = ada();
    let call = world.append(&me, &[calls("looking", &["a"])]);
    forget(world, &named(&[&call.to_string()]));
    assert_eq!(world.engine.where_am_i(&me).unwrap().open_calls, 1);
    world.append(&me, &[reply("a", "one")]);
    let composed = world.compose(&me);
    assert_valid(&composed);
    assert_eq!(lines(&composed)[1], ("tool".to_string(), "one".to_string()));
}

pub fn texts_that_others_reference_are_kept(world: &World) {
    world.say(&ada(), "user", "ok");
    world.say(&bot(), "user", "ok");
    let report = forget(world, &Selection { by: Some("ada".into()), ..Selection::default() });
    assert_eq!((report.blocks, report.texts, report.kept), (1, 0, 1));
    assert_eq!(texts(&world.compose(&ada())), ["[forgotten]", "ok"]);
    let report = forget(world, &containing("ok"));
    assert_eq!((report.blocks, report.texts, report.kept), (1, 1, 0));
}

pub fn selections_filter_by_scope_actor_and_text(world: &World) {
    let me = ada();
    world.say(&me, "user", "alpha in main");
    world.engine.scope(&me, "step-1", "alpha note").unwrap();
    world.say(&me, "user", "alpha in step-1");
    world.say(&me, "user", "beta in step-1");
    world.say(&bot().in_scope("step-1"), "user", "alpha of bot");
    let amounts = |selection: &Selection| {
        let report = world.engine.forget_preview(&me, selection, &|_| {}).unwrap();
        let scopes: Vec<_> = report.scopes.iter().map(|it| (it.name.clone(), it.items)).collect();
        (report.blocks, report.notes, scopes)
    };
    let main = |items| (Some("main".to_string()), items);
    let step = |items| (Some("step-1".to_string()), items);
    assert_eq!(amounts(&containing("alpha")), (3, 1, vec![main(2), step(2)]));
    let in_step = Selection { within: Some("step-1".into()), ..Selection::default() };
    assert_eq!(amounts(&in_step), (3, 0, vec![step(3)]));
    let by_bot = Selection { by: Some("bot".into()), ..Selection::default() };
    assert_eq!(amounts(&by_bot), (1, 0, vec![step(1)]));
    // Filters are combined with "and".
    let all = Selection { by: Some("ada".into()), ..in_step.clone() };
    assert_eq!(amounts(&all), (2, 0, vec![step(2)]));
    let all = Selection { containing: Some("alpha".into()), ..all };
    assert_eq!(amounts(&all), (1, 0, vec![step(1)]));
    let report = world.engine.forget_preview(&me, &all, &|_| {}).unwrap();
    assert_eq!(report.snippets[0].text, "alpha in step-1");
    assert_eq!(report.snippets[0].author, "ada");
    assert!(!report.cannot_reach.is_empty());
    // Hidden items are selected too.
    let turn = world.say(&me, "user", "alpha stays");
    world.say(&me, "user", "alpha goes");
    world.engine.rewind(&me, turn).unwrap();
    let report = world.engine.forget_preview(&me, &containing("alpha goes"), &|_| {}).unwrap();
    assert_eq!((report.blocks, report.hidden, report.scopes.len()), (1, 1, 0));
    assert_eq!(forget(world, &containing("alpha")).texts, 6);
    assert_eq!(forget(world, &containing("alpha")).texts, 0);
}

/// JSON escapes line ends and quotes: a text is found there too.
pub fn a_text_is_found_within_json(world: &World) {
    let me = ada();
    let secret = "line one\nsaid \"so\"";
    let arguments = serde_json::json!({"cmd": secret}).to_string();
    let call = serde_json::json!({
        "role": "assistant",
        "content": null,
        "tool_calls": [{"id": "a", "type": "function",
            "function": {"name": "run", "arguments": arguments}}],
        "reasoning": secret,
    });
    world.append(&me, &[call.to_string(), reply("a", "done")]);
    let report = forget(world, &containing(secret));
    assert_eq!((report.blocks, report.shapes, report.texts), (1, 1, 2));
    assert_valid(&world.compose(&me));
}

pub fn names_cannot_be_forgotten(world: &World) {
    let me = ada();
    world.engine.scope(&me, "project-x", "secret").unwrap();
    for (name, words) in [("project-x", "the scope name"), ("ada", "the actor name")] {
        let error = world.engine.forget(&me, &named(&[name]), &|_| {}).unwrap_err();
        assert_eq!(error.kind(), Kind::Refused);
        assert!(error.to_string().contains(&format!("{words} {name:?}")), "{error}");
    }
    let report = world.engine.forget_preview(&me, &containing("project-x"), &|_| {}).unwrap();
    assert_eq!((report.blocks + report.notes, report.names), (0, vec!["project-x".to_string()]));
    let nothing = |names: &[&str]| {
        world.refuses(Kind::NotFound, |engine| engine.forget(&me, &named(names), &|_| {}));
    };
    nothing(&["nonsense"]);
    nothing(&["999"]);
    nothing(&["3.0-ffff"]);
    let usage = |selection: Selection| {
        world.refuses(Kind::Usage, |engine| engine.forget(&me, &selection, &|_| {}));
    };
    usage(Selection::default());
    usage(containing(""));
    usage(Selection { names: vec!["3".into()], ..containing("x") });
    let of = |selection: Selection| {
        world.refuses(Kind::NotFound, |engine| engine.forget(&me, &selection, &|_| {}));
    };
    of(Selection { within: Some("nowhere".into()), ..Selection::default() });
    of(Selection { by: Some("nobody".into()), ..Selection::default() });
    let elsewhere = ada().in_scope("nowhere");
    world.refuses(Kind::NotFound, |engine| engine.forget(&elsewhere, &named(&["3"]), &|_| {}));
}

pub fn a_key_makes_forgetting_safe(world: &World) {
    let me = ada();
    world.say(&me, "user", "a secret");
    let keyed = |key: &str| -> Caller { ada().with_key(key) };
    let first = world.engine.forget(&keyed("k"), &containing("secret"), &|_| {}).unwrap();
    assert_eq!((first.blocks, first.texts), (1, 1));
    world.say(&me, "user", "another secret");
    let again = world.engine.forget(&keyed("k"), &containing("secret"), &|_| {}).unwrap();
    assert_eq!((again.blocks, again.head), (first.blocks, first.head));
    assert_eq!(texts(&world.compose(&me))[1], "another secret", "it came later");
    let error = world.refuses(Kind::Conflict, |engine| {
        engine.forget(&keyed("k"), &containing("other"), &|_| {})
    });
    assert!(!error.contains("secret"), "{error}");
    world.refuses(Kind::Conflict, |engine| engine.note(&keyed("k"), "x"));
}

/// More items than one transaction takes.
pub fn many_are_forgotten_in_batches(world: &World) {
    let me = ada();
    let messages: Vec<_> = (0..1_100).map(|n| message("user", &format!("secret {n}"))).collect();
    world.append(&me, &messages);
    world.say(&me, "user", "kept");
    let before = world.head();
    let report = forget(world, &containing("secret"));
    assert_eq!((report.blocks, report.texts), (1_100, 1_100));
    assert_eq!(world.names_after(before), ["forgotten", "forgotten", "forgotten"]);
    assert_eq!(texts(&world.compose(&me)).last().unwrap(), "kept");
    let row = world.scope("main");
    assert_eq!(row.messages, 1_101);
    assert!(row.sum < 1_101 * 10, "{}", row.sum);
}

/// A mark costs at most its counted tokens, so budgets are kept.
pub fn marks_are_counted(_: &World) {
    for form in [Form::Text, Form::Reply, Form::Call, Form::Media, Form::Other] {
        let counted = tokens::count(forgotten::mark(form)) as i64;
        let said = forgotten::mark_tokens(form);
        assert!((counted..=counted + 4).contains(&said), "{form:?}: {counted}, {said}");
    }
    for blocks in 1..20usize {
        let mut forms = vec![Some(Form::Call); blocks];
        forms[0] = Some(Form::Text);
        let skeleton =
            forgotten::skeleton(ambit_core::Role::Assistant, &forms, &vec![None; blocks]);
        // An id is given when it is shown.
        let ids = 12 * blocks as i64;
        let counted = tokens::count(&skeleton) as i64 + ids;
        assert!(counted <= forgotten::skeleton_tokens(blocks as i64), "{blocks}: {counted}");
    }
}

pub fn forgetting_is_a_boundary(world: &World) {
    let me = ada();
    let turn = world.say(&me, "user", "secret");
    world.say(&me, "assistant", "answered");
    let noted = world.engine.note(&me, "inherited secret").unwrap();
    world.engine.scope(&me, "step-1", "away").unwrap();
    world.say(&me, "user", "here");
    world.say(&me, "assistant", "answered too");
    let here = || world.compose(&ada());
    let there = || world.compose(&ada().in_scope("main"));
    let (step, main) = (here().epoch, there().epoch);
    forget(world, &named(&[&turn.to_string()]));
    assert_eq!((here().epoch, there().epoch > main), (step, true), "only where it was shown");
    assert_eq!(there().stable_prefix_tokens, 0);
    forget(world, &named(&[&noted.hash]));
    assert!(here().epoch > step, "a note is shown where it is inherited too");
}
