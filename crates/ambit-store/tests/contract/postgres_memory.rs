//! The cached state of a vault: current or outdated, it gives the same result as reading everything
//! again.

use ambit_core::ScopeNo;
use ambit_store::{Postgres, PostgresOptions};

use crate::driver::{Driver, say};
use crate::server::fresh_schema;

/// One of two processes has written alone for a while when the other one writes.
#[test]
fn a_write_of_another_process_invalidates_the_cache() {
    let address = fresh_schema();
    let open = || Postgres::create(&address, &|_| None, &PostgresOptions::default()).unwrap().0;
    let (one, two) = (open(), open());
    let mut driver = Driver::new(&one);
    for round in 0..6 {
        driver.store = &one;
        for number in 0..4 {
            driver.must(&say(&format!("one {round} {number}")));
        }
        // The driver compares State, log and rows with a replay of all events, after each.
        driver.store = &two;
        driver.must(&say(&format!("two {round}")));
    }
    assert_eq!(driver.rows().scopes[&ScopeNo(1)].messages, 30);
}

#[test]
fn an_equal_text_is_stored_once() {
    let store = Postgres::create(&fresh_schema(), &|_| None, &PostgresOptions::default());
    let (store, _) = store.unwrap();
    let mut driver = Driver::new(&store);
    for round in 0..5 {
        for text in ["over and over", "again"] {
            driver.must(&say(text));
        }
        driver.must(&say(&format!("new {round}")));
        driver.must(&say(&format!("as new {round}")));
    }
    let texts = store.ask("SELECT CAST(COUNT(*) AS TEXT) FROM content").unwrap();
    assert_eq!(texts, [[Some("12".to_string())]]);
    assert_eq!(driver.rows().scopes[&ScopeNo(1)].messages, 20);
}

/// A key that was used before gets the first answer, and may be used again once it has expired.
#[test]
fn a_key_is_respected_until_it_expires() {
    let store = Postgres::create(&fresh_schema(), &|_| None, &PostgresOptions::default());
    let (store, _) = store.unwrap();
    let mut driver = Driver::new(&store);
    const WEEK: i64 = 7 * 24 * 3600 * 1000;
    for round in 0..3 {
        for number in 0..4 {
            driver.key = Some(format!("key {number}"));
            let first = driver.must(&say(&format!("{round} {number}")));
            assert_eq!(driver.must(&say(&format!("{round} {number}"))), first);
        }
        driver.after(WEEK + 1);
    }
    assert_eq!(driver.rows().scopes[&ScopeNo(1)].messages, 12);
    let keys = store.ask("SELECT CAST(COUNT(*) AS TEXT) FROM key").unwrap();
    assert_eq!(keys, [[Some("4".to_string())]], "those that have expired are gone");
}
