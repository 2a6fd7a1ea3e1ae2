//! Generated conversations: valid ones are composed as they were appended, damaged ones are
//! repaired.

use ambit::{ActorKind, Caller, Engine, Format, Kind, Request, Source, parse_messages};
use serde_json::Value;

use crate::chance::Chance;
use crate::conversation::{damage, sound};
use crate::{append, by_model, compose, messages, must_be_valid};

/// For each format.
const SOUND: u64 = 300;
const DAMAGED: u64 = 3_400;

// Proves S1-1, S1-34: round trips in the same format.
#[test]
fn a_valid_conversation_is_composed_unchanged_in_its_own_format() {
    for format in Format::ALL {
        for seed in 0..SOUND {
            let engine = Engine::memory().unwrap();
            let caller = Caller::new("bot");
            let given = sound(format, &mut Chance::new(seed));
            append(&engine, &caller, format, &given);
            let composition = compose(&engine, &caller, format, 200_000);
            let shown = messages(&composition);
            // Also as text: the order of keys, and the notation of numbers.
            let spelt = |all: &[Value]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
            assert_eq!(spelt(&shown), spelt(&given), "{format:?}, seed {seed}");
            must_be_valid(&composition, &|| format!("{format:?}, seed {seed}"));
        }
    }
}

/// In unknown fields, and in the arguments of a call.
#[test]
fn numbers_keep_their_notation() {
    let numbers = r#"{"z":1.50,"a":1e5,"n":12345678901234567890123,"m":-0,"l":1E+999}"#;
    let field = format!(r#"{{"role":"user","content":"hi","x":{numbers}}}"#);
    let call = format!(
        r#"[{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{{"type":"tool_use",
        "id":"t","name":"f","input":{numbers}}}]}},{{"role":"user","content":[{{"type":
        "tool_result","tool_use_id":"t","content":"done"}}]}}]"#
    );
    let fields = Format::ALL.map(|format| (format, field.clone()));
    for (format, given) in fields.into_iter().chain([(Format::Anthropic, call)]) {
        let engine = Engine::memory().unwrap();
        let caller = Caller::new("bot");
        let source = parse_messages(given.as_bytes(), Source::Wire(format), &|_| {}).unwrap();
        engine.append(&caller, source).unwrap();
        let composition = compose(&engine, &caller, format, 200_000);
        let shown = composition.messages.iter().any(|message| message.get().contains(numbers));
        assert!(shown, "{format:?}: {:?}", composition.messages);
    }
}

/// For every pair of formats, at every turn.
#[test]
fn a_conversation_of_any_format_is_valid_in_every_other_at_every_turn() {
    for from in Format::ALL {
        for seed in 0..SOUND / 4 {
            let engine = Engine::memory().unwrap();
            let caller = Caller::new("bot");
            let given = sound(from, &mut Chance::new(seed));
            for upto in 0..given.len() {
                // Items of one turn of Responses are appended together.
                append_next(&engine, &caller, from, &given, upto);
                for format in Format::ALL {
                    let what = || format!("{from:?} to {format:?}, seed {seed}, at {upto}");
                    for budget in [200_000, 900] {
                        match engine.compose(&caller, &request(format, budget)) {
                            Ok(composition) => must_be_valid(&composition, &what),
                            Err(error) => assert_eq!(error.kind(), Kind::Refused, "{}", what()),
                        }
                    }
                }
            }
        }
    }
}

fn request(format: Format, budget: i64) -> Request {
    Request { budget: Some(budget), format: Some(format), ..Request::default() }
}

/// Appends the next message, or nothing while a model's items are incomplete.
fn append_next(engine: &Engine, caller: &Caller, format: Format, given: &[Value], at: usize) {
    if format != Format::Responses {
        return append(engine, caller, format, &given[at..=at]);
    }
    if by_model(&given[at]) && given.get(at + 1).is_some_and(by_model) {
        return;
    }
    let before = given[..at].iter().rev().take_while(|it| by_model(it) && by_model(&given[at]));
    append(engine, caller, format, &given[at - before.count()..=at]);
}

// Proves D1-11, S1-37, S1-38, X-16.
#[test]
fn damaged_conversations_are_valid_in_every_format() {
    for from in Format::ALL {
        for seed in 0..DAMAGED {
            let mut chance = Chance::new(seed);
            let mut list = sound(from, &mut chance);
            for _ in 0..1 + chance.below(4) {
                damage(&mut list, &mut chance);
            }
            compose_damaged(from, seed, &list, &mut chance);
        }
    }
}

fn compose_damaged(from: Format, seed: u64, list: &[Value], chance: &mut Chance) {
    let engine = Engine::memory().unwrap();
    let bot = Caller { kind: ActorKind::Agent, ..Caller::new("bot") };
    let ada = Caller::new("ada");
    let dangling = *chance.pick(&["withhold", "close"]);
    engine.set(&ada, "dangling", Some(dangling)).unwrap();
    let alone = chance.one_in(2);
    for message in list {
        let author = if alone || chance.one_in(2) { &bot } else { &ada };
        let json = message.to_string();
        // A value that cannot be a message is refused, and the others are appended.
        if let Ok(source) = parse_messages(json.as_bytes(), Source::Wire(from), &|_| {}) {
            engine.append(author, source).unwrap();
        }
    }
    for format in Format::ALL {
        let budget = *chance.pick(&[200_000, 700]);
        let what = || format!("{from:?} to {format:?}, seed {seed}, {dangling}: {list:#?}");
        match engine.compose(&bot, &request(format, budget)) {
            Ok(composition) => {
                must_be_valid(&composition, &what);
                assert!(composition.tokens <= budget, "{}", what());
            }
            Err(error) => assert_eq!((error.kind(), budget), (Kind::Refused, 700), "{}", what()),
        }
    }
}
