//! Transactions: decided inside, all or nothing, in one order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread;

use ambit_core::{Code, Command, Decision, Fresh, Reach, Rewind, State, decide, needs};
use ambit_store::{Error, Store};

use crate::driver::{Driver, MINUTE, START, append, goto, note, say, scope, seed_of, set};

/// Each of many writers decides on the head that its event then follows.
pub fn commands_are_decided_inside_the_transaction(store: &dyn Store) {
    let driver = Driver::new(store);
    let seen = Mutex::new(Vec::new());
    thread::scope(|threads| {
        for number in 0..4u64 {
            let (seen, mut driver) = (&seen, Driver { seed: number * 1000, ..driver_of(&driver) });
            threads.spawn(move || {
                for round in 0..10 {
                    let command = say(&format!("{number}.{round}"));
                    let ask = driver.ask(&command);
                    let (seed, context) = (ask.seed, ask.context.clone());
                    let (heads, decided_at) = channel();
                    let decided = move |state: &State| {
                        let fresh = &mut Fresh::new(seed, context.now);
                        let decision = decide(state, &context, &command, fresh);
                        if let Decision::Done(done) = &decision {
                            let first = done.events[0].event.seq;
                            heads.send((state.vault.head_seq, first)).unwrap();
                        }
                        // A decision made outside the transaction would be overtaken here.
                        thread::yield_now();
                        decision
                    };
                    store.transact(ask, Box::new(decided)).unwrap();
                    seen.lock().unwrap().push(decided_at.try_iter().last().unwrap());
                }
            });
        }
    });
    let seen = seen.into_inner().unwrap();
    assert!(seen.iter().all(|(head, first)| *first == head + 1));
    let appended = driver.rows().scopes[&ambit_core::ScopeNo(1)].messages;
    assert_eq!((seen.len(), appended), (40, 40));
}

fn driver_of<'a>(driver: &Driver<'a>) -> Driver<'a> {
    Driver {
        store: driver.store,
        vault: driver.vault.clone(),
        actor: driver.actor.clone(),
        pin: None,
        key: None,
        expect_head: None,
        now: driver.now,
        seed: 0,
    }
}

/// The driver compares log and rows before and after each of these.
pub fn a_refusal_writes_nothing(store: &dyn Store) {
    let mut driver = Driver::new(store);
    assert_eq!(driver.fails(&note(" ")), Code::Usage);
    assert_eq!(driver.rows().actors.len(), 0, "a rejected command registers nobody");
    driver.must(&say("one"));
    driver.must(&scope("there", "away"));
    let head = driver.rows().vault.head_seq;
    let table: &[(Command, Code)] = &[
        (note(""), Code::Usage),
        (scope("there", "again"), Code::Conflict),
        (scope("main", "again"), Code::Conflict),
        (scope("a\nb", "control"), Code::Usage),
        (scope("fresh", " \t"), Code::Usage),
        (goto("nowhere", "x"), Code::NotFound),
        (goto("there", "x"), Code::Conflict),
        (goto("main", ""), Code::Usage),
        (append(&[]), Code::Usage),
        (Command::Rewind(Rewind { to: 99 }), Code::NotFound),
        (set("no_such", Some("1")), Code::Usage),
        (set("budget", Some("many")), Code::Usage),
    ];
    for (command, code) in table {
        assert_eq!(driver.fails(command), *code, "{command:?}");
    }
    driver.expect_head = Some(head - 1);
    assert_eq!(driver.fails(&say("late")), Code::Conflict);
    driver.expect_head = None;
    driver.pin = Some("nowhere".to_string());
    assert_eq!(driver.fails(&say("lost")), Code::NotFound);
    assert_eq!(driver.rows().vault.head_seq, head);
}

pub fn a_decision_can_ask_for_more_state(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&note("first"));
    let command = note("second");
    let mut ask = driver.ask(&command);
    ask.needs.reach = Reach::default();
    let wishes = [
        Reach { frames: true, ..Reach::default() },
        Reach { streams: true, calls_of_all: true, ..Reach::default() },
        Reach { head_hashes: true, ..Reach::default() },
    ];
    // The first State is enough for a note.
    let guess = needs(&ask.context, &command).reach;
    assert!(guess.frames && guess.head_hashes);
    let (seed, context) = (ask.seed, ask.context.clone());
    let (rounds, told) = channel();
    let mut round = 0;
    let decided = move |state: &State| {
        let asked = wishes[..round].iter().fold(Reach::default(), |all, more| all.and(*more));
        // The cache may hold more than was asked for.
        assert_eq!(state.reach.and(asked), state.reach, "round {round}");
        let (main, reach) = (state.vault.main, state.reach);
        assert_eq!(state.frames.contains_key(&main), reach.frames);
        assert_eq!(state.streams.contains_key(&main), reach.streams);
        assert_eq!(state.scopes[&main].head_hash.is_some(), reach.head_hashes);
        round += 1;
        rounds.send(round).unwrap();
        match wishes.get(round - 1) {
            Some(more) => Decision::Need(*more),
            None => decide(state, &context, &command, &mut Fresh::new(seed, context.now)),
        }
    };
    store.transact(ask, Box::new(decided)).unwrap();
    assert_eq!(told.try_iter().last(), Some(4));
    assert_eq!(driver.rows().notes.len(), 2);
}

pub fn asking_forever_ends_and_writes_nothing(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&note("first"));
    let before = (driver.log(), driver.rows());
    let ask = driver.ask(&note("second"));
    let (rounds, told) = channel();
    let mut round = 0;
    let decided = move |_: &State| {
        round += 1;
        rounds.send(round).unwrap();
        assert!(round < 100, "the store asks forever");
        Decision::Need(Reach { frames: true, ..Reach::default() })
    };
    let answer = store.transact(ask, Box::new(decided));
    assert!(matches!(answer, Err(Error::Damaged(_))), "{answer:?}");
    assert!((1..=8).contains(&told.try_iter().last().unwrap()));
    assert_eq!((driver.log(), driver.rows()), before);
}

/// A panic in one command ends that command only.
pub fn a_panic_while_deciding_leaves_no_trace(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&note("first"));
    let before = (driver.log(), driver.rows());
    let ask = driver.ask(&note("second"));
    let crash = catch_unwind(AssertUnwindSafe(|| {
        store.transact(ask, Box::new(|_| std::panic::resume_unwind(Box::new("crash"))))
    }));
    assert!(crash.is_err());
    assert_eq!((driver.log(), driver.rows()), before);
    driver.must(&note("second"));
    assert!(store.create("another", START, seed_of(9)).unwrap());
}

/// An event's time is the later of now and the last event's; order is the sequence alone.
pub fn time_never_goes_back(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.after(10 * MINUTE).must(&note("at ten"));
    driver.after(-7 * MINUTE).must(&note("at three, they say"));
    driver.by("bob").after(-MINUTE).must(&say("at two, they say"));
    driver.after(9 * MINUTE).must(&say("at eleven"));
    let times: Vec<_> = driver.log().iter().map(|event| (event.time - START) / MINUTE).collect();
    // Created, registered, noted, noted, registered, appended, appended.
    assert_eq!(times, [0, 10, 10, 10, 10, 10, 11]);
    let rows = driver.rows();
    assert_eq!(rows.vault.time, START + 11 * MINUTE);
    assert!(rows.items.values().all(|item| item.time >= START + 10 * MINUTE));
}
