//! `migrations`: upgrades a store of an older schema and kills the program at each of its system
//! calls, which are the only way to change a file or a server. The kill leaves the old schema or
//! the new one, never a mixture. A store that is newer than the program is refused and not changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ambit::Location;
use ambit_store::{MIGRATIONS, Postgres, PostgresOptions};
use indicatif::ProgressBar;
use rusqlite::Connection;
use serde_json::Value;

use super::table::Row;
use super::testbed::{Database, Place, Testbed, describe};
use super::trace;
use xtask::{process, tree};

/// Stores created by older programs.
const FIXTURES: &str = "crates/ambit-store/tests/fixtures";

/// The vaults in them.
const VAULTS: [&str; 2] = ["default", "second"];

/// The system calls that change, lock or read a file, and those that talk to a server.
const FILE: [&str; 9] = [
    "openat",
    "fcntl",
    "pread64",
    "pwrite64",
    "fsync",
    "fdatasync",
    "ftruncate",
    "unlink",
    "close",
];
const SERVER: [&str; 4] = ["connect", "sendto", "recvfrom", "close"];

/// Without `--rounds 2`, only the upgrade of the newest schema, which tests the last step alone, is
/// killed at every call; the upgrade of the oldest, which takes all steps, at every fifth; the
/// others, and the creation of a schema on a server, at every tenth and every fourth.
const NEWEST_EVERY: usize = 1;
const OLDEST_EVERY: usize = 5;
const BETWEEN_EVERY: usize = 10;
const SERVER_EVERY: usize = 4;

/// A schema version that does not exist.
const NEWER: i64 = 999;

/// The exit code for an error of the store.
const FAILED: i32 = 6;

pub fn run(testbed: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    trace::ready()?;
    let mut rows = Vec::new();
    let fixtures = fixtures()?;
    let (oldest, newest) = (fixtures.keys().next().copied(), fixtures.keys().last().copied());
    for (version, fixture) in fixtures {
        let mut row = Row::new(format!("migrations, SQLite from schema {version}"));
        let every = match Some(version) {
            _ if rounds > 1 => 1,
            it if it == newest => NEWEST_EVERY,
            it if it == oldest => OLDEST_EVERY,
            _ => BETWEEN_EVERY,
        };
        if let Err(why) = upgrade(testbed, &fixture, (version, every), &mut row, bar) {
            row.fault(why);
        }
        rows.push(row);
    }
    let mut row = Row::new("migrations, PostgreSQL from nothing");
    let every = if rounds > 1 { 1 } else { SERVER_EVERY };
    if let Err(why) = server(testbed, every, &mut row, bar) {
        row.fault(why);
    }
    rows.push(row);
    for database in Database::ALL {
        let mut row = Row::new(format!("migrations, {} too new", database.name()));
        row.rounds = 1;
        if let Err(why) = newer(testbed, database) {
            row.fault(why);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Returns the files `schema-N.db` by N.
fn fixtures() -> Result<BTreeMap<i64, PathBuf>, String> {
    let folder = tree::root().join(FIXTURES);
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{FIXTURES}: {error}"))?;
    let version = |path: &Path| {
        path.file_name()?.to_str()?.strip_prefix("schema-")?.strip_suffix(".db")?.parse().ok()
    };
    let paths = entries.flatten().map(|entry| entry.path());
    Ok(paths.filter_map(|path| Some((version(&path)?, path))).collect())
}

/// Answers that must be the same after every interrupted upgrade.
#[derive(Debug, PartialEq)]
struct Answers {
    /// For each vault: `log`, `scopes`, `compose` and `verify`.
    answers: Vec<Value>,
}

impl Answers {
    fn of(place: &Place) -> Result<Answers, String> {
        let mut answers = Vec::new();
        for vault in VAULTS {
            let mut place = place.clone();
            place.vault = vault.to_string();
            let verbs: [&[&str]; 4] = [
                &["log", "--after", "0"],
                &["scopes"],
                &["compose", "--scope", "main"],
                &["verify"],
            ];
            for verb in verbs {
                let text = place.output(&[verb, &["--json", "--as", "ada"]].concat())?;
                let mut answer: Value = serde_json::from_str(&text).map_err(describe)?;
                answers.push(answer["result"].take());
            }
        }
        Ok(Answers { answers })
    }
}

fn upgrade(
    testbed: &Testbed,
    fixture: &Path,
    (version, every): (i64, usize),
    row: &mut Row,
    bar: &ProgressBar,
) -> Result<(), String> {
    let folder = testbed.folder("migrations")?;
    let copy = folder.join("store.db");
    let restore_copy = || -> Result<(), String> {
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", copy.display()));
        }
        std::fs::copy(fixture, &copy).map(drop).map_err(describe)
    };
    let place = testbed.place_at(Location::Sqlite(copy.clone()), VAULTS[0]);
    restore_copy()?;
    let old = schema(&copy)?;
    // Upgrades once without a fault, to record the answers and the number of calls.
    let calls = count_calls(&place, &["where"], &FILE, &folder)?;
    let (expected, new) = (Answers::of(&place)?, schema(&copy)?);
    if old.0 != version || new.0 != MIGRATIONS.len() as i64 {
        return Err(format!("schema {} became {}", old.0, new.0));
    }
    bar.inc_length(calls.values().map(|count| count.div_ceil(every as u64)).sum());
    let mut left = [0, 0];
    for (call, count) in calls {
        for number in (1..=count).rev().step_by(every) {
            row.rounds += 1;
            bar.inc(1);
            restore_copy()?;
            let at = format!("killed at {call} {number}");
            if !kill_at_call(&place, &["where"], &call, number, &folder)? {
                return Err(format!("not {at}"));
            }
            let found = schema(&copy)?;
            match &found {
                found if *found == old => left[0] += 1,
                found if *found == new => left[1] += 1,
                found => return Err(format!("{at}: schema {} is neither old nor new", found.0)),
            }
            let after = Answers::of(&place).map_err(|why| format!("{at}: {why}"))?;
            if after != expected || schema(&copy)? != new {
                return Err(format!("{at}: the answers differ afterwards"));
            }
            place.check(&place.engine()?).map_err(|why| format!("{at}: {why}"))?;
        }
    }
    row.note(format!("left at the old schema {} times, at the new one {}", left[0], left[1]));
    match left[0] > 0 && (left[1] > 0 || old == new) {
        true => Ok(()),
        false => Err("the kills did not cover both sides of the change".into()),
    }
}

/// Returns the schema version and the declarations of all tables and indexes.
fn schema(path: &Path) -> Result<(i64, Vec<String>), String> {
    let connection = Connection::open(path).map_err(describe)?;
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0));
    let mut declared = connection
        .prepare("SELECT name || ': ' || COALESCE(sql, '') FROM sqlite_schema ORDER BY name")
        .map_err(describe)?;
    let rows = declared.query_map([], |row| row.get(0)).map_err(describe)?;
    Ok((version.map_err(describe)?, rows.collect::<Result<_, _>>().map_err(describe)?))
}

/// Counts each of these system calls in one run.
fn count_calls(
    place: &Place,
    verb: &[&str],
    of: &[&str],
    folder: &Path,
) -> Result<BTreeMap<String, u64>, String> {
    let trace = folder.join("trace");
    let set = format!("trace={}", of.join(","));
    let arguments = ["-f", "-ttt", "-T", "-e", &set];
    process::output(trace::around(&arguments, &trace, &place.command(verb)))?;
    let mut counts = BTreeMap::new();
    for call in trace::read(&trace)? {
        let name = call.text.split('(').next().unwrap_or_default().to_string();
        *counts.entry(name).or_insert(0) += 1;
    }
    Ok(counts)
}

/// Runs the program until it is killed at a system call. Returns false if it ended before.
fn kill_at_call(
    place: &Place,
    verb: &[&str],
    call: &str,
    number: u64,
    folder: &Path,
) -> Result<bool, String> {
    let inject = format!("inject={call}:signal=KILL:when={number}");
    let set = format!("trace={call}");
    let arguments = ["-f", "-e", &set, "-e", &inject];
    let trace = folder.join("trace");
    let mut command = trace::around(&arguments, &trace, &place.command(verb));
    let ran = command.output().map_err(describe)?;
    Ok(!ran.status.success())
}

/// Creates a schema on a server and kills the program at every system call, or at each `every`th.
fn server(testbed: &Testbed, every: usize, row: &mut Row, bar: &ProgressBar) -> Result<(), String> {
    let folder = testbed.folder("migrations-server")?;
    let address = testbed.cluster()?.address();
    let options = PostgresOptions::default();
    let (store, _) = Postgres::create(&address, &|_| None, &options).map_err(describe)?;
    let tables = |name: &str| -> Result<String, String> {
        let count = format!(
            "SELECT CAST(COUNT(*) AS TEXT) FROM pg_class WHERE relkind IN ('r', 'i')
             AND relnamespace = to_regnamespace('{name}')"
        );
        let rows = store.ask(&count).map_err(describe)?;
        Ok(rows.into_iter().flatten().flatten().next().unwrap_or_default())
    };
    let at = |name: &str| -> Result<Place, String> {
        let address = format!("{address}&schema={name}");
        Ok(testbed.place_at(Location::parse(&address).map_err(describe)?, "default"))
    };
    let calls = count_calls(&at("whole")?, &["init"], &SERVER, &folder)?;
    let whole = tables("whole")?;
    bar.inc_length(calls.values().map(|count| count.div_ceil(every as u64)).sum());
    let mut left = [0, 0];
    for (call, count) in calls {
        for number in (1..=count).rev().step_by(every) {
            row.rounds += 1;
            bar.inc(1);
            let name = format!("{call}_{number}");
            let place = at(&name)?;
            // The number of calls varies, because answers may arrive together.
            kill_at_call(&place, &["init"], &call, number, &folder)?;
            match tables(&name)? {
                found if found == "0" => left[0] += 1,
                found if found == whole => left[1] += 1,
                found => return Err(format!("{name}: {found} of {whole} tables and indexes")),
            }
            place.output(&["init"]).map_err(|why| format!("{name}: {why}"))?;
            place.output(&["append", "--role", "user", "hello"])?;
            if tables(&name)? != whole {
                return Err(format!("{name}: tables are missing afterwards"));
            }
            place.check(&place.engine()?).map_err(|why| format!("{name}: {why}"))?;
        }
    }
    row.note(format!("left without a schema {} times, with the whole schema {}", left[0], left[1]));
    Ok(())
}

/// Opens a store of a newer program.
fn newer(testbed: &Testbed, database: Database) -> Result<(), String> {
    let place = testbed.place_apart(database, "newer")?;
    place.output(&["append", "--role", "user", "from the future"])?;
    let before = match place.file() {
        Some(path) => {
            let connection = Connection::open(path).map_err(describe)?;
            connection.pragma_update(None, "user_version", NEWER).map_err(describe)?;
            connection.close().map_err(|(_, error)| error.to_string())?;
            std::fs::read(path).map_err(describe)?
        }
        None => {
            let options = PostgresOptions::default();
            let store = Postgres::open(&place.store(), &|_| None, &options).map_err(describe)?;
            let store = store.ok_or("the server has no store")?;
            store.ask(&format!("UPDATE schema_version SET version = {NEWER}")).map_err(describe)?;
            Vec::new()
        }
    };
    for verb in [&["where"][..], &["append", "--role", "user", "now"], &["init"]] {
        let ran = place.run(verb)?;
        let stderr = String::from_utf8_lossy(&ran.stderr);
        let clear = stderr.contains(&format!("version {NEWER}")) && stderr.contains("upgrade");
        if ran.status.code() != Some(FAILED) || !clear {
            return Err(format!("{verb:?} answered {}: {}", ran.status, stderr.trim()));
        }
    }
    match place.file() {
        Some(path) if std::fs::read(path).map_err(describe)? != before => {
            Err("the file was changed".into())
        }
        _ => Ok(()),
    }
}
