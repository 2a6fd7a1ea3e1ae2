//! Several connections to one file: processes that work at once.

use std::path::Path;
use std::thread;

use ambit_core::What;
use ambit_store::{Options, Sqlite, Store};
use tempfile::TempDir;

use crate::driver::{Driver, START, VAULT, deciding, say, seed_of};

fn connect(path: &Path) -> Sqlite {
    Sqlite::create(path, &Options::default()).unwrap()
}

fn driver<'a>(store: &'a Sqlite, actor: &str, seed: u64) -> Driver<'a> {
    Driver {
        store,
        vault: VAULT.to_string(),
        actor: actor.to_string(),
        pin: None,
        key: None,
        expect_head: None,
        now: START,
        seed,
    }
}

/// The texts that each actor appended, in the order of the log.
fn texts(store: &Sqlite) -> Vec<String> {
    let driver = driver(store, "reader", 0);
    let turns: Vec<_> = driver
        .events()
        .into_iter()
        .filter(|event| matches!(event.event.body.what, What::Appended(_)))
        .map(|event| event.event.seq)
        .collect();
    driver.read(|it| turns.iter().map(|turn| Ok(it.blocks(*turn)?[0].text.clone())).collect())
}

#[test]
fn two_connections_write_alternately() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ambit.db");
    let (one, two) = (connect(&path), connect(&path));
    assert!(one.create(VAULT, START, seed_of(0)).unwrap());
    assert!(!two.create(VAULT, START, seed_of(0)).unwrap(), "it sees what the other did");
    let (mut ada, mut bob) = (driver(&one, "ada", 1000), driver(&two, "bob", 2000));
    let mut expected = Vec::new();
    for round in 0..10 {
        for (driver, name) in [(&mut ada, "ada"), (&mut bob, "bob")] {
            let text = format!("{name} {round}");
            driver.must(&say(&text));
            expected.push(text);
        }
    }
    assert_eq!(texts(&one), expected);
    assert_eq!(ada.rows(), bob.rows());
}

#[test]
fn eight_connections_at_once_lose_nothing_and_are_never_busy() {
    const EACH: usize = 25;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ambit.db");
    connect(&path).create(VAULT, START, seed_of(0)).unwrap();
    thread::scope(|threads| {
        for number in 0..8u64 {
            let path = &path;
            threads.spawn(move || {
                let store = connect(path);
                let mut driver = driver(&store, &format!("actor {number}"), number * 1000);
                for round in 0..EACH {
                    let command = say(&format!("{number} {round}"));
                    let ask = driver.ask(&command);
                    let answer = {
                        let decide = deciding(&ask, command);
                        store.transact(ask, decide)
                    };
                    answer.unwrap_or_else(|error| panic!("{number} {round}: {error}"));
                }
            });
        }
    });
    let store = connect(&path);
    let texts = texts(&store);
    assert_eq!(texts.len(), 8 * EACH);
    for number in 0..8 {
        let of_one = texts.iter().filter_map(|text| text.strip_prefix(&format!("{number} ")));
        let expected: Vec<_> = (0..EACH).map(|round| round.to_string()).collect();
        assert_eq!(of_one.collect::<Vec<_>>(), expected, "each one's own order");
    }
    // One more command makes the driver check the log, the rows and the sums.
    driver(&store, "actor 0", 9000).must(&say("the last word"));
}

/// Eight processes that create the same store at once all get it. Repeated, because this looks for
/// a race.
#[test]
fn a_store_created_by_many_at_once_is_created_once() {
    for _ in 0..10 {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("ambit.db");
        let created: Vec<bool> = thread::scope(|threads| {
            let start = |number: u64| {
                let path = &path;
                threads.spawn(move || connect(path).create(VAULT, START, seed_of(number)).unwrap())
            };
            let started: Vec<_> = (0..8).map(start).collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(created.iter().filter(|created| **created).count(), 1);
        assert_eq!(connect(&path).vaults().unwrap().len(), 1);
    }
}
