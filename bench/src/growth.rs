//! Measures whether cost grows: note, goto and compose with few and with many messages, elsewhere
//! in the vault and in the scope itself.

use std::path::Path;

use ambit::{Engine, Request};

use super::{Line, caller, conversation, engine, median, micros};

const BYTES: usize = 200;
const BUDGET: i64 = 20_000;

pub fn run(folder: &Path) -> Vec<Line> {
    let small = elsewhere(folder, 100);
    let large = elsewhere(folder, 100_000);
    let mut lines = compare("100,000 / 100 messages in other scopes", &small, &large);
    let small = within(folder, 1_000);
    let large = within(folder, 100_000);
    lines.extend(compare("100,000 / 1,000 messages in the scope", &small, &large));
    let small = hidden(folder, 1_000);
    let large = hidden(folder, 100_000);
    lines.extend(compare("100,000 / 1,000 messages hidden in the scope", &small, &large));
    lines
}

/// Creates scopes of 50 messages beside others that hold many.
fn elsewhere(folder: &Path, messages: usize) -> Engine {
    let (engine, _) = engine(folder, &format!("elsewhere-{messages}.db"));
    let me = caller();
    for scope in 0..10 {
        engine.scope(&me, &format!("other-{scope}"), "elsewhere").expect("opened");
        let json = conversation(messages / 10, BYTES, scope + 1);
        engine.append_json(&me, &json).expect("appended");
    }
    engine.scope(&me, "here", "measured here").expect("opened");
    engine.append_json(&me, &conversation(50, BYTES, 99)).expect("appended");
    engine.scope(&me, "there", "and back").expect("opened");
    engine.append_json(&me, &conversation(50, BYTES, 98)).expect("appended");
    engine
}

/// Creates scopes that hold many messages themselves.
fn within(folder: &Path, messages: usize) -> Engine {
    let (engine, _) = engine(folder, &format!("within-{messages}.db"));
    let me = caller();
    engine.scope(&me, "here", "measured here").expect("opened");
    engine.append_json(&me, &conversation(messages, BYTES, 7)).expect("appended");
    engine.scope(&me, "there", "and back").expect("opened");
    engine.append_json(&me, &conversation(messages, BYTES, 8)).expect("appended");
    engine
}

/// Creates scopes of 50 visible messages and many that a rewind has hidden.
fn hidden(folder: &Path, messages: usize) -> Engine {
    let (engine, _) = engine(folder, &format!("hidden-{messages}.db"));
    let me = caller();
    for scope in ["here", "there"] {
        engine.scope(&me, scope, "measured here").expect("opened");
        let kept = engine.append_json(&me, &conversation(50, BYTES, 5)).expect("appended");
        engine.append_json(&me, &conversation(messages, BYTES, 6)).expect("appended");
        engine.rewind(&me, kept.head).expect("rewound");
    }
    engine
}

fn compare(what: &str, small: &Engine, large: &Engine) -> Vec<Line> {
    let mut samples: [[Vec<f64>; 2]; 3] = Default::default();
    for round in 0..200 {
        for (side, engine) in [small, large].into_iter().enumerate() {
            for (verb, samples) in samples.iter_mut().enumerate() {
                samples[side].push(measure(engine, verb, round));
            }
        }
    }
    let names = ["note", "goto", "compose"];
    let lines = names.iter().zip(&mut samples).map(|(name, sides)| {
        let (few, many) = (median(&mut sides[0]), median(&mut sides[1]));
        let detail = format!("{many:.0} µs against {few:.0} µs");
        Line::at_most(format!("{name}: {what}"), many / few, 1.5, &detail)
    });
    lines.collect()
}

fn measure(engine: &Engine, verb: usize, round: u64) -> f64 {
    let me = caller();
    match verb {
        0 => micros(|| drop(engine.note(&me, &format!("note {round}")).expect("noted"))),
        1 => {
            let to = if round.is_multiple_of(2) { "here" } else { "there" };
            micros(|| drop(engine.goto(&me, to, &format!("round {round}")).expect("went")))
        }
        _ => {
            let request = Request { budget: Some(BUDGET), ..Request::default() };
            micros(|| drop(engine.compose(&me, &request).expect("composed")))
        }
    }
}
