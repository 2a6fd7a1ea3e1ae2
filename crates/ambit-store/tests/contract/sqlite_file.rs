//! Tests of the file: durability, foreign files, newer schemas, permissions.

use std::fs;
use std::path::{Path, PathBuf};

use ambit_store::{Error, MIGRATIONS, Options, Sqlite, Store};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::driver::{self, Driver, START, note, seed_of};
use crate::{search, session};

fn at(folder: &TempDir) -> PathBuf {
    folder.path().join("ambit.db")
}

fn open(path: &Path) -> Result<Sqlite, Error> {
    Sqlite::open(path, &Options::default())
}

fn create(path: &Path) -> Result<Sqlite, Error> {
    Sqlite::create(path, &Options::default())
}

/// Returns the error of a store that must not open, by either way of opening.
fn refused(path: &Path) -> String {
    let before = fs::read(path).unwrap();
    let words: Vec<_> = [open(path), create(path)]
        .into_iter()
        .map(|opened| match opened {
            Err(error @ (Error::Unusable { .. } | Error::Newer { .. })) => error.to_string(),
            Err(error) => panic!("{error:?}"),
            Ok(_) => panic!("it opened"),
        })
        .collect();
    assert_eq!(words[0], words[1]);
    assert_eq!(fs::read(path).unwrap(), before, "the file is as it was");
    words[0].clone()
}

#[test]
fn a_reopened_store_holds_everything() {
    let folder = TempDir::new().unwrap();
    let store = create(&at(&folder)).unwrap();
    let mut driver = Driver::new(&store);
    session::play(&mut driver);
    driver.key = Some("k".to_string());
    let answer = driver.must(&note("kept"));
    let (log, rows, now, seed) = (driver.log(), driver.rows(), driver.now, driver.seed);
    drop(store);

    let store = open(&at(&folder)).unwrap();
    assert!(!store.create("default", START, seed_of(0)).unwrap(), "the vault is there");
    let mut driver = Driver {
        store: &store,
        vault: "default".to_string(),
        actor: "ada".to_string(),
        pin: None,
        key: Some("k".to_string()),
        expect_head: None,
        now,
        seed,
    };
    assert_eq!((driver.log(), driver.rows()), (log, rows));
    assert_eq!(driver.must(&note("kept")), answer, "keys are kept too");
    driver.key = None;
    driver.must(&note("and it goes on"));
}

/// Creating an existing store opens it.
#[test]
fn creating_again_changes_nothing() {
    let folder = TempDir::new().unwrap();
    create(&at(&folder)).unwrap().create("v", START, seed_of(1)).unwrap();
    let again = create(&at(&folder)).unwrap();
    assert_eq!(again.vaults().unwrap().len(), 1);
    assert_eq!(again.path(), at(&folder));
}

#[test]
fn a_newer_schema_is_refused() {
    let folder = TempDir::new().unwrap();
    drop(create(&at(&folder)).unwrap());
    let newer = MIGRATIONS.len() as i64 + 1;
    let raw = Connection::open(at(&folder)).unwrap();
    raw.pragma_update(None, "user_version", newer).unwrap();
    drop(raw);
    let words = refused(&at(&folder));
    assert!(words.contains(&format!("version {newer}")), "{words}");
    // Put back, it opens as before.
    let raw = Connection::open(at(&folder)).unwrap();
    raw.pragma_update(None, "user_version", newer - 1).unwrap();
    drop(raw);
    open(&at(&folder)).unwrap();
}

#[test]
fn a_file_that_is_not_a_database_is_refused() {
    let folder = TempDir::new().unwrap();
    fs::write(at(&folder), "These are my holiday plans. ".repeat(100)).unwrap();
    let words = refused(&at(&folder));
    assert!(words.contains("is not an Ambit store"), "{words}");
}

#[test]
fn a_database_of_another_program_is_refused() {
    let folder = TempDir::new().unwrap();
    let raw = Connection::open(at(&folder)).unwrap();
    raw.execute_batch("CREATE TABLE recipe (name TEXT)").unwrap();
    drop(raw);
    let words = refused(&at(&folder));
    assert!(words.contains("another program"), "{words}");

    let other = folder.path().join("other.db");
    let raw = Connection::open(&other).unwrap();
    raw.pragma_update(None, "application_id", 42).unwrap();
    raw.execute_batch("CREATE TABLE x (y)").unwrap();
    drop(raw);
    assert!(refused(&other).contains("another program"));
}

#[test]
fn a_missing_file_or_folder_is_reported() {
    let folder = TempDir::new().unwrap();
    assert!(matches!(open(&at(&folder)), Err(Error::Unusable { .. })));
    assert!(!at(&folder).exists(), "opening creates nothing");
    let nowhere = folder.path().join("no/such/folder/ambit.db");
    assert!(matches!(create(&nowhere), Err(Error::Unusable { .. })));
    assert!(matches!(open(folder.path()), Err(Error::Unusable { .. })), "a folder is no file");
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_the_file_and_its_side_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let store = create(&at(&folder)).unwrap();
    store.create("v", START, seed_of(1)).unwrap();
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap()).collect();
    assert!(files.len() >= 2, "the file and its write-ahead log");
    for file in files {
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", file.file_name());
    }
}

#[test]
fn a_locked_store_is_busy_after_the_wait_and_unchanged() {
    let folder = TempDir::new().unwrap();
    let store =
        Sqlite::create(&at(&folder), &Options { wait_ms: 50, ..Options::default() }).unwrap();
    let mut driver = Driver::new(&store);
    driver.must(&note("before"));
    let before = driver.log();
    let mut holder = Connection::open(at(&folder)).unwrap();
    let held = holder.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    let command = note("meanwhile");
    let ask = driver.ask(&command);
    let answer = store.transact(ask, Box::new(|_| panic!("the lock comes first")));
    assert!(matches!(answer, Err(Error::Busy { waited_ms: 50 })), "{answer:?}");
    assert_eq!(driver.log(), before, "and reading goes on");
    drop(held);
    driver.must(&note("after"));
}

/// Acknowledged writes are on the disk: only `synchronous=FULL` guarantees that.
#[test]
fn every_commit_is_synced_and_references_are_checked() {
    let folder = TempDir::new().unwrap();
    drop(create(&at(&folder)).unwrap());
    for store in [create(&at(&folder)).unwrap(), open(&at(&folder)).unwrap()] {
        let pragmas = store.pragmas().unwrap();
        let expected = [
            ("journal_mode", "wal"),
            ("synchronous", "2"),
            ("foreign_keys", "1"),
            ("secure_delete", "1"),
        ];
        assert_eq!(pragmas, expected.map(|(name, value)| (name, value.to_string())));
    }
}

#[test]
fn a_file_without_write_ahead_log_is_refused() {
    // Such as an in-memory database: SQLite answers with another mode and no error.
    let Err(error) = open(Path::new(":memory:")) else { panic!("it opened") };
    assert!(matches!(error, Error::Unusable { .. }), "{error:?}");
    assert!(error.to_string().contains("write-ahead log"), "{error}");
    // A file that lost the mode gets it back.
    let folder = TempDir::new().unwrap();
    drop(create(&at(&folder)).unwrap());
    let raw = Connection::open(at(&folder)).unwrap();
    raw.pragma_update(None, "journal_mode", "DELETE").unwrap();
    drop(raw);
    assert_eq!(open(&at(&folder)).unwrap().pragmas().unwrap()[0].1, "wal");
}

/// The key is checked first: a repeated call is answered even if the State is unreadable.
#[test]
fn a_repeated_key_is_answered_before_anything_else_is_read() {
    let folder = TempDir::new().unwrap();
    let store = create(&at(&folder)).unwrap();
    let mut driver = Driver::new(&store);
    driver.key = Some("k".to_string());
    let command = note("once");
    let first = driver.must(&command);
    let raw = Connection::open(at(&folder)).unwrap();
    assert_eq!(raw.execute("UPDATE scope SET last_note = x'01'", []).unwrap(), 2);
    let ask = driver.ask(&command);
    let again = store.transact(ask, Box::new(|_| panic!("there is nothing to decide"))).unwrap();
    assert_eq!(again, first);
}

/// A store that is older than the search index is indexed when it is opened.
#[test]
fn a_store_older_than_the_index_can_be_searched() {
    let folder = TempDir::new().unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/schema-4.db");
    fs::copy(fixture, at(&folder)).unwrap();
    let store = open(&at(&folder)).unwrap();
    assert_eq!(search::finds(&store, "default", "漢字").1.len(), 1);
    assert!(search::finds(&store, "default", "SESSION_TTL").1.len() >= 4);
    assert_eq!(search::finds(&store, "second", "crosses").1.len(), 1);
}

/// After migration, the rows of stores with schemas 4 to 8 equal those of a rebuild from the log.
#[test]
fn rows_of_migrated_stores_follow_from_their_logs() {
    for name in ["schema-1", "schema-4", "schema-5", "schema-6", "schema-7", "schema-8"] {
        let folder = TempDir::new().unwrap();
        let fixture = format!("tests/fixtures/{name}.db");
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture);
        fs::copy(fixture, at(&folder)).unwrap();
        let store = open(&at(&folder)).unwrap();
        for vault in ["default", "second"] {
            let rows = driver::read(&store, vault, &mut |snapshot| snapshot.rows());
            let events = driver::read(&store, vault, &mut |it| it.events(0, i64::MAX));
            let mut rebuilt = ambit_store::Rows::default();
            events.into_iter().for_each(|stored| rebuilt.apply(&stored.parse().unwrap()));
            assert!(!rows.visits.is_empty() && !rows.deltas.is_empty() || vault == "second");
            assert_eq!(rows, rebuilt, "{name}, {vault}");
        }
    }
}

/// The same with many texts and an interruption half-way: finished work is not repeated.
#[test]
fn texts_indexed_later_are_found_the_same() {
    let folder = TempDir::new().unwrap();
    let store = create(&at(&folder)).unwrap();
    let memory = ambit_store::Memory::default();
    let (driver, reference) = (search::fill(&store), search::fill(&memory));
    let (vault, next) = (driver.vault.clone(), driver.read(|it| Ok(it.vault().next)));
    drop(store);
    let halfway = next / 3;
    for (kept, after) in [(0, 0), (halfway, halfway)] {
        let connection = Connection::open(at(&folder)).unwrap();
        connection.execute("DELETE FROM posting", []).unwrap();
        connection.execute("DELETE FROM bag WHERE content > ?1", [kept]).unwrap();
        let row = "INSERT INTO unindexed (vault, content, bound) VALUES (1, ?1, ?2)";
        connection.execute(row, [after, next]).unwrap();
        drop(connection);
        let store = open(&at(&folder)).unwrap();
        search::same(&store, &vault, &memory, &reference.vault);
    }
}

/// Any change of the index is detected, and repaired by a rebuild.
#[test]
fn a_changed_index_is_detected_and_repaired() {
    let folder = TempDir::new().unwrap();
    let store = create(&at(&folder)).unwrap();
    let memory = ambit_store::Memory::default();
    let (driver, reference) = (search::fill(&store), search::fill(&memory));
    let faults = || driver.read(|it| it.index_faults());
    assert_eq!(faults(), 0);
    let alterations = [
        "UPDATE bag SET terms = x'00' WHERE vault = 1 AND content < 10",
        "UPDATE bag SET content = content + 999999 WHERE vault = 1 AND content % 500 = 0",
        "DELETE FROM bag WHERE vault = 1 AND content % 100 = 0",
        "UPDATE posting SET texts = zeroblob(4) WHERE part = 7",
        "UPDATE posting SET texts = zeroblob(8192) WHERE part = -1",
        "UPDATE posting SET part = 300 WHERE part = 8",
        "DELETE FROM posting WHERE part = 9",
    ];
    for sql in alterations {
        let connection = Connection::open(at(&folder)).unwrap();
        assert!(connection.execute(sql, []).unwrap() > 0, "{sql}");
        drop(connection);
        assert!(faults() > 0, "{sql}");
        store.rebuild(&driver.vault, &|_, _| {}).unwrap();
        assert_eq!(faults(), 0, "{sql}");
        search::same(&store, &driver.vault, &memory, &reference.vault);
    }
}
