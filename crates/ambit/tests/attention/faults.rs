//! INV-2: a visit, a change, a fork and a rejoin are in all their streams, frames and rows, or in
//! none. The database fails at the first row that is written, then at the second, and so on, until
//! the command succeeds.

use std::sync::Arc;

use ambit::{Caller, Engine, GetRequest, Inherit, Kind, Outside, PutRequest};
use ambit_core::Logged;
use ambit_store::{Options, Postgres, PostgresOptions, Rows, Sqlite, Store};

/// A database that fails on request.
trait Fails {
    /// Allows this many rows to be written.
    fn allow(&self, rows: i64);
}

struct FailingSqlite(rusqlite::Connection);

impl FailingSqlite {
    fn new(raw: rusqlite::Connection) -> FailingSqlite {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
        let mut statement = raw.prepare(sql).unwrap();
        let names = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let tables: Vec<_> = names.map(Result::unwrap).collect();
        drop(statement);
        raw.execute_batch("CREATE TABLE fault (left INTEGER); INSERT INTO fault VALUES (1 << 40)")
            .unwrap();
        for table in tables {
            for event in ["INSERT", "UPDATE", "DELETE"] {
                raw.execute_batch(&format!(
                    "CREATE TRIGGER fault_{table}_{event} BEFORE {event} ON {table} BEGIN
                        UPDATE fault SET left = left - 1;
                        SELECT RAISE(ABORT, 'a fault') WHERE (SELECT left FROM fault) < 0;
                    END"
                ))
                .unwrap();
            }
        }
        FailingSqlite(raw)
    }
}

impl Fails for FailingSqlite {
    fn allow(&self, rows: i64) {
        self.0.execute("UPDATE fault SET left = ?1", [rows]).unwrap();
    }
}

struct FailingPostgres(Postgres);

impl FailingPostgres {
    fn new(raw: Postgres) -> FailingPostgres {
        let run = |sql: &str| drop(raw.ask(sql).unwrap());
        // A sequence keeps counting when a transaction is rolled back.
        run("CREATE SEQUENCE fault_count MINVALUE 0");
        run("CREATE TABLE fault (allowed BIGINT)");
        run("INSERT INTO fault VALUES (9000000000)");
        run("CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF nextval('fault_count') > (SELECT allowed FROM fault) THEN
                    RAISE EXCEPTION 'a fault';
                END IF;
                IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
                RETURN NEW;
            END $$");
        let tables = "SELECT tablename::text FROM pg_tables
            WHERE schemaname = current_schema() AND tablename <> 'fault'";
        for table in raw.ask(tables).unwrap() {
            let table = table[0].clone().unwrap();
            run(&format!(
                "CREATE TRIGGER fault BEFORE INSERT OR UPDATE OR DELETE ON {table}
                 FOR EACH ROW EXECUTE FUNCTION fault()"
            ));
        }
        FailingPostgres(raw)
    }
}

impl Fails for FailingPostgres {
    fn allow(&self, rows: i64) {
        self.0.ask("SELECT setval('fault_count', 0)::text").unwrap();
        self.0.ask(&format!("UPDATE fault SET allowed = {rows}")).unwrap();
    }
}

struct Scene {
    engine: Engine,
    store: Arc<dyn Store>,
    database: Box<dyn Fails>,
}

impl Scene {
    fn new(store: Arc<dyn Store>, database: Box<dyn Fails>) -> Scene {
        let engine = Engine::over(store.clone(), Outside::real());
        engine.create_vault("default").unwrap();
        let ada = Caller::new("ada");
        let put = |name: &str| {
            let (object, text) = (name.to_string(), name.to_string());
            engine.put(&ada, &PutRequest { object, text, ..PutRequest::default() }).unwrap();
        };
        (0..8).for_each(|number| put(&format!("thing {number}")));
        engine.scope(&ada, "alpha", "off").unwrap();
        engine.enter(&ada, "main").unwrap();
        Scene { engine, store, database }
    }

    fn seen(&self) -> (Vec<Logged>, Rows) {
        let mut seen = None;
        self.store
            .read("default", &mut |snapshot| {
                let events = snapshot.events(0, i64::MAX)?;
                let events = events.into_iter().map(|it| it.parse().unwrap()).collect();
                seen = Some((events, snapshot.rows()?));
                Ok(())
            })
            .unwrap();
        seen.unwrap()
    }

    /// Runs a step with a fault at every row in turn; returns how many rows it writes.
    fn faults(&self, what: &str, step: &dyn Fn(&Engine) -> ambit::Result<()>) -> i64 {
        for rows in 0.. {
            let before = self.seen();
            self.database.allow(rows);
            let done = step(&self.engine);
            self.database.allow(1 << 40);
            match done {
                Ok(()) => {
                    let now = self.seen();
                    assert!(now.0.len() > before.0.len(), "{what}");
                    let verified = self.engine.verify(&Caller::new("ada"), &|_| {}).unwrap();
                    assert!(verified.ok, "{what}: {:?}", verified.problem);
                    return rows;
                }
                Err(error) => {
                    assert_eq!(error.kind(), Kind::Store, "{what}, {rows} rows: {error}");
                    assert!(self.seen() == before, "{what}: {rows} rows are left of it");
                }
            }
            assert!(rows < 1_000, "{what} never ends");
        }
        0
    }
}

/// Returns the number of streams of the last view, and of frames of the last visit.
fn reached(rows: &Rows) -> (usize, usize) {
    let view = rows.views.keys().next_back().unwrap();
    let streams = rows.streams.values().filter(|row| row.view == *view).count();
    let last = rows.visits.values().map(|row| row.seq).max().unwrap();
    (streams, rows.visits.values().filter(|row| row.seq == last).count())
}

fn all_or_none(scene: &Scene) {
    let ada = Caller::new("ada");
    // With and without an open view.
    for named in ["thing 0", "thing 1"] {
        let request = GetRequest { named: named.into(), ..GetRequest::default() };
        let rows = scene.faults("a visit", &|engine| engine.get(&ada, &request).map(drop));
        assert!(rows >= 8, "{rows} rows");
        assert_eq!(reached(&scene.seen().1), (3, 3), "the actor's, main's and alpha's");
    }
    let (object, text) = ("thing 2".to_string(), "changed".to_string());
    let request = PutRequest { object, text, ..PutRequest::default() };
    let rows = scene.faults("a change", &|engine| engine.put(&ada, &request).map(drop));
    assert!(rows >= 10, "{rows} rows");
    let rows =
        scene.faults("a fork", &|engine| engine.fork(&ada, "sub", "go", Inherit::Notes).map(drop));
    assert!(rows >= 25, "{rows} rows: it copies two frames");
    let sub = Caller::new("sub");
    scene.engine.append_text(&sub, "assistant", "found").unwrap();
    let rows = scene
        .faults("a rejoin", &|engine| engine.rejoin(&sub, None, Some("done"), false).map(drop));
    assert!(rows >= 12, "{rows} rows");
    assert_eq!(reached(&scene.seen().1).0, 2, "the merge stands in both streams");
}

// Proves S0-15.
#[test]
fn all_streams_or_none_on_sqlite() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("ambit.db");
    let store = Sqlite::create(&path, &Options::default()).unwrap();
    let raw = rusqlite::Connection::open(&path).unwrap();
    all_or_none(&Scene::new(Arc::new(store), Box::new(FailingSqlite::new(raw))));
}

// Proves S0-15.
#[test]
fn all_streams_or_none_on_postgres() {
    let address = crate::server::fresh_schema();
    let open = || Postgres::create(&address, &|_| None, &PostgresOptions::default()).unwrap().0;
    let store = open();
    all_or_none(&Scene::new(Arc::new(store), Box::new(FailingPostgres::new(open()))));
}
