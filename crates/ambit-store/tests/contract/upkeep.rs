//! Upkeep: rebuild, garbage collection, health.

use ambit_store::{Error, Garbage, Level, Store, Sweep};

use crate::driver::{Driver, VAULT, note, say};
use crate::session;

const DAY: i64 = 24 * 3600 * 1000;

pub fn a_rebuild_of_an_intact_vault_changes_nothing(store: &dyn Store) {
    let mut driver = Driver::new(store);
    session::play(&mut driver);
    let before = (driver.log(), driver.rows());
    let rebuilt = store.rebuild(VAULT, &|_, _| {}).unwrap();
    assert_eq!((driver.log(), driver.rows()), before);
    assert_eq!((rebuilt.events, rebuilt.rows), (before.0.len() as i64, before.1.count()));
    driver.must(&note("and it goes on"));
    let missing = store.rebuild("elsewhere", &|_, _| {});
    assert!(matches!(missing, Err(Error::NoVault(name)) if name == "elsewhere"));
}

pub fn expired_keys_are_collected(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.key = Some("old".to_string());
    driver.must(&say("hello"));
    driver.key = Some("new".to_string());
    let kept = driver.after(6 * DAY).must(&say("again"));
    let before = (driver.log(), driver.rows());
    let collect = |now, sweep| store.collect(VAULT, now, sweep, &|_| {}).unwrap();
    let count = |garbage: Garbage| (garbage.keys, garbage.contents);
    assert_eq!(count(collect(driver.now, Sweep::Remove)), (0, 0), "no key has expired yet");
    let later = driver.now + 2 * DAY;
    assert_eq!(count(collect(later, Sweep::Look)), (1, 0));
    assert_eq!(count(collect(later, Sweep::Look)), (1, 0), "a look removes nothing");
    assert_eq!(count(collect(later, Sweep::Remove)), (1, 0));
    assert_eq!(count(collect(later, Sweep::Vacuum)), (0, 0), "it is gone");
    assert_eq!((driver.log(), driver.rows()), before, "and nothing else is");
    driver.after(2 * DAY);
    assert_eq!(driver.must(&say("again")), kept, "the other key still answers");
}

pub fn a_healthy_store_has_nothing_bad(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&note("here"));
    let before = (driver.log(), driver.rows());
    let findings = store.health().unwrap();
    assert!(!findings.is_empty());
    for finding in findings {
        // The disk's fill level and other users of the server do not depend on the store.
        if !["disk", "locks"].contains(&finding.name) {
            assert_eq!(finding.level, Level::Ok, "{finding:?}");
        }
        assert_eq!(finding.level == Level::Ok, finding.advice.is_none(), "{finding:?}");
    }
    assert_eq!((driver.log(), driver.rows()), before);
}
