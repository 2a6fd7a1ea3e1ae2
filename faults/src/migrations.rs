//! `migrations`: a store of an older schema is brought up to date, and the program is killed on the
//! way there, once at each of its system calls: whatever a statement does to a file or a server, it
//! does by one of them. What is left is the old schema or the new one, never something between. And
//! a store that is newer than the program is refused and left as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ambit::Location;
use ambit_store::{MIGRATIONS, Postgres, PostgresOptions};
use indicatif::ProgressBar;
use rusqlite::Connection;
use serde_json::Value;

use super::ground::{Base, Ground, Place, said};
use super::table::Row;
use super::trace;
use xtask::{process, tree};

/// Stores as older programs left them.
const FIXTURES: &str = "crates/ambit-store/tests/fixtures";

/// The vaults in them.
const VAULTS: [&str; 2] = ["default", "second"];

/// The calls by which a file is changed, locked or read; and a server spoken to.
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

/// Stores between the oldest and the newest are killed at every so-manieth call, unless more than
/// one round is asked for.
const BETWEEN_EVERY: usize = 3;

/// A version that nobody has.
const NEWER: i64 = 999;

/// The exit code of a store that cannot be used.
const FAILED: i32 = 6;

pub fn run(ground: &Ground, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    trace::ready()?;
    let mut rows = Vec::new();
    let fixtures = fixtures()?;
    let ends = [fixtures.keys().next().copied(), fixtures.keys().last().copied()];
    for (version, fixture) in fixtures {
        let mut row = Row::new(format!("migrations, SQLite from schema {version}"));
        // The longest way is that of the oldest, and the newest step is that of the last.
        let every = if ends.contains(&Some(version)) || rounds > 1 { 1 } else { BETWEEN_EVERY };
        if let Err(why) = upgrade(ground, &fixture, (version, every), &mut row, bar) {
            row.fault(why);
        }
        rows.push(row);
    }
    let mut row = Row::new("migrations, PostgreSQL from nothing");
    if let Err(why) = server(ground, &mut row, bar) {
        row.fault(why);
    }
    rows.push(row);
    for base in Base::ALL {
        let mut row = Row::new(format!("migrations, {} too new", base.name()));
        row.rounds = 1;
        if let Err(why) = newer(ground, base) {
            row.fault(why);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// `schema-N.db`, by N.
fn fixtures() -> Result<BTreeMap<i64, PathBuf>, String> {
    let folder = tree::root().join(FIXTURES);
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{FIXTURES}: {error}"))?;
    let version = |path: &Path| {
        path.file_name()?.to_str()?.strip_prefix("schema-")?.strip_suffix(".db")?.parse().ok()
    };
    let paths = entries.flatten().map(|entry| entry.path());
    Ok(paths.filter_map(|path| Some((version(&path)?, path))).collect())
}

/// What must be the same whatever happened on the way.
#[derive(Debug, PartialEq)]
struct Looks {
    /// Of each vault: its log, its scopes, and what main and another scope show.
    answers: Vec<Value>,
}

impl Looks {
    fn of(place: &Place) -> Result<Looks, String> {
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
                let text = place.done(&[verb, &["--json", "--as", "ada"]].concat())?;
                let mut answer: Value = serde_json::from_str(&text).map_err(said)?;
                answers.push(answer["result"].take());
            }
        }
        Ok(Looks { answers })
    }
}

fn upgrade(
    ground: &Ground,
    fixture: &Path,
    (version, every): (i64, usize),
    row: &mut Row,
    bar: &ProgressBar,
) -> Result<(), String> {
    let folder = ground.folder("migrations")?;
    let copy = folder.join("store.db");
    let renew = || -> Result<(), String> {
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", copy.display()));
        }
        std::fs::copy(fixture, &copy).map(drop).map_err(said)
    };
    let place = ground.place_at(Location::Sqlite(copy.clone()), VAULTS[0]);
    renew()?;
    let old = schema(&copy)?;
    // Once without a fault: how it looks, and how many calls it takes.
    let calls = counted(&place, &["where"], &FILE, &folder)?;
    let (looks, new) = (Looks::of(&place)?, schema(&copy)?);
    if old.0 != version || new.0 != MIGRATIONS.len() as i64 {
        return Err(format!("schema {} became {}", old.0, new.0));
    }
    bar.inc_length(calls.values().map(|count| count.div_ceil(every as u64)).sum());
    let mut left = [0, 0];
    for (call, count) in calls {
        for number in (1..=count).rev().step_by(every) {
            row.rounds += 1;
            bar.inc(1);
            renew()?;
            let at = format!("killed at {call} {number}");
            if !killed(&place, &["where"], &call, number, &folder)? {
                return Err(format!("not {at}"));
            }
            let found = schema(&copy)?;
            match &found {
                found if *found == old => left[0] += 1,
                found if *found == new => left[1] += 1,
                found => return Err(format!("{at}: schema {} is neither old nor new", found.0)),
            }
            let after = Looks::of(&place).map_err(|why| format!("{at}: {why}"))?;
            if after != looks || schema(&copy)? != new {
                return Err(format!("{at}: it looks different afterwards"));
            }
            place.check(&place.engine()?).map_err(|why| format!("{at}: {why}"))?;
        }
    }
    row.note(format!("left at the old schema {} times, at the new one {}", left[0], left[1]));
    match left[0] > 0 && (left[1] > 0 || old == new) {
        true => Ok(()),
        false => Err("no kill fell before, or none after the change".into()),
    }
}

/// The version, and all tables and indexes as they were declared.
fn schema(path: &Path) -> Result<(i64, Vec<String>), String> {
    let connection = Connection::open(path).map_err(said)?;
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0));
    let mut declared = connection
        .prepare("SELECT name || ': ' || COALESCE(sql, '') FROM sqlite_schema ORDER BY name")
        .map_err(said)?;
    let rows = declared.query_map([], |row| row.get(0)).map_err(said)?;
    Ok((version.map_err(said)?, rows.collect::<Result<_, _>>().map_err(said)?))
}

/// How often a run makes each of these calls.
fn counted(
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

/// Runs it until it is killed at a call. False where it came to its end before.
fn killed(
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
    let ran = command.output().map_err(said)?;
    Ok(!ran.status.success())
}

/// A new schema on a server, with the one who makes it killed at every call.
fn server(ground: &Ground, row: &mut Row, bar: &ProgressBar) -> Result<(), String> {
    let folder = ground.folder("migrations-server")?;
    let address = ground.cluster()?.address();
    let options = PostgresOptions::default();
    let (store, _) = Postgres::create(&address, &|_| None, &options).map_err(said)?;
    let tables = |name: &str| -> Result<String, String> {
        let count = format!(
            "SELECT CAST(COUNT(*) AS TEXT) FROM pg_class WHERE relkind IN ('r', 'i')
             AND relnamespace = to_regnamespace('{name}')"
        );
        let rows = store.ask(&count).map_err(said)?;
        Ok(rows.into_iter().flatten().flatten().next().unwrap_or_default())
    };
    let at = |name: &str| -> Result<Place, String> {
        let address = format!("{address}&schema={name}");
        Ok(ground.place_at(Location::parse(&address).map_err(said)?, "default"))
    };
    let calls = counted(&at("whole")?, &["init"], &SERVER, &folder)?;
    let whole = tables("whole")?;
    bar.inc_length(calls.values().sum());
    let mut left = [0, 0];
    for (call, count) in calls {
        for number in 1..=count {
            row.rounds += 1;
            bar.inc(1);
            let name = format!("{call}_{number}");
            let place = at(&name)?;
            // Answers may come together: the last ones are not always waited for.
            killed(&place, &["init"], &call, number, &folder)?;
            match tables(&name)? {
                found if found == "0" => left[0] += 1,
                found if found == whole => left[1] += 1,
                found => return Err(format!("{name}: {found} of {whole} tables and indexes")),
            }
            place.done(&["init"]).map_err(|why| format!("{name}: {why}"))?;
            place.done(&["append", "--role", "user", "hello"])?;
            if tables(&name)? != whole {
                return Err(format!("{name}: not whole afterwards"));
            }
            place.check(&place.engine()?).map_err(|why| format!("{name}: {why}"))?;
        }
    }
    row.note(format!("left without a schema {} times, with all of it {}", left[0], left[1]));
    Ok(())
}

/// A store of a later program.
fn newer(ground: &Ground, base: Base) -> Result<(), String> {
    let place = ground.place_apart(base, "newer")?;
    place.done(&["append", "--role", "user", "from the future"])?;
    let before = match place.file() {
        Some(path) => {
            let connection = Connection::open(path).map_err(said)?;
            connection.pragma_update(None, "user_version", NEWER).map_err(said)?;
            connection.close().map_err(|(_, error)| error.to_string())?;
            std::fs::read(path).map_err(said)?
        }
        None => {
            let options = PostgresOptions::default();
            let store = Postgres::open(&place.store(), &|_| None, &options).map_err(said)?;
            let store = store.ok_or("no store on the server")?;
            store.ask(&format!("UPDATE schema_version SET version = {NEWER}")).map_err(said)?;
            Vec::new()
        }
    };
    for verb in [&["where"][..], &["append", "--role", "user", "now"], &["init"]] {
        let ran = place.run(verb)?;
        let told = String::from_utf8_lossy(&ran.stderr);
        let clear = told.contains(&format!("version {NEWER}")) && told.contains("upgrade");
        if ran.status.code() != Some(FAILED) || !clear {
            return Err(format!("{verb:?} answered {}: {}", ran.status, told.trim()));
        }
    }
    match place.file() {
        Some(path) if std::fs::read(path).map_err(said)? != before => {
            Err("the file was changed".into())
        }
        _ => Ok(()),
    }
}
