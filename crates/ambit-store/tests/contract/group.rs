//! Group commit: commands that arrive during a write share a transaction, and are decided one by
//! one.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use ambit_core::{Answer, Decision, State};
use ambit_store::{Decide, Error, Result, Store};

use crate::driver::{Driver, deciding, note, say};

/// Returns a command whose decision waits for a signal, while others queue up behind it.
fn held(driver: &mut Driver<'_>) -> (ambit_core::Ask, Decide, Receiver<()>, Sender<()>) {
    let command = say("held");
    let ask = driver.ask(&command);
    let mut decide = deciding(&ask, command);
    let ((begun, has_begun), (go, may_go)) = (channel(), channel());
    let may_go = Mutex::new(may_go);
    let decide = move |state: &State| {
        begun.send(()).unwrap();
        may_go.lock().unwrap().recv_timeout(Duration::from_secs(20)).unwrap();
        decide(state)
    };
    (ask, Box::new(decide), has_begun, go)
}

/// Runs commands while one is held, and releases it once they are queued.
fn behind_a_held_one(
    store: &dyn Store,
    driver: &mut Driver<'_>,
    commands: Vec<(ambit_core::Ask, Decide)>,
) -> Vec<thread::Result<Result<Answer>>> {
    let (ask, decide, has_begun, go) = held(driver);
    thread::scope(|threads| {
        let first = threads.spawn(move || store.transact(ask, decide));
        has_begun.recv().unwrap();
        let spawn = |(ask, decide)| threads.spawn(move || store.transact(ask, decide));
        let waiting: Vec<_> = commands.into_iter().map(spawn).collect();
        thread::sleep(Duration::from_millis(100));
        go.send(()).unwrap();
        first.join().unwrap().unwrap();
        waiting.into_iter().map(thread::ScopedJoinHandle::join).collect()
    })
}

/// One command is refused, one panics, one fails in the database: the others are written.
pub fn queued_commands_share_a_transaction_and_fail_alone(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&say("first"));
    let mut commands: Vec<(ambit_core::Ask, Decide)> = Vec::new();
    for number in 0..4 {
        let command = say(&format!("good {number}"));
        let ask = driver.ask(&command);
        let decide = deciding(&ask, command);
        commands.push((ask, decide));
    }
    let bad = note(" ");
    let ask = driver.ask(&bad);
    let decide = deciding(&ask, bad);
    commands.insert(1, (ask, decide));
    let ask = driver.ask(&say("panics"));
    commands.insert(2, (ask, Box::new(|_| std::panic::resume_unwind(Box::new("crash")))));
    let ask = driver.ask(&say("asks forever"));
    commands.insert(3, (ask, Box::new(|_| Decision::Need(ambit_core::Reach::default()))));

    let answers = behind_a_held_one(store, &mut driver, commands);
    assert!(matches!(&answers[1], Ok(Err(Error::Refused(_)))), "{:?}", answers[1]);
    assert!(answers[2].is_err(), "the panic reaches its own caller");
    assert!(matches!(&answers[3], Ok(Err(Error::Damaged(_)))), "{:?}", answers[3]);
    for index in [0, 4, 5, 6] {
        assert!(matches!(&answers[index], Ok(Ok(Answer::Appended(_)))), "{:?}", answers[index]);
    }
    let main = &driver.rows().scopes[&ambit_core::ScopeNo(1)];
    assert_eq!(main.messages, 6, "first, held, and four good ones");
    // One more command makes the driver check the log, the rows and the sums.
    driver.must(&say("the last word"));
}

/// Two threads make the same call at once, as after a premature time-out.
pub fn a_key_given_twice_at_once_is_used_once(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&say("first"));
    driver.key = Some("once".into());
    let command = say("said once");
    let mut twice = || {
        let ask = driver.ask(&command);
        let decide = deciding(&ask, command.clone());
        (ask, decide)
    };
    let commands = vec![twice(), twice(), twice()];
    driver.key = None;
    let answers = behind_a_held_one(store, &mut driver, commands);
    let answers: Vec<_> = answers.into_iter().map(|it| it.unwrap().unwrap()).collect();
    assert!(answers.windows(2).all(|two| two[0] == two[1]), "{answers:?}");
    let messages = driver.rows().scopes[&ambit_core::ScopeNo(1)].messages;
    assert_eq!(messages, 3, "first, held, and one of three");
}

/// Several actors write in several threads, each after another's latest event.
pub fn many_writers_at_once_lose_nothing(store: &dyn Store) {
    const EACH: usize = 20;
    let driver = Driver::new(store);
    let told = Arc::new(Mutex::new(Vec::new()));
    thread::scope(|threads| {
        for number in 0..6u64 {
            let told = told.clone();
            threads.spawn(move || {
                let mut own = Driver {
                    store,
                    vault: crate::driver::VAULT.into(),
                    actor: format!("actor {}", number % 3),
                    pin: None,
                    key: None,
                    expect_head: None,
                    now: crate::driver::START,
                    seed: 10_000 * (number + 1),
                };
                for round in 0..EACH {
                    let text = format!("{number} {round}");
                    let command = if round % 5 == 4 { note(&text) } else { say(&text) };
                    let ask = own.ask(&command);
                    let decide = deciding(&ask, command);
                    let answer = store.transact(ask, decide).unwrap();
                    let head = match answer {
                        Answer::Appended(answer) => answer.head,
                        Answer::Noted(answer) => answer.head,
                        other => panic!("{other:?}"),
                    };
                    told.lock().unwrap().push(head);
                }
            });
        }
    });
    let mut heads = told.lock().unwrap().clone();
    heads.sort_unstable();
    heads.dedup();
    assert_eq!(heads.len(), 6 * EACH, "every answer names an event of its own");
    let main = &driver.rows().scopes[&ambit_core::ScopeNo(1)];
    assert_eq!((main.messages, main.notes), (6 * EACH as i64 * 4 / 5, 6 * EACH as i64 / 5));
    Driver { seed: 99_999, ..driver }.must(&say("the last word"));
}

/// Queued commands of several vaults may share a commit: each goes to its own vault, and a command
/// for a missing vault does not affect the others.
pub fn grouped_commands_go_to_their_own_vaults(store: &dyn Store) {
    const VAULTS: u64 = 8;
    const THREADS: u64 = 24;
    const EACH: u64 = 12;
    let drivers: Vec<_> = (0..VAULTS).map(|it| Driver::of(store, &format!("v{it}"))).collect();
    thread::scope(|threads| {
        for number in 0..THREADS {
            let (vault, actor) = (format!("v{}", number % VAULTS), format!("actor {number}"));
            threads.spawn(move || {
                let (pin, key, now) = (None, None, crate::driver::START);
                let seed = 10_000 * (number + 1);
                let mut own =
                    Driver { store, vault, actor, pin, key, expect_head: None, now, seed };
                for round in 0..EACH {
                    let command = say(&format!("{} {number} {round}", own.vault));
                    let mut ask = own.ask(&command);
                    let lost = round % 4 == 3;
                    if lost {
                        ask.vault = "nowhere".into();
                    }
                    let decide = deciding(&ask, command);
                    let answer = store.transact(ask, decide);
                    match lost {
                        true => assert!(matches!(answer, Err(Error::NoVault(_))), "{answer:?}"),
                        false => drop(answer.unwrap()),
                    }
                }
            });
        }
    });
    for driver in &drivers {
        let rows = driver.rows();
        let said = THREADS / VAULTS * EACH * 3 / 4;
        assert_eq!(rows.scopes[&ambit_core::ScopeNo(1)].messages, said as i64);
        let own = format!("{} ", driver.vault);
        let texts = driver.read(|it| it.contents(ambit_core::ContentNo(0), 1_000));
        assert!(texts.iter().all(|it| it.text.starts_with(own.as_bytes())), "{own}");
    }
}
