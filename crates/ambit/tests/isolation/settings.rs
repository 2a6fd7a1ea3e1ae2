//! Settings: each has its effect, for the vault or for a scope, by an event.

use ambit::{Kind, Request, SETTINGS};
use ambit_core::Value;

use crate::world::{World, ada, bot, message, texts};

fn value(world: &World, scope: Option<&str>, name: &str) -> (String, &'static str) {
    let caller = scope.map_or(ada(), |scope| ada().in_scope(scope));
    let answer = world.engine.settings(&caller).unwrap();
    let line = answer.settings.into_iter().find(|line| line.name == name).unwrap();
    (line.value, line.from)
}

fn is(text: &str, from: &'static str) -> (String, &'static str) {
    (text.to_string(), from)
}

pub fn a_scope_overrides_its_vault_and_both_can_be_unset(world: &World) {
    world.engine.scope(&ada(), "step-1", "away").unwrap();
    let step = ada().in_scope("step-1");
    assert_eq!(value(world, None, "notes_shown"), is("5", "default"));
    world.engine.set(&ada(), "notes_shown", Some("7")).unwrap();
    let answer = world.engine.set(&step, "notes_shown", Some("2")).unwrap();
    assert_eq!((answer.value.as_str(), answer.scope.as_deref()), ("2", Some("step-1")));
    assert_eq!(value(world, None, "notes_shown"), is("7", "vault"));
    assert_eq!(value(world, Some("main"), "notes_shown"), is("7", "vault"));
    assert_eq!(value(world, Some("step-1"), "notes_shown"), is("2", "scope"));
    let answer = world.engine.set(&step, "notes_shown", None).unwrap();
    assert_eq!(answer.value, "7", "back to the vault's");
    let answer = world.engine.set(&ada(), "notes_shown", None).unwrap();
    assert_eq!((answer.value.as_str(), answer.scope), ("5", None));
    assert_eq!(value(world, Some("step-1"), "notes_shown"), is("5", "default"));
}

/// Every setting is listed, accepts its bounds, and refuses values beyond them.
pub fn every_setting_keeps_its_bounds(world: &World) {
    let listed = world.engine.settings(&ada()).unwrap().settings;
    assert_eq!(listed.len(), SETTINGS.len());
    assert!(listed.iter().all(|line| !line.help.is_empty() && line.from == "default"));
    world.say(&ada(), "user", "hello");
    for setting in SETTINGS {
        let (good, bad) = match setting.value {
            Value::Number { min, max } => (
                vec![min.to_string(), max.to_string()],
                vec![(min - 1).to_string(), (max + 1).to_string(), "1.5".into(), "".into()],
            ),
            Value::Switch => (vec!["on".into(), "off".into()], vec!["maybe".into(), "2".into()]),
            Value::Choice(words) => {
                (words.iter().map(|it| it.to_string()).collect(), vec!["0".into(), "none".into()])
            }
            Value::Prefixes => {
                (vec!["ACME-,corp_".into(), "none".into()], vec!["".into(), "ab".into()])
            }
            Value::Types => {
                (vec!["dashboard,metric".into(), "none".into()], vec!["".into(), "a,,b".into()])
            }
        };
        // Lower limits of names and sizes would refuse the test's own actor: set, then unset.
        for text in good {
            let answer = world.engine.set(&ada(), setting.name, Some(&text)).unwrap();
            assert_eq!(answer.value, text, "{}", setting.name);
            assert_eq!(value(world, None, setting.name), (text, "vault"));
        }
        world.engine.set(&ada(), setting.name, None).unwrap();
        for text in bad {
            world.refuses(Kind::Usage, |it| it.set(&ada(), setting.name, Some(&text)));
        }
        let pinned = ada().in_scope("main");
        if setting.per_scope {
            world.engine.set(&pinned, setting.name, None).unwrap();
        } else {
            world.refuses(Kind::Usage, |it| it.set(&pinned, setting.name, None));
        }
    }
    world.verified();
}

// Settings that affect compositions begin a new epoch; the others do not.
pub fn settings_that_affect_compositions_begin_an_epoch(world: &World) {
    world.say(&ada(), "user", "hello");
    for setting in SETTINGS {
        let before = world.compose(&ada()).epoch;
        // Setting the same value begins no epoch.
        world.engine.set(&ada(), setting.name, None).unwrap();
        assert_eq!(world.compose(&ada()).epoch, before, "{}", setting.name);
        let value = setting.show(&setting.default());
        world.engine.set(&ada(), setting.name, Some(&value)).unwrap();
        let after = world.compose(&ada()).epoch;
        let expected = if setting.decides_reads { world.head() } else { before };
        assert_eq!(after, expected, "{}", setting.name);
    }
    // A scope's own setting affects only that scope's readers, and is the scope's head.
    world.engine.scope(&ada(), "step-1", "away").unwrap();
    let epochs = (world.compose(&ada()).epoch, world.compose(&bot()).epoch);
    world.engine.set(&ada().in_scope("step-1"), "budget", Some("5000")).unwrap();
    assert_eq!(world.compose(&ada()).epoch, world.head());
    assert!(world.compose(&ada()).epoch > epochs.0);
    assert_eq!(world.compose(&bot()).epoch, epochs.1);
    assert_eq!(world.scope("step-1").head, world.head());
}

pub fn limits_refuse_what_exceeds_them(world: &World) {
    let me = ada();
    world.say(&me, "user", "hello");
    world.set("message_bytes_max", "10");
    let words = world.refuses(Kind::Refused, |it| it.append_text(&me, "user", "eleven bytes"));
    assert!(words.contains("message 1") && words.contains("message_bytes_max is 10"), "{words}");
    world.say(&me, "user", "ten bytes!");
    world.set("append_messages_max", "2");
    let three = [message("user", "a"), message("user", "b"), message("user", "c")];
    world.refuses(Kind::Refused, |it| it.append_json(&me, &three.join("\n")));
    world.append(&me, &three[..2]);
    world.set("note_bytes_max", "5");
    world.refuses(Kind::Refused, |it| it.note(&me, "sechs!"));
    world.engine.note(&me, "fünf").unwrap();
    world.set("name_chars_max", "4");
    world.refuses(Kind::Usage, |it| it.scope(&me, "fifth", "note"));
    world.engine.scope(&me, "four", "note").unwrap();
    world.set("scopes_max", "2");
    world.refuses(Kind::Refused, |it| it.scope(&me, "more", "note"));
    world.refuses(Kind::Usage, |it| it.note(&ambit::Caller::new("longer"), "hi"));
}

pub fn the_request_overrides_the_settings(world: &World) {
    let me = ada();
    world.set("budget", "1000");
    assert_eq!(world.compose(&me).budget, 1000);
    let request = Request { budget: Some(2000), ..Request::default() };
    assert_eq!(world.engine.compose(&me, &request).unwrap().budget, 2000);
    world.engine.set(&ada(), "budget", None).unwrap();
    assert_eq!(world.compose(&me).budget, 200_000);
}

pub fn idle_seconds_decide_when_a_silence_begins(world: &World) {
    let me = ada();
    world.set("idle_seconds", "60");
    world.say(&me, "user", "hello");
    world.append(&me, &[crate::world::calls("calling", &["a"])]);
    let epoch = world.compose(&me).epoch;
    world.pass(60_000);
    assert_eq!(world.compose(&me).epoch, epoch);
    assert_eq!(texts(&world.compose(&me)), ["hello"]);
    world.pass(1);
    assert_eq!(world.compose(&me).epoch, world.head() + 1, "the next event would begin it");
    assert_eq!(texts(&world.compose(&me)), ["hello", "calling"]);
}

pub fn weights_decide_what_a_call_costs(world: &World) {
    let me = ada();
    world.say(&me, "user", "a question of some length, so that shares can be told");
    let tokens = world.compose(&me).tokens;
    let cost = || world.compose(&me).cost;
    assert_eq!((cost().cached, cost().uncached), ((1250 * tokens + 500) / 1000, tokens));
    world.set("cache_write_permille", "2000");
    assert_eq!(cost().cached, 2 * tokens);
    world.say(&me, "assistant", "an answer");
    let all = world.compose(&me).tokens;
    world.set("cache_write_permille", "0");
    world.set("cache_read_permille", "1000");
    assert_eq!((cost().cached, cost().uncached), (tokens, all), "what the answer's call had");
}
