//! Upkeep of a file: rebuild, garbage collection, backup, and the bound of the write-ahead log.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use ambit_store::{Error, Level, Options, Sqlite, Store, Sweep};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::driver::{Driver, VAULT, append, deciding, note, say};
use crate::session;

fn at(folder: &TempDir) -> PathBuf {
    folder.path().join("ambit.db")
}

fn create(folder: &TempDir) -> Sqlite {
    Sqlite::create(&at(folder), &Options::default()).unwrap()
}

/// Changes the file as only another program would.
fn tamper(folder: &TempDir, sql: &str) {
    let raw = Connection::open(at(folder)).unwrap();
    raw.pragma_update(None, "foreign_keys", false).unwrap();
    raw.execute_batch(sql).unwrap();
}

#[test]
fn a_rebuild_repairs_every_table() {
    let folder = TempDir::new().unwrap();
    let store = create(&folder);
    let mut driver = Driver::new(&store);
    session::play(&mut driver);
    let whole = driver.rows();
    let tables = [
        ("vault", "next = next + 1"),
        ("scope", "name = name || 'x'"),
        ("actor", "kind = 'banana'"),
        ("presence", "boundary = boundary + 1"),
        ("item", "role = 'banana'"),
        ("place", "sum = sum + 1"),
        ("turn", "shape = shape + 1"),
        ("note", "snapshot = -1"),
        ("visit", "actor = actor + 1"),
        ("view", "started_at = 0"),
        ("stream", "prev = 77"),
        ("frame", "visits = visits + 1"),
        ("open_call", "call_id = 1"),
        ("setting", "value = 'x'"),
    ];
    for (table, set) in tables {
        let gone = format!("DELETE FROM {table}");
        for sql in [&format!("UPDATE {table} SET {set}"), &gone] {
            if table == "vault" && *sql == gone {
                continue;
            }
            tamper(&folder, sql);
            store.rebuild(VAULT, &|_, _| {}).unwrap();
            assert_eq!(driver.rows(), whole, "{sql}");
        }
    }
    tamper(&folder, "UPDATE vault SET head_hash = x'01', time = 0");
    store.rebuild(VAULT, &|_, _| {}).unwrap();
    assert_eq!(driver.rows(), whole);
    driver.must(&note("and it goes on"));
}

#[test]
fn a_rebuild_refuses_a_broken_chain() {
    let folder = TempDir::new().unwrap();
    let store = create(&folder);
    let mut driver = Driver::new(&store);
    driver.must(&say("one"));
    driver.must(&say("two"));
    tamper(&folder, "UPDATE place SET sum = 7; UPDATE event SET time = time + 1 WHERE seq = 3");
    let Err(Error::Damaged(words)) = store.rebuild(VAULT, &|_, _| {}) else { panic!("rebuilt") };
    assert!(words.contains("event 3"), "{words}");
    let sums = driver.rows().places.into_values().map(|row| row.sum);
    assert!(sums.collect::<Vec<_>>().iter().all(|sum| *sum == 7), "nothing was changed");
}

/// Cached state may have been read from damaged rows.
#[test]
fn a_rebuild_invalidates_cached_state() {
    let folder = TempDir::new().unwrap();
    let (store, other) = (create(&folder), create(&folder));
    let mut driver = Driver::new(&store);
    driver.must(&say("one"));
    let sums = "UPDATE scope SET sum = sum + 100; UPDATE place SET sum = sum + 100";
    tamper(&folder, sums);
    let command = say("two");
    // The other process reads the damaged rows, caches them, and continues from there.
    let ask = driver.ask(&command);
    let decide = deciding(&ask, command.clone());
    other.transact(ask, decide).unwrap();
    store.rebuild(VAULT, &|_, _| {}).unwrap();
    tamper(&folder, "UPDATE scope SET sum = 5 WHERE name = 'main'");
    let ask = driver.ask(&command);
    let decide = deciding(&ask, command.clone());
    other.transact(ask, decide).unwrap();
    let main = driver.rows().scopes.into_values().find(|row| row.name.is_some()).unwrap();
    assert!(main.sum < 50, "the state is read again: {}", main.sum);
}

#[test]
fn unreferenced_texts_are_collected() {
    let folder = TempDir::new().unwrap();
    let store = create(&folder);
    let mut driver = Driver::new(&store);
    session::play(&mut driver);
    let contents = || driver.read(|it| it.contents(Default::default(), 1_000));
    let whole = contents();
    tamper(
        &folder,
        "INSERT INTO content (vault, content, key, salt, digest, tokens, text)
         VALUES (1, 900001, zeroblob(32), zeroblob(16), 5, 1, zeroblob(1000)),
                (1, -3, zeroblob(32), zeroblob(16), 6, 1, zeroblob(24))",
    );
    let now = driver.now;
    let look = store.collect(VAULT, now, Sweep::Look, &|_| {}).unwrap();
    assert_eq!((look.contents, look.bytes), (2, 1024));
    let done = store.collect(VAULT, now, Sweep::Remove, &|_| {}).unwrap();
    assert_eq!((done.contents, done.bytes), (2, 1024));
    assert_eq!(contents(), whole);
    tamper(&folder, "UPDATE event SET body = '{}' WHERE seq = 2");
    let refused = store.collect(VAULT, now, Sweep::Remove, &|_| {});
    assert!(matches!(refused, Err(Error::Damaged(_))), "an unreadable event may use any text");
}

#[test]
fn vacuum_returns_free_space() {
    let folder = TempDir::new().unwrap();
    let store = create(&folder);
    let driver = Driver::new(&store);
    tamper(
        &folder,
        "INSERT INTO content (vault, content, key, salt, digest, tokens, text)
         VALUES (1, 900001, zeroblob(32), zeroblob(16), 5, 1, zeroblob(8000000))",
    );
    let kept = store.collect(VAULT, driver.now, Sweep::Remove, &|_| {}).unwrap();
    assert!(kept.disk_after > 7_000_000, "{kept:?}");
    let given = store.collect(VAULT, driver.now, Sweep::Vacuum, &|_| {}).unwrap();
    assert!(given.disk_after < 1_000_000, "{given:?}");
}

/// Creates a store that is large enough for a copy to take a while.
fn filled(folder: &TempDir) -> Sqlite {
    let store = create(folder);
    let mut driver = Driver::new(&store);
    for number in 0..40 {
        let text = format!("{number} ").repeat(100_000);
        let message = format!(r#"{{"role":"user","content":"{text}"}}"#);
        let command = append(&[&message]);
        let ask = driver.ask(&command);
        let decide = deciding(&ask, command);
        store.transact(ask, decide).unwrap();
    }
    store
}

#[test]
fn a_backup_is_consistent_while_others_write() {
    let folder = TempDir::new().unwrap();
    let store = filled(&folder);
    let writer = Sqlite::open(&at(&folder), &Options::default()).unwrap();
    let (stop, written) = (AtomicBool::new(false), AtomicI64::new(0));
    let copy = folder.path().join("copy.db");
    let starts = AtomicI64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut driver = Driver {
                store: &writer,
                vault: VAULT.to_string(),
                actor: "bob".to_string(),
                pin: None,
                key: None,
                expect_head: None,
                now: crate::driver::START,
                seed: 5_000,
            };
            while !stop.load(Ordering::Relaxed) {
                let command = say("meanwhile");
                let ask = driver.ask(&command);
                let decide = deciding(&ask, command);
                writer.transact(ask, decide).unwrap();
                written.fetch_add(1, Ordering::Relaxed);
            }
        });
        let until = Instant::now() + Duration::from_secs(20);
        while written.load(Ordering::Relaxed) < 3 && Instant::now() < until {
            std::thread::yield_now();
        }
        let last = AtomicI64::new(-1);
        let copied = store.backup(&copy, &|done, _| {
            // A write happens between any two steps: a copy that restarted would lose progress.
            let seen = written.load(Ordering::Relaxed);
            while written.load(Ordering::Relaxed) == seen && Instant::now() < until {
                std::thread::yield_now();
            }
            if last.swap(done as i64, Ordering::Relaxed) > done as i64 {
                starts.fetch_add(1, Ordering::Relaxed);
            }
        });
        stop.store(true, Ordering::Relaxed);
        copied.unwrap();
    });
    assert_eq!(starts.load(Ordering::Relaxed), 0, "the copy never restarts");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap()).collect();
    assert!(!left.iter().any(|it| it.file_name().to_string_lossy().ends_with(".part")));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // The copy opens, is intact, and accepts writes.
    let copied = Sqlite::open(&copy, &Options::default()).unwrap();
    let heads = [store.vaults().unwrap()[0].head_seq, copied.vaults().unwrap()[0].head_seq];
    assert!(heads[1] >= 44 && heads[1] < heads[0], "{heads:?}");
    let mut driver =
        Driver { store: &copied, seed: 9_000, now: crate::driver::START, ..bare(&copied) };
    driver.must(&note("in the copy"));
}

fn bare(store: &Sqlite) -> Driver<'_> {
    Driver {
        store,
        vault: VAULT.to_string(),
        actor: "ada".to_string(),
        pin: None,
        key: None,
        expect_head: None,
        now: crate::driver::START,
        seed: 0,
    }
}

#[test]
fn a_failed_backup_leaves_the_old_file() {
    let folder = TempDir::new().unwrap();
    let store = create(&folder);
    drop(Driver::new(&store));
    assert!(matches!(store.backup(&at(&folder), &|_, _| {}), Err(Error::CopyOntoItself { .. })));
    let nowhere = folder.path().join("no/such/copy.db");
    assert!(matches!(store.backup(&nowhere, &|_, _| {}), Err(Error::Unusable { .. })));
    let used = folder.path().join("used.db");
    fs::write(&used, "old").unwrap();
    fs::write(folder.path().join("used.db-wal"), "its log").unwrap();
    assert!(matches!(store.backup(&used, &|_, _| {}), Err(Error::CopyInUse { .. })));
    assert_eq!(fs::read(&used).unwrap(), b"old");
    fs::remove_file(folder.path().join("used.db-wal")).unwrap();
    store.backup(&used, &|_, _| {}).unwrap();
    assert!(Sqlite::open(&used, &Options::default()).is_ok(), "replaced as a whole");
}

#[test]
fn a_snapshot_has_a_time_limit() {
    let folder = TempDir::new().unwrap();
    let options = Options { snapshot_ms: 30, ..Options::default() };
    let store = Sqlite::create(&at(&folder), &options).unwrap();
    let mut driver = Driver::new(&store);
    driver.must(&note("here"));
    let read = store.read(VAULT, &mut |snapshot| {
        snapshot.events(0, 1)?;
        let until = Instant::now() + Duration::from_millis(60);
        while Instant::now() < until {
            std::thread::yield_now();
        }
        snapshot.events(1, 1).map(drop)
    });
    assert!(matches!(read, Err(Error::SnapshotOver { limit_ms: 30 })), "{read:?}");
    driver.must(&note("and it goes on"));
}

/// Overlapping readers, each starting before the last one ends, must not let the log grow without
/// bound.
#[test]
fn the_write_ahead_log_is_bounded_while_readers_overlap() {
    let folder = TempDir::new().unwrap();
    let options = Options { log_bytes: 2 << 20, ..Options::default() };
    let store = Sqlite::create(&at(&folder), &options).unwrap();
    drop(Driver::new(&store));
    let stop = AtomicBool::new(false);
    let log = folder.path().join("ambit.db-wal");
    let mut largest = 0;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mine = Sqlite::open(&at(&folder), &Options::default()).unwrap();
                while !stop.load(Ordering::Relaxed) {
                    let read = mine.read(VAULT, &mut |snapshot| {
                        let until = Instant::now() + Duration::from_millis(40);
                        while Instant::now() < until && !stop.load(Ordering::Relaxed) {
                            snapshot.events(0, 10)?;
                        }
                        Ok(())
                    });
                    read.unwrap();
                }
            });
        }
        let mut driver = bare(&store);
        let mut bytes = 0;
        for number in 0..600 {
            let text = format!("{number} ").repeat(20_000);
            bytes += text.len() as u64;
            let command = append(&[&format!(r#"{{"role":"user","content":"{text}"}}"#)]);
            let ask = driver.ask(&command);
            let decide = deciding(&ask, command);
            store.transact(ask, decide).unwrap();
            largest = largest.max(fs::metadata(&log).map_or(0, |it| it.len()));
        }
        stop.store(true, Ordering::Relaxed);
        assert!(bytes > 2 * largest, "{bytes} bytes were written, the log grew to {largest}");
    });
}

#[test]
fn loose_permissions_and_held_locks_are_reported() {
    let folder = TempDir::new().unwrap();
    let store = create(&folder);
    drop(Driver::new(&store));
    let mut holder = Connection::open(at(&folder)).unwrap();
    let held = holder.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    let level = |name: &str| {
        let findings = store.health().unwrap();
        findings.into_iter().find(|it| it.name == name).unwrap().level
    };
    assert_eq!(level("write"), Level::Warn);
    drop(held);
    assert_eq!(level("write"), Level::Ok);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(level("permissions"), Level::Ok);
        fs::set_permissions(at(&folder), fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(level("permissions"), Level::Warn);
    }
}
