//! Measures attention: a visit, a capture and a fork against an append; and queries of the past
//! over a log of a million events against one of 10,000, for answers of the same size.

use std::path::Path;

use ambit::{Caller, Engine, GetRequest, HistoryRequest, Inherit, PutRequest, ViewsRequest};

use super::{Line, caller, conversation, engine, median, micros, text};

/// Bytes of a message's or an object's text.
const BYTES: usize = 1_000;

const ROUNDS: u64 = 300;

/// The largest allowed ratios against an append.
const VISIT_MAX: f64 = 1.5;
const CAPTURE_MAX: f64 = 1.1;
const FORK_MAX: f64 = 3.0;

/// The largest allowed ratio of a query over the long log to one over the short log.
const GROWTH_MAX: f64 = 1.5;

const SHORT: i64 = 10_000;
const LONG: i64 = 1_000_000;

/// The number of objects, the same for every length of the log.
const OBJECTS: u64 = 100;

/// One round of the load: messages, appended in one call, then visits and changes, one by one.
const MESSAGES_PER_ROUND: usize = 90;
const ACTIONS_PER_ROUND: u64 = 10;

pub fn run(folder: &Path) -> Vec<Line> {
    let mut lines = against_an_append(folder);
    lines.extend(queries_of_the_past(folder));
    lines
}

fn put(engine: &Engine, me: &Caller, name: &str, text: String) {
    let request = PutRequest { object: name.into(), text, ..PutRequest::default() };
    engine.put(me, &request).expect("put");
}

fn look(engine: &Engine, me: &Caller, name: &str, at: Option<i64>) {
    let at = at.map(|at| at.to_string());
    let no_visit = at.is_some();
    let request = GetRequest { named: name.into(), at, no_visit, ..GetRequest::default() };
    engine.get(me, &request).expect("got");
}

fn name(number: u64) -> String {
    format!("src/part{}.rs", number % OBJECTS)
}

/// Compares each action with an append. They take turns: the machine is shared and noisy.
fn against_an_append(folder: &Path) -> Vec<Line> {
    let (engine, _) = engine(folder, "costs.db");
    let me = caller();
    // A frame holds one item in the vault `bare` and seven in the other; only the size of the
    // capture differs.
    let bare = Caller { vault: "bare".into(), ..me.clone() };
    engine.create_vault("bare").expect("a vault");
    engine.set(&bare, "frame_size", Some("1")).expect("set");
    for number in 0..10 {
        put(&engine, &me, &name(number), text(BYTES, number));
        put(&engine, &bare, &name(number), text(BYTES, number));
    }
    let mut took = [const { Vec::new() }; 5];
    for number in 0..ROUNDS {
        let body = text(BYTES, 1 << 40 | number);
        took[0].push(micros(|| drop(engine.append_text(&me, "user", &body).expect("appended"))));
        took[1].push(micros(|| look(&engine, &me, &name(number % 10), None)));
        // Both follow a visit, and they alternate in going first: the preceding call affects the
        // time.
        look(&engine, &bare, &name(number % 10), None);
        for (at, who) in
            [(2, &me), (3, &bare)].into_iter().cycle().skip(number as usize % 2).take(2)
        {
            let changed = text(BYTES, 1 << 41 | number);
            took[at].push(micros(|| put(&engine, who, &name(number % 10), changed)));
        }
        let sub = format!("sub{number}");
        took[4]
            .push(micros(|| drop(engine.fork(&me, &sub, "go", Inherit::Notes).expect("forked"))));
    }
    let [append, visit, full, bare, fork] = took.map(|mut it| median(&mut it));
    let line = |what: &str, took: f64, against: f64, bound: f64| {
        let detail = format!("{took:.0} µs against {against:.0} µs");
        Line::at_most(format!("attention: {what}"), took / against, bound, &detail)
    };
    vec![
        line("a visit against an append", visit, append, VISIT_MAX),
        line("a change with seven items in mind against one", full, bare, CAPTURE_MAX),
        line("a fork, with what it is shown first, against an append", fork, append, FORK_MAX),
    ]
}

/// A vault with a given number of events: mostly messages, interspersed with visits and changes.
struct Log {
    engine: Engine,
    me: Caller,
    events: i64,
}

impl Log {
    fn load(folder: &Path, events: i64) -> Log {
        let (engine, _) = engine(folder, &format!("log{events}.db"));
        let me = caller();
        for number in 0..OBJECTS {
            put(&engine, &me, &name(number), text(200, number));
        }
        // In the short log each object is visited about ten times; the limit makes both logs read
        // as many visits.
        engine.set(&me, "related_visits_max", Some("10")).expect("set");
        let other = Caller::new("other");
        let (mut round, mut cleared) = (0, false);
        while head(&engine, &me) < events {
            engine
                .append_json(&me, &conversation(MESSAGES_PER_ROUND, 100, round))
                .expect("appended");
            for number in round * ACTIONS_PER_ROUND..(round + 1) * ACTIONS_PER_ROUND {
                match number % 10 {
                    0 | 5 => put(&engine, &me, &name(number), text(200, 1 << 42 | number)),
                    9 => look(&engine, &other, &name(number), None),
                    _ => look(&engine, &me, &name(number), None),
                }
            }
            if round % 50 == 0 {
                engine.context_break(&me).expect("broke");
                append_and_rewind(&engine, &me, round);
                eprint!("\r{:>9} of {events} events", head(&engine, &me));
            }
            // One event hides half of the messages.
            if !cleared && head(&engine, &me) > events / 2 {
                engine.set(&me, "clear_on_note", Some("on")).expect("set");
                engine.note(&me, "a new start").expect("noted");
                engine.set(&me, "clear_on_note", None).expect("set");
                cleared = true;
            }
            round += 1;
        }
        eprintln!();
        let events = head(&engine, &me);
        Log { engine, me, events }
    }

    /// Returns a sequence number from the second half of the log, spread evenly.
    fn moment(&self, number: u64) -> i64 {
        self.events / 2 + (number as i64 * 7_919) % (self.events / 2)
    }
}

/// Appends messages and rewinds them.
fn append_and_rewind(engine: &Engine, me: &Caller, round: u64) {
    let to = engine.append_text(me, "user", &text(100, 1 << 43 | round)).expect("appended").head;
    engine.append_json(me, &conversation(20, 100, 1 << 44 | round)).expect("appended");
    engine.rewind(me, to).expect("rewound");
}

fn head(engine: &Engine, me: &Caller) -> i64 {
    engine.log(me, None, 1).expect("the log").events.last().map_or(0, |it| it.seq)
}

type Query = fn(&Log, u64);

const QUERIES: [(&str, Query); 13] = [
    ("why", |log, number| drop(log.engine.why(&log.me, &name(number)).expect("why"))),
    ("history of an object", |log, number| {
        let (named, limit) = (Some(name(number)), Some(10));
        let request = HistoryRequest { named, limit, ..HistoryRequest::default() };
        log.engine.history(&log.me, &request).expect("history");
    }),
    ("history of an actor", |log, number| {
        let (before, limit) = (Some(log.moment(number)), Some(20));
        let request = HistoryRequest { before, limit, ..HistoryRequest::default() };
        log.engine.history(&log.me, &request).expect("history");
    }),
    ("history of a scope", |log, number| {
        let (scope, limit, before) = (Some("main".into()), Some(20), Some(log.moment(number)));
        let request = HistoryRequest { scope, limit, before, ..HistoryRequest::default() };
        log.engine.history(&log.me, &request).expect("history");
    }),
    ("history of a scope, changes alone", |log, _| {
        let (scope, limit) = (Some("main".into()), Some(20));
        let request = HistoryRequest { scope, limit, changes: true, ..HistoryRequest::default() };
        log.engine.history(&log.me, &request).expect("history");
    }),
    ("views", |log, number| {
        let (before, limit) = (Some(log.moment(number)), Some(2));
        let request = ViewsRequest { before, limit, ..ViewsRequest::default() };
        log.engine.views(&log.me, &request).expect("views");
    }),
    ("related", |log, number| {
        drop(log.engine.related(&log.me, &name(number), Some(10)).expect("related"));
    }),
    ("context --at", |log, number| {
        let at = log.moment(number).to_string();
        log.engine.context_of(&log.me, None, Some(&at)).expect("context");
    }),
    ("where --at", |log, number| {
        log.engine.where_at(&log.me, &log.moment(number).to_string()).expect("where");
    }),
    ("get --at", |log, number| {
        look(&log.engine, &log.me, &name(number), Some(log.moment(number)));
    }),
    ("notes --at", |log, number| {
        let at = log.moment(number).to_string();
        drop(log.engine.notes_at(&log.me, None, &at).expect("notes"));
    }),
    ("compose --at", |log, number| {
        let request = ambit::Request { budget: Some(2_000), ..ambit::Request::default() };
        let at = log.moment(number).to_string();
        drop(log.engine.compose_at(&log.me, &request, &at).expect("composed"));
    }),
    ("scopes --at", |log, number| {
        log.engine.scopes_at(&log.me, &log.moment(number).to_string()).expect("scopes");
    }),
];

fn queries_of_the_past(folder: &Path) -> Vec<Line> {
    let logs = [Log::load(folder, SHORT), Log::load(folder, LONG)];
    let mut lines = Vec::new();
    for (what, query) in QUERIES {
        let mut took = [const { Vec::new() }; 2];
        for number in 0..ROUNDS {
            for (log, took) in logs.iter().zip(&mut took) {
                took.push(micros(|| query(log, number)));
            }
        }
        let [short, long] = took.map(|mut it| median(&mut it));
        let detail = format!("{long:.0} µs over {LONG} events, {short:.0} µs over {SHORT}");
        lines.push(Line::at_most(format!("attention: {what}"), long / short, GROWTH_MAX, &detail));
    }
    lines
}
