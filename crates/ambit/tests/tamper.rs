//! Tampering: `verify` finds a random change of one bit of a number or one byte of a text, in any
//! event, content or row, on either database, and names the event it goes back to. `rebuild`
//! repairs the rows.
//!
//! `AMBIT_TAMPER_TRIES` sets the number of changes for each store.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use ambit::{ActorKind, Caller, Engine, GetRequest, Inherit, Outside, PutRequest};
use ambit_store::{Options, Postgres, PostgresOptions, Sqlite, Store};
use rusqlite::types::Value as Sql;

/// The tables that `verify` does not compare: they do not follow from the log.
const BESIDE_THE_LOG: [&str; 4] = ["bag", "key", "posting", "unindexed"];

/// Every other table, its key within the vault, and the event that its rows come from.
const TABLES: [(&str, &str, &str); 20] = [
    ("vault", "vault", "head_seq"),
    ("event", "seq", "seq"),
    (
        "content",
        "content",
        "(SELECT MIN(x.turn) FROM (SELECT i.turn FROM item i WHERE i.content = t.content
            UNION ALL SELECT s.turn FROM turn s WHERE s.shape = t.content) AS x)",
    ),
    ("scope", "scope", "created_seq"),
    ("actor", "actor", "(SELECT s.created_seq FROM scope s WHERE s.scope = t.home)"),
    ("presence", "actor, scope", "entered_seq"),
    ("item", "item", "turn"),
    ("place", "scope, to_seq, position", "from_seq"),
    ("turn", "turn", "turn"),
    ("note", "scope, position", "seq"),
    ("object", "item", "created_seq"),
    ("version", "object, version", "seq"),
    ("visit", "frame, seq", "seq"),
    ("delta", "frame, seq", "seq"),
    ("stand", "actor, seq", "seq"),
    ("view", "view", "started_seq"),
    ("stream", "frame, position, view", "position"),
    ("frame", "scope, item", "last_seq"),
    ("open_call", "scope, item", "(SELECT i.turn FROM item i WHERE i.item = t.item)"),
    ("setting", "scope, name", "NULL"),
];

/// Direct access to the database behind a store.
trait Raw {
    /// Runs a statement; returns None if the schema refuses it. Values are returned as text.
    fn ask(&self, sql: &str) -> Option<Vec<Vec<Option<String>>>>;
    /// Returns bytes as a literal of a statement.
    fn bytes(&self, hex: &str) -> String;
    /// Returns an expression for a column as text: bytes in hexadecimal digits.
    fn shown(&self, column: &str, kind: &str) -> String;
    fn columns(&self, table: &str) -> Vec<(String, String)>;
}

struct RawSqlite(rusqlite::Connection);

impl Raw for RawSqlite {
    fn ask(&self, sql: &str) -> Option<Vec<Vec<Option<String>>>> {
        let mut statement = self.0.prepare(sql).unwrap();
        let count = statement.column_count();
        let cell = |value: Sql| match value {
            Sql::Null => None,
            Sql::Integer(number) => Some(number.to_string()),
            Sql::Text(text) => Some(text),
            other => panic!("{other:?}"),
        };
        let rows = statement.query_map([], |row| {
            (0..count).map(|at| row.get(at).map(cell)).collect::<Result<Vec<_>, _>>()
        });
        rows.unwrap().collect::<Result<_, _>>().ok()
    }

    fn bytes(&self, hex: &str) -> String {
        format!("x'{hex}'")
    }

    fn shown(&self, column: &str, kind: &str) -> String {
        if kind == "BLOB" { format!("hex({column})") } else { column.to_string() }
    }

    fn columns(&self, table: &str) -> Vec<(String, String)> {
        let rows = self.ask(&format!("SELECT name, type FROM pragma_table_info('{table}')"));
        pairs(rows.unwrap())
    }
}

struct RawPostgres(Postgres);

impl Raw for RawPostgres {
    fn ask(&self, sql: &str) -> Option<Vec<Vec<Option<String>>>> {
        // Disables foreign keys, because tampering does not respect the schema's references.
        let free = "SELECT set_config('session_replication_role', 'replica', false)";
        self.0.ask(free).unwrap();
        self.0.ask(sql).ok()
    }

    fn bytes(&self, hex: &str) -> String {
        format!("'\\x{hex}'::bytea")
    }

    fn shown(&self, column: &str, kind: &str) -> String {
        match kind {
            "bytea" => format!("encode({column}, 'hex')"),
            _ => format!("({column})::text"),
        }
    }

    fn columns(&self, table: &str) -> Vec<(String, String)> {
        let sql = format!(
            "SELECT column_name::text, data_type::text FROM information_schema.columns
             WHERE table_schema = current_schema() AND table_name = '{table}'
             ORDER BY ordinal_position"
        );
        pairs(self.ask(&sql).unwrap())
    }
}

fn pairs(rows: Vec<Vec<Option<String>>>) -> Vec<(String, String)> {
    let pair = |mut row: Vec<Option<String>>| {
        let kind = row.pop().flatten().unwrap();
        (row.pop().flatten().unwrap(), kind)
    };
    rows.into_iter().map(pair).collect()
}

/// Random numbers, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// Creates a vault with rows in every table.
fn furnished(store: Arc<dyn Store>) -> (Engine, Caller) {
    let clock = Arc::new(AtomicI64::new(1_800_000_000_000));
    let seeds = AtomicU64::new(1);
    let outside = Outside::given(
        move || clock.fetch_add(1_000, Ordering::Relaxed),
        move || {
            let mut seed = [3; 32];
            seed[..8].copy_from_slice(&seeds.fetch_add(1, Ordering::Relaxed).to_be_bytes());
            seed
        },
    );
    let engine = Engine::over(store, outside);
    engine.create_vault("default").unwrap();
    let me = Caller::new("ada");
    let bot = Caller { kind: ActorKind::Agent, ..Caller::new("bot") };
    engine.append_text(&me, "user", "why does login time out?").unwrap();
    engine.note(&me, "learned").unwrap();
    let wrong = engine.insight(&me, "holds everywhere, or so it seems").unwrap();
    engine.insight(&me, "holds everywhere").unwrap();
    engine.retract(&me, &wrong.hash).unwrap();
    engine.scope(&me, "step-1", "off").unwrap();
    for number in 0..6 {
        engine.append_text(&me, "user", &format!("look at part {number}")).unwrap();
        engine.note(&me, &format!("part {number} is fine")).unwrap();
    }
    engine.goto(&me, "main", "back").unwrap();
    engine.set(&me, "budget", Some("5000")).unwrap();
    engine.set(&me.clone().in_scope("main"), "notes_shown", Some("5")).unwrap();
    let call = r#"{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}"#;
    let other = call.replace("\"a\"", "\"b\"");
    let calls = format!(r#"{{"role":"assistant","content":null,"tool_calls":[{call},{other}]}}"#);
    let reply = r#"{"role":"tool","tool_call_id":"a","content":"one"}"#;
    engine.append_json(&bot, &format!("{calls}\n{reply}\n")).unwrap();
    for text in ["1. look", "1. look\n2. fix"] {
        let (object, text) = ("plan.md".into(), text.into());
        engine.put(&me, &PutRequest { object, text, ..PutRequest::default() }).unwrap();
    }
    let child = engine.fork(&me, "sub", "fix it", Inherit::Notes).unwrap();
    let named = "plan.md".to_string();
    let look = GetRequest { named, ..GetRequest::default() };
    engine.get(&Caller::new(child.actor), &look).unwrap();
    engine.rejoin(&me, Some("sub"), Some("fixed"), false).unwrap();
    engine.fork(&me, "lost", "never heard of again", Inherit::None).unwrap();
    engine.abandon(&me, "lost", false).unwrap();
    engine.context_break(&me).unwrap();
    engine.get(&me, &look).unwrap();
    (engine, me)
}

/// Returns whether `verify` cannot see a column: no event contains a vault's name; every verb
/// reports the mark of an import; the count of rebuilds only invalidates caches.
fn unobservable(table: &str, column: &str) -> bool {
    table == "vault" && ["name", "importing", "rebuilt"].contains(&column)
}

/// Changes one value by a bit or a byte; returns it as a literal.
fn changed(raw: &dyn Raw, chance: &mut Chance, kind: &str, value: &str) -> Option<String> {
    Some(match kind {
        "INTEGER" | "bigint" => {
            (value.parse::<i64>().unwrap() ^ (1 << chance.below(63))).to_string()
        }
        "BLOB" | "bytea" => {
            let mut bytes: Vec<char> = value.to_lowercase().chars().collect();
            let at = chance.below(bytes.len().max(1));
            let digit = bytes.get(at)?.to_digit(16)? ^ (1 << chance.below(4));
            bytes[at] = char::from_digit(digit, 16)?;
            raw.bytes(&bytes.into_iter().collect::<String>())
        }
        _ => {
            let mut letters: Vec<char> = value.chars().collect();
            let at = chance.below(letters.len().max(1));
            let old = *letters.get(at)?;
            letters[at] = if old == 'q' { 'x' } else { 'q' };
            quoted(&letters.into_iter().collect::<String>())
        }
    })
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn literal(raw: &dyn Raw, kind: &str, value: &str) -> String {
    match kind {
        "INTEGER" | "bigint" => value.to_string(),
        "BLOB" | "bytea" => raw.bytes(value),
        _ => quoted(value),
    }
}

/// Changes one value, verifies, and changes it back. Returns false if nothing could be changed.
fn attempt(raw: &dyn Raw, engine: &Engine, me: &Caller, chance: &mut Chance) -> bool {
    let (table, key, event) = TABLES[chance.below(TABLES.len())];
    let columns = raw.columns(table);
    let shown: Vec<_> =
        columns.iter().map(|(name, kind)| raw.shown(&format!("t.{name}"), kind)).collect();
    let event = raw.shown(event, "");
    let sql = format!("SELECT {}, {event} FROM {table} t ORDER BY {key}", shown.join(", "));
    let rows = raw.ask(&sql).unwrap();
    let row = &rows[chance.below(rows.len())];
    let at = chance.below(columns.len());
    let (column, kind) = &columns[at];
    let Some(old) = row[at].as_deref().filter(|_| !unobservable(table, column)) else {
        return false;
    };
    let Some(new) = changed(raw, chance, kind, old) else {
        return false;
    };
    let key: Vec<_> = key.split(", ").chain(["vault"]).collect();
    let is = |altered: bool| {
        let part = |name: &&str| {
            let place = columns.iter().position(|(it, _)| it == name).unwrap();
            let stands = literal(raw, &columns[place].1, row[place].as_deref().unwrap());
            let stands = if altered && name == column { new.clone() } else { stands };
            format!("{name} = {stands}")
        };
        key.iter().map(part).collect::<Vec<_>>().join(" AND ")
    };
    if raw.ask(&format!("UPDATE {table} SET {column} = {new} WHERE {}", is(false))).is_none() {
        return false;
    }
    let answer = engine.verify(me, &|_| {}).unwrap();
    let what = format!("{table}.{column}: {old} became {new}: {answer:?}");
    assert!(!answer.ok, "{what}");
    let expected = match (table, column.as_str()) {
        // Without its number, its rows are not found.
        ("vault", "vault") => Some(1),
        // Settings come from the last event that set them, which their rows do not store.
        ("setting", _) => answer.first_bad,
        _ => row.last().cloned().flatten().map(|it| it.parse().unwrap()),
    };
    assert_eq!(answer.first_bad, expected, "{what}");
    let back = literal(raw, kind, old);
    raw.ask(&format!("UPDATE {table} SET {column} = {back} WHERE {}", is(true))).unwrap();
    true
}

fn every_change_is_found(raw: &dyn Raw, engine: &Engine, me: &Caller) {
    let tries = std::env::var("AMBIT_TAMPER_TRIES").map_or(150, |it| it.parse().unwrap());
    let mut chance = Chance(42);
    let mut done = 0;
    for _ in 0..tries * 20 {
        done += usize::from(attempt(raw, engine, me, &mut chance));
        if done == tries {
            break;
        }
    }
    assert_eq!(done, tries);
    let answer = engine.verify(me, &|_| {}).unwrap();
    assert!(answer.ok, "put back, all is well: {answer:?}");
}

fn rows_are_rebuilt(raw: &dyn Raw, engine: &Engine, me: &Caller) {
    let digest = engine.verify(me, &|_| {}).unwrap().digest;
    for (table, ..) in TABLES {
        let before = engine.verify(me, &|_| {}).unwrap();
        assert!(before.ok, "{table}: {before:?}");
        let sql = match table {
            "event" | "content" => continue,
            "vault" => "UPDATE vault SET next = next + 1, head_seq = 1".to_string(),
            table => format!("DELETE FROM {table}"),
        };
        raw.ask(&sql).unwrap();
        let found = engine.verify(me, &|_| {}).unwrap();
        assert!(!found.ok, "{table}");
        engine.rebuild(me, &|_, _| {}).unwrap();
        let after = engine.verify(me, &|_| {}).unwrap();
        assert!(after.ok && after.digest == digest, "{table}: {after:?}");
    }
    engine.note(me, "and it goes on").unwrap();
    assert!(engine.verify(me, &|_| {}).unwrap().ok);
    // A damaged log cannot be rebuilt from, and both verbs report where it is damaged.
    raw.ask("UPDATE event SET time = time + 1 WHERE seq = 4").unwrap();
    assert_eq!(engine.verify_chain(me, &|_| {}).unwrap().first_bad, Some(4));
    let refused = engine.rebuild(me, &|_, _| {}).unwrap_err().to_string();
    assert!(refused.contains("event 4"), "{refused}");
}

fn every_table_is_listed(raw: &dyn Raw, _engine: &Engine, _me: &Caller) {
    let tables = "SELECT name FROM sqlite_master WHERE type = 'table'";
    for table in raw.ask(tables).unwrap().concat().into_iter().flatten() {
        let listed = TABLES.iter().any(|(name, ..)| *name == table);
        let beside = BESIDE_THE_LOG.contains(&table.as_str());
        assert!(listed || beside, "add {table} to TABLES, with its key and the event of its rows");
        let rows = raw.ask(&format!("SELECT COUNT(*) FROM {table}")).unwrap();
        assert!(beside || rows[0][0].as_deref() != Some("0"), "let furnished() fill {table}");
    }
}

fn on_sqlite(check: fn(&dyn Raw, &Engine, &Caller)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ambit.db");
    let store = Sqlite::create(&path, &Options::default()).unwrap();
    let (engine, me) = furnished(Arc::new(store));
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.pragma_update(None, "foreign_keys", false).unwrap();
    raw.pragma_update(None, "synchronous", "OFF").unwrap();
    check(&RawSqlite(raw), &engine, &me);
}

fn on_postgres(name: &str, check: fn(&dyn Raw, &Engine, &Caller)) {
    let address = std::env::var("AMBIT_TEST_POSTGRES").unwrap_or_else(|_| {
        panic!("these tests need a PostgreSQL server: run them by `cargo xtask test`")
    });
    let and = if address.contains('?') { '&' } else { '?' };
    let address = format!("{address}{and}schema=tamper_{name}_{}", std::process::id());
    let open = || Postgres::create(&address, &|_| None, &PostgresOptions::default()).unwrap().0;
    let (engine, me) = furnished(Arc::new(open()));
    check(&RawPostgres(open()), &engine, &me);
}

#[test]
fn every_table_is_tampered_with() {
    on_sqlite(every_table_is_listed);
}

#[test]
fn a_changed_bit_is_found_on_sqlite() {
    on_sqlite(every_change_is_found);
}

#[test]
fn a_changed_bit_is_found_on_postgres() {
    on_postgres("bit", every_change_is_found);
}

#[test]
fn rows_are_rebuilt_on_sqlite() {
    on_sqlite(rows_are_rebuilt);
}

#[test]
fn rows_are_rebuilt_on_postgres() {
    on_postgres("rows", rows_are_rebuilt);
}
