//! Measures the cost of every verb as a vault grows: in a scope of 1,000 messages beside a grown
//! scope, and in the grown scope, under one budget.

use std::cell::RefCell;

use ambit::{Caller, Engine, Request, Selection};

use super::database::Opened;
use super::figure::{Figure, grouped};
use super::load::{BYTES, Progress, Vault, ada, bob};
use crate::{median, text};

/// The largest allowed ratio to the smallest vault.
const BOUND: f64 = 1.5;

/// Calls measured together; an even number, because `goto` goes there and back.
const BATCH: u64 = 4;

/// The budget in the grown scope; 1,000 messages exceed it.
const BUDGET: i64 = 20_000;

/// Where a verb is measured.
struct Place<'a> {
    opened: &'a Opened,
    caller: Caller,
    scope: &'static str,
    request: Request,
    /// The last message loaded into the scope, and the number of messages.
    last: i64,
    count: i64,
    note: &'a str,
    /// Heads to rewind to or to forget.
    heads: RefCell<Vec<i64>>,
    /// The same store, opened again.
    reopened: RefCell<Option<Engine>>,
}

/// Measured on SQLite alone: only an embedded database caches pages in the reading process.
const FIRST_READ: &str = "read, a turn, right after opening";

struct Verb {
    name: &'static str,
    rounds: u64,
    /// Whether the cost must not grow with the size.
    bound: bool,
    /// Preparation that is not measured.
    before: fn(&Place<'_>, u64),
    step: fn(&Place<'_>, u64),
    after: fn(&Place<'_>),
}

const VERBS: [Verb; 18] = [
    verb("append", |it, number| {
        it.opened.engine.append_text(&it.caller, "user", &text(BYTES, number)).expect("appended");
    }),
    verb("note", |it, number| {
        it.opened.engine.note(&it.caller, &format!("note {number}")).expect("noted");
    }),
    verb("goto", |it, number| {
        let to = if number.is_multiple_of(2) { "there" } else { it.scope };
        it.opened.engine.goto(&it.caller, to, &format!("round {number}")).expect("went");
    }),
    Verb {
        rounds: 12,
        after: |it| drop(it.opened.engine.goto(&it.caller, it.scope, "back").expect("went")),
        ..verb("scope", |it, number| {
            let name = format!("{}-{number}", it.caller.actor);
            it.opened.engine.scope(&it.caller, &name, "measured").expect("opened");
        })
    },
    Verb {
        before: |it, number| {
            it.heads.borrow_mut().push(message_head(it));
            let body = text(BYTES, 1 << 40 | number);
            it.opened.engine.append_text(&it.caller, "user", &body).expect("appended");
        },
        ..verb("rewind", |it, _| {
            let head = it.heads.borrow_mut().pop().expect("a head");
            it.opened.engine.rewind(&it.caller, head).expect("rewound");
        })
    },
    verb("compose", |it, _| {
        it.opened.engine.compose(&it.caller, &it.request).expect("composed");
    }),
    verb("notes", |it, _| drop(it.opened.engine.notes(&it.caller, None).expect("notes"))),
    verb("scopes", |it, _| drop(it.opened.engine.scopes(&it.caller).expect("scopes"))),
    verb("read, a turn", |it, number| read(it, 1_000 + number)),
    // A small vault is cached as a whole and a large one is not. So turns that were read before are
    // measured too, and reads of a store that was just opened.
    Verb { before: read, ..verb("read, a turn again", read) },
    Verb {
        bound: false,
        before: |it, number| {
            if number.is_multiple_of(BATCH) {
                let reopened = it.opened.reopen();
                // Prepares the statements and caches the upper pages of the trees.
                reopened.read_handle(&it.caller, &it.last.to_string()).expect("read");
                it.reopened.replace(Some(reopened));
            }
        },
        ..verb(FIRST_READ, |it, number| {
            let reopened = it.reopened.borrow();
            let engine = reopened.as_ref().unwrap_or(&it.opened.engine);
            engine.read_handle(&it.caller, &turn(it, number)).expect("read");
        })
    },
    verb("read, a note's moment", |it, _| {
        it.opened.engine.read_snapshot(&it.caller, it.note).expect("read");
    }),
    verb("settings", |it, _| drop(it.opened.engine.settings(&it.caller).expect("settings"))),
    verb("settings, one set", |it, number| {
        let value = (190_000 + number % 1_000).to_string();
        it.opened.engine.set(&it.caller, "budget", Some(&value)).expect("set");
    }),
    verb("log, the last page", |it, _| {
        it.opened.engine.log(&it.caller, None, 20).expect("the log");
    }),
    verb("where", |it, _| drop(it.opened.engine.where_am_i(&it.caller).expect("where"))),
    Verb {
        before: |it, number| {
            let body = text(BYTES, 1 << 41 | number);
            let appended =
                it.opened.engine.append_text(&it.caller, "user", &body).expect("appended");
            it.heads.borrow_mut().push(appended.head);
        },
        ..verb("forget, a late message", |it, _| {
            forget(it, it.heads.borrow_mut().pop().expect("a head"));
        })
    },
    // Changes all later sums of its scope.
    Verb {
        rounds: 3,
        bound: false,
        ..verb("forget, an early message", |it, number| {
            forget(it, it.last - it.count + 40 + number as i64);
        })
    },
];

/// Returns a turn of the scope; consecutive numbers give distant turns.
fn turn(it: &Place<'_>, number: u64) -> String {
    (it.last - (number as i64 * 7_919) % it.count).to_string()
}

fn read(it: &Place<'_>, number: u64) {
    it.opened.engine.read_handle(&it.caller, &turn(it, number)).expect("read");
}

fn forget(it: &Place<'_>, turn: i64) {
    let selection = Selection { names: vec![turn.to_string()], ..Selection::default() };
    let forgot = it.opened.engine.forget(&it.caller, &selection, &|_| {}).expect("forgotten");
    assert_eq!(forgot.texts, 1);
}

const fn verb(name: &'static str, step: fn(&Place<'_>, u64)) -> Verb {
    Verb { name, rounds: 30, bound: true, before: |_, _| {}, step, after: |_| {} }
}

/// Appends a message and returns its turn.
fn message_head(it: &Place<'_>) -> i64 {
    let head = it.opened.engine.append_text(&it.caller, "user", "to come back to");
    head.expect("appended").head
}

/// Measures all verbs in all vaults, in turns. The smallest vault comes first.
pub fn run(database: &str, vaults: &[Vault]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (what, caller, scope) in
        [("a scope of 1,000", ada(), "here"), ("the grown scope", bob(), "grown")]
    {
        let at = |vault| place(vault, caller.clone(), scope);
        let places: Vec<Place<'_>> = vaults.iter().map(at).collect();
        let progress = Progress::new(format!("verbs on {database}, {what}"));
        let applies = |verb: &&Verb| database == "SQLite" || verb.name != FIRST_READ;
        for (index, verb) in VERBS.iter().filter(applies).enumerate() {
            let costs = measure(verb, &places);
            let what = format!("{database}, {what}: {}", verb.name);
            let (worst, measured) = figure(vaults, &costs);
            // PostgreSQL vacuums the whole table of texts after a `forget`.
            let bound =
                verb.bound && !(database == "PostgreSQL" && verb.name.starts_with("forget"));
            figures.push(match bound {
                true => Figure::at_most(what, worst, BOUND, measured),
                false => Figure::unbounded(what, measured),
            });
            progress.show((index + 1) as f64 / VERBS.len() as f64);
        }
        progress.end();
    }
    figures
}

fn place<'a>(vault: &'a Vault, caller: Caller, scope: &'static str) -> Place<'a> {
    let grown = scope == "grown";
    let budget = if grown { Some(BUDGET) } else { None };
    Place {
        opened: &vault.opened,
        caller,
        scope,
        request: Request { budget, ..Request::default() },
        last: if grown { vault.grown } else { vault.here },
        count: if grown { vault.messages as i64 - 50 } else { 950 },
        note: if grown { &vault.grown_note } else { &vault.here_note },
        heads: RefCell::default(),
        reopened: RefCell::default(),
    }
}

/// Returns the cost of a call in each round, by place. The places take turns, so that other load on
/// the machine affects all alike.
fn measure(verb: &Verb, places: &[Place<'_>]) -> Vec<Vec<f64>> {
    let mut samples = vec![Vec::new(); places.len()];
    for round in 0..verb.rounds {
        for (place, samples) in places.iter().zip(&mut samples) {
            let numbers = round * BATCH..(round + 1) * BATCH;
            numbers.clone().for_each(|number| (verb.before)(place, number));
            let all = || numbers.for_each(|number| (verb.step)(place, number));
            let cost = place.opened.cost(all);
            (verb.after)(place);
            // The first rounds prepare statements.
            if round > 1 {
                samples.push(cost / BATCH as f64);
            }
        }
    }
    samples
}

/// Compares costs with those of the same round in the smallest vault. Returns the worst ratio and a
/// line with all of them.
fn figure(vaults: &[Vault], costs: &[Vec<f64>]) -> (f64, String) {
    let least = costs.first().cloned().unwrap_or_default();
    let mut measured = format!("{:.0} µs", median(&mut least.clone()));
    let mut worst: f64 = 1.0;
    for (vault, costs) in vaults.iter().zip(costs).skip(1) {
        let mut ratios: Vec<f64> = costs.iter().zip(&least).map(|(it, least)| it / least).collect();
        let ratio = median(&mut ratios);
        worst = worst.max(ratio);
        measured += &format!("; at {}: {ratio:.2} ×", grouped(vault.messages));
    }
    (worst, measured)
}
