//! A scripted session that uses every type of event, and what must be readable after it: each
//! moment's messages, and every read of places against a recount of the rows.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::compose::{NoteRange, Shown};
use ambit_core::{
    Answer, Appended, Code, Command, ItemKind, ItemNo, PlaceRow, Rewind, ScopeNo, What,
};
use ambit_store::{Rows, Snapshot, Store};

use crate::driver::{Driver, MINUTE, append, calls, forget, goto, note, reply, say, scope, set};

/// A step: the actor, the time since the last step, the pinned scope, and the command.
type Step = (&'static str, i64, Option<&'static str>, Command);

fn steps() -> Vec<Step> {
    let parts = r#"{"role":"user","name":"ada","content":[{"type":"text","text":"look"},
        {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},
        {"type":"text","text":"look"}],"seed":1.10}"#;
    let (a, b) = ("ada", "bot");
    vec![
        (a, 0, None, append(&[r#"{"role":"system","content":"be brief"}"#])),
        (a, 1, None, append(&[parts, r#"{"role":"assistant","content":""}"#])),
        (a, 1, None, note("the first note")),
        (b, 1, None, append(&[&calls(&["x", "y", "x"]), &reply("x")])),
        (a, 1, None, append(&[&calls(&["x", "y"]), &reply("y")])),
        (a, 1, None, say("while ada's call is open")),
        (b, 1, None, append(&[&reply("y")])),
        // A reply without a call.
        (b, 1, None, append(&[&reply("nobody")])),
        (a, 1, None, append(&[&calls(&["p", "q"]), &reply("p")])),
        // The chain p, q is carried; bot's stays.
        (a, 1, None, scope("step-1", "to look closer")),
        (a, 1, None, append(&[&reply("q"), r#"{"role":"assistant","content":"seen"}"#])),
        (a, 1, None, set("notes_shown", Some("3"))),
        (a, 1, Some("main"), note("pinned to main")),
        (a, 1, Some("main"), set("clear_on_note", Some("on"))),
        (a, 1, Some("main"), note("clears all but bot's chain")),
        (a, 1, None, append(&[&calls(&["r"])])),
        (a, 1, None, note("leaves r open")),
        (a, 1, None, goto("main", "carries r")),
        (b, 1, None, append(&[&reply("x"), r#"{"role":"assistant","content":"done"}"#])),
        (a, 1, None, append(&[&reply("r"), r#"{"role":"user","content":"go on"}"#])),
        (a, 1, None, append(&[&calls(&["s"]), &reply("s"), r#"{"role":"user","content":"no"}"#])),
        // Forgets something of each kind: see `of_everything`.
        (a, 1, None, forget(&[], &[])),
        // Rewinds to the call: the reply stays with it.
        (a, 1, None, Command::Rewind(Rewind { to: 0 })),
        (a, 1, None, append(&[&calls(&["t"])])),
        // After a silence an open call is given up, and the reply is text.
        (a, 30 * MINUTE, None, note("back again")),
        (a, 1, None, append(&[&reply("t")])),
        (a, 1, None, set("clear_on_goto", Some("on"))),
        (a, 1, None, set("clear_on_scope", Some("on"))),
        (a, 1, None, append(&[&calls(&["u"])])),
        (a, 1, None, goto("step-1", "clears behind itself, carries u")),
        (a, 1, None, append(&[&reply("u")])),
        (a, 1, None, scope("step-2", "clears step-1")),
        (b, 1, None, forget(&[], &[])),
        (b, 1, None, goto("step-2", "joins")),
        (b, 1, None, say("hello from bot")),
        (a, 1, Some("main"), set("clear_on_note", None)),
        (a, 1, None, set("notes_shown", None)),
        (a, 1, None, goto("main", "the end")),
    ]
}

/// Plays the session; the driver checks after each step.
pub fn play(driver: &mut Driver<'_>) {
    for (actor, ms, pin, command) in steps() {
        driver.pin = pin.map(str::to_string);
        driver.by(actor).after(ms);
        let command = match command {
            Command::Rewind(_) => Command::Rewind(Rewind { to: last_call(driver) }),
            Command::Forget(_) => of_everything(driver),
            other => other,
        };
        driver.must(&command);
    }
    driver.pin = None;
}

/// The turn of ada's last call.
fn last_call(driver: &Driver<'_>) -> i64 {
    let is_call = |event: &&ambit_core::Logged| match &event.event.body.what {
        What::Appended(Appended { blocks, .. }) => {
            blocks.iter().any(|block| block.call_id.is_some())
        }
        _ => false,
    };
    driver.events().iter().rev().find(is_call).unwrap().event.seq
}

/// Forgets a block of each form and a note, shown and hidden, and the shape of every fourth turn
/// that has one.
fn of_everything(driver: &Driver<'_>) -> Command {
    let rows = driver.rows();
    let shapes: Vec<_> = rows.turns.keys().copied().step_by(4).collect();
    let open =
        |item: &ItemNo| rows.places.values().any(|it| it.item == *item && it.to_seq.is_none());
    let mut taken = BTreeMap::new();
    for item in rows.items.values() {
        let sort = (item.kind, item.form, open(&item.item));
        taken.entry(sort).or_insert(item.item);
    }
    assert!(taken.len() >= 5, "{taken:?}");
    forget(&taken.into_values().collect::<Vec<_>>(), &shapes)
}

pub fn every_event_type_follows_from_the_log(store: &dyn Store) {
    let mut driver = Driver::new(store);
    play(&mut driver);
    let events = driver.events();
    let body = |text: &str| -> String {
        let body: serde_json::Value = serde_json::from_str(text).unwrap();
        body["what"].as_object().unwrap().keys().next().unwrap().clone()
    };
    let found: BTreeSet<_> = events.iter().map(|event| body(&event.text)).collect();
    let all = [
        "appended",
        "carried",
        "cleared",
        "entered",
        "focused",
        "forgotten",
        "left",
        "noted",
        "registered",
        "rewound",
        "scope_created",
        "set",
        "vault_created",
    ];
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), all);
    let here = |test: fn(&ambit_core::PresenceChange) -> bool| {
        events.iter().flat_map(|event| &event.event.body.here).filter(|here| test(here)).count()
    };
    assert!(here(|it| it.boundary) >= 2, "both came back after a silence");
    assert!(here(|it| it.gives_up) >= 2);
    assert!(here(|it| it.folds) >= 2);
    let rows = driver.rows();
    assert_eq!(rows.calls.len(), 0, "every call has its reply or was given up: {:?}", rows.calls);
    assert!(rows.items.values().any(|item| item.call.is_some()));
    assert_eq!(rows.settings.len(), 2, "two settings are back at their defaults");
}

/// Returns the messages shown at an event, from the rows derived from the log up to that event.
fn shown_then(rows: &Rows, scope: ScopeNo) -> Vec<(i64, i64, i64)> {
    let messages = rows.open_places(scope).filter(|place| place.kind == ItemKind::Message);
    messages.map(|place| (place.position, place.anchor, place.item.0)).collect()
}

pub fn what_was_shown_can_be_read_back_exactly(store: &dyn Store) {
    let mut driver = Driver::new(store);
    play(&mut driver);
    let (last, mut then) = (driver.rows(), Rows::default());
    let mut changed = 0;
    for event in driver.events() {
        let before: Vec<_> = last.scopes.keys().map(|scope| shown_then(&then, *scope)).collect();
        then.apply(&event);
        for (scope, before) in last.scopes.keys().zip(before) {
            let expected = shown_then(&then, *scope);
            let read =
                driver.read(|snapshot| snapshot.messages_at(*scope, event.event.seq, i64::MAX));
            let read: Vec<_> =
                read.iter().map(|row| (row.position, row.anchor, row.item.0)).collect();
            assert_eq!(read, expected, "scope {scope} after event {}", event.event.seq);
            changed += usize::from(expected.len() < before.len());
        }
    }
    assert!(changed >= 6, "messages were hidden {changed} times");
    // A note's snapshot is its scope's head before its command: the same read.
    for row in last.notes.values() {
        assert!(row.snapshot < row.seq);
        let at = |before| driver.read(|it| it.messages_at(row.scope, row.snapshot, before));
        let (bounded, whole) = (at(row.position), at(i64::MAX));
        assert!(whole.len() < 100);
        assert_eq!(format!("{bounded:?}"), format!("{whole:?}"));
    }
}

pub fn reads_of_places_equal_a_recount(store: &dyn Store) {
    let mut driver = Driver::new(store);
    play(&mut driver);
    let rows = driver.rows();
    driver.read(|snapshot| {
        for row in rows.scopes.values() {
            let places: Vec<_> = rows.open_places(row.scope).collect();
            for position in 0..=row.next_position {
                let sum = snapshot.sum_before(row.scope, position)?;
                let before = places.iter().filter(|place| place.position < position);
                assert_eq!(sum, before.map(|place| place.tokens).sum::<i64>());
                check_range(snapshot, row.scope, position, &places)?;
            }
            for tokens in -1..=row.sum {
                let found = snapshot.place_at(row.scope, tokens)?;
                let first = places.iter().find(|place| place.sum > tokens);
                assert_eq!(found, first.map(|place| place.position), "token {tokens}");
            }
            check_notes(snapshot, &rows, row.scope, row.next_position)?;
        }
        Ok(())
    });
}

fn check_range(
    snapshot: &mut dyn Snapshot,
    scope: ScopeNo,
    from: i64,
    places: &[&PlaceRow],
) -> ambit_store::Result<()> {
    let names = |rows: Vec<Shown>| -> Vec<_> {
        rows.iter().map(|row| (row.position, row.item, row.tokens)).collect()
    };
    let messages = || places.iter().filter(|place| place.kind == ItemKind::Message);
    for to in [from, from + 1, from + 3, i64::MAX] {
        let expected: Vec<_> = messages()
            .filter(|place| (from..to).contains(&place.position))
            .map(|place| (place.position, place.item, place.tokens))
            .collect();
        assert_eq!(names(snapshot.messages(scope, from, to)?), expected);
    }
    let leading: Vec<_> = messages()
        .take(from as usize)
        .map(|place| (place.position, place.item, place.tokens))
        .collect();
    assert_eq!(names(snapshot.leading(scope, from)?), leading);
    Ok(())
}

fn check_notes(
    snapshot: &mut dyn Snapshot,
    rows: &Rows,
    scope: ScopeNo,
    end: i64,
) -> ambit_store::Result<()> {
    let own: Vec<_> = rows.notes.values().filter(|note| note.scope == scope).collect();
    let seqs = own.iter().map(|note| note.seq).chain([i64::MAX]);
    let places = [(0, i64::MAX), (0, end / 2), (end / 2, i64::MAX)];
    let places = places.map(|(from, to)| NoteRange::Places { from, to });
    for range in seqs.map(|seq| NoteRange::Before { seq }).chain(places) {
        for limit in [0, 1, 2, i64::MAX] {
            let fits = own.iter().filter(|note| match range {
                NoteRange::Places { from, to } => (from..to).contains(&note.position),
                NoteRange::Before { seq } => note.seq < seq,
            });
            let mut expected: Vec<_> = fits.map(|note| note.hash).collect();
            let limit_here = usize::try_from(limit).unwrap();
            expected.drain(..expected.len().saturating_sub(limit_here));
            let found = snapshot.notes(scope, range, limit)?;
            assert_eq!(found.iter().map(|it| it.hash).collect::<Vec<_>>(), expected);
        }
    }
    Ok(())
}

/// A rewind goes to a message in sight in this scope: not to a note, another event, a number
/// out of range, or a turn elsewhere.
pub fn a_rewind_to_anything_but_a_shown_message_is_refused(store: &dyn Store) {
    let mut driver = Driver::new(store);
    let Answer::Appended(kept) = driver.must(&say("kept")) else { panic!("an append") };
    let Answer::Noted(noted) = driver.must(&note("a note")) else { panic!("a note") };
    let Answer::Appended(gone) = driver.must(&say("gone")) else { panic!("an append") };
    let Answer::Rewound(rewound) = driver.must(&Command::Rewind(Rewind { to: kept.head })) else {
        panic!("a rewind")
    };
    assert_eq!((rewound.messages, rewound.to), (1, kept.head));
    for to in [noted.head, gone.head, 1, 2, 0, -1, 999, i64::MIN, i64::MAX] {
        assert_eq!(driver.fails(&Command::Rewind(Rewind { to })), Code::NotFound, "{to}");
    }
    driver.must(&scope("step-1", "elsewhere"));
    assert_eq!(driver.fails(&Command::Rewind(Rewind { to: kept.head })), Code::NotFound);
}
