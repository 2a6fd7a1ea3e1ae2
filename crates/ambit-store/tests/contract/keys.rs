//! Idempotency keys: a repeated call gets the first answer and changes nothing.

use ambit_core::{Answer, Code, Rewind};
use ambit_store::Store;

use crate::driver::{Driver, MINUTE, append, calls, goto, note, reply, say, scope};

const DAY: i64 = 24 * 60 * MINUTE;

fn keyed<'a>(store: &'a dyn Store, key: &str) -> Driver<'a> {
    let mut driver = Driver::new(store);
    driver.key = Some(key.to_string());
    driver
}

pub fn a_repeated_key_gets_the_first_answer(store: &dyn Store) {
    let mut driver = keyed(store, "k");
    let commands = [
        say("hello"),
        append(&[&calls(&["c1"]), &reply("c1")]),
        note("learned"),
        scope("step-1", "why"),
        goto("main", "what"),
        ambit_core::Command::Rewind(Rewind { to: 3 }),
        crate::driver::set("budget", Some("1000")),
    ];
    for (number, command) in commands.iter().enumerate() {
        driver.key = Some(format!("k{number}"));
        let first = driver.must(command);
        let before = (driver.log(), driver.rows());
        // Later, and after other events.
        driver.after(MINUTE);
        assert_eq!(driver.must(command), first, "{command:?}");
        assert_eq!((driver.log(), driver.rows()), before);
        let ask = driver.ask(command);
        let again = store.transact(ask, Box::new(|_| panic!("there is nothing to decide")));
        assert_eq!(again.unwrap(), first, "{command:?}");
    }
    driver.key = None;
    let Answer::Noted(noted) = driver.must(&note("in between")) else { panic!("a note") };
    driver.key = Some("k0".to_string());
    let Answer::Appended(again) = driver.must(&say("hello")) else { panic!("an append") };
    assert!(again.head < noted.head, "the first answer, not one of now");
}

pub fn another_command_under_a_key_is_a_conflict(store: &dyn Store) {
    let mut driver = keyed(store, "k");
    driver.must(&say("hello"));
    for other in [
        say("hello!"),
        note("hello"),
        append(&[r#"{"role":"system","content":"hello"}"#]),
        append(&[r#"{"role":"user","content":"hello"}"#, r#"{"role":"user","content":"hello"}"#]),
        append(&[r#"{"content":"hello","role":"user"}"#]),
    ] {
        assert_eq!(driver.fails(&other), Code::Conflict, "{other:?}");
    }
    driver.pin = Some("main".to_string());
    assert_eq!(driver.fails(&say("hello")), Code::Conflict, "another scope is another command");
}

pub fn refusals_are_not_stored_under_a_key(store: &dyn Store) {
    let mut driver = keyed(store, "k");
    assert_eq!(driver.fails(&goto("step-1", "x")), Code::NotFound);
    driver.key = None;
    driver.must(&scope("step-1", "opened"));
    driver.must(&goto("main", "back"));
    driver.key = Some("k".to_string());
    let Answer::Switched(answer) = driver.must(&goto("step-1", "x")) else { panic!("a switch") };
    assert_eq!(answer.scope, "step-1");
}

pub fn a_key_belongs_to_its_actor_and_vault(store: &dyn Store) {
    let mut driver = keyed(store, "k");
    driver.must(&say("hello"));
    let Answer::Noted(_) = driver.by("bob").must(&note("mine")) else { panic!("a note") };
    assert_eq!(driver.fails(&say("hello")), Code::Conflict);
    assert_eq!(driver.by("ada").fails(&note("mine")), Code::Conflict);
    let mut elsewhere = Driver::of(store, "elsewhere");
    elsewhere.key = Some("k".to_string());
    elsewhere.must(&note("another vault"));
}

pub fn keys_expire_after_seven_days(store: &dyn Store) {
    let mut driver = keyed(store, "k");
    let first = driver.must(&say("hello"));
    assert_eq!(driver.after(7 * DAY).must(&say("hello")), first, "on the seventh day");
    let second = driver.after(1).must(&say("hello"));
    assert_ne!(second, first, "a week later it is a new command");
    assert_eq!(driver.must(&say("hello")), second, "and has a key of its own");
    driver.after(8 * DAY).must(&note("another command under an expired key"));
    assert_eq!(driver.fails(&say("hello")), Code::Conflict);
    // Keys are not part of the log and its rows.
    assert_eq!(driver.rows().vault.head_seq, 5);
}
