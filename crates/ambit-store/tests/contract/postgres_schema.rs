//! The schema on a server, read from its catalogue: every unique index and every foreign key begins
//! with the vault, which allows sharding by vault; and no statement scans a growing table.

use ambit_store::{Error, MIGRATIONS, Postgres, PostgresOptions, Store};

use ambit_core::Command;

use crate::driver::{Driver, append, deciding, put, scope};
use crate::open::server;
use crate::server::fresh_schema;

fn column(rows: Vec<Vec<Option<String>>>) -> Vec<String> {
    rows.into_iter().map(|mut row| row.swap_remove(0).unwrap_or_default()).collect()
}

#[test]
fn every_key_index_and_reference_begins_with_the_vault() {
    let store = server(&fresh_schema());
    let indexes = "SELECT c.relname || ' (' || string_agg(a.attname, ', ' ORDER BY k.n) || ')'
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_class t ON t.oid = i.indrelid
        JOIN pg_namespace s ON s.oid = t.relnamespace
        CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(number, n)
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number
        WHERE s.nspname = current_schema() AND i.indisunique GROUP BY c.relname";
    let unique = column(store.ask(indexes).unwrap());
    assert!(unique.len() > 15, "{unique:?}");
    for index in &unique {
        assert!(index.contains("(vault"), "{index}");
    }
    let references = "SELECT c.conname || ' ' || pg_get_constraintdef(c.oid) FROM pg_constraint c
        JOIN pg_namespace s ON s.oid = c.connamespace
        WHERE s.nspname = current_schema() AND c.contype = 'f'";
    let references = column(store.ask(references).unwrap());
    assert!(references.len() >= 5, "{references:?}");
    for reference in &references {
        assert_eq!(reference.matches("(vault, ").count(), 2, "{reference}");
    }
    let tables = "SELECT t.relname::text FROM pg_class t
        JOIN pg_namespace s ON s.oid = t.relnamespace
        WHERE s.nspname = current_schema() AND t.relkind = 'r' AND NOT EXISTS (
            SELECT 1 FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'vault')";
    assert_eq!(column(store.ask(tables).unwrap()), ["schema_version"]);
}

/// Returns whether a statement may read all rows of a vault: verify, rebuild, and lists of scopes.
fn lists(name: &str) -> bool {
    name.starts_with("all_") || ["vaults", "scopes", "vault_last"].contains(&name)
}

fn check_plans(store: &Postgres, by_all_of_a_key: bool) {
    let plans = store.plans().unwrap();
    assert!(plans.len() > 60);
    for (name, lines) in plans.iter().filter(|(name, _)| !lists(name)) {
        for (index, line) in lines.iter().enumerate() {
            assert!(!line.contains("Seq Scan"), "{name}: {lines:#?}");
            // An index scan by the vault alone reads all rows of the vault.
            let own_row = index > 0 && lines[index - 1].contains(" on vault ");
            if line.contains("Index Cond:") && by_all_of_a_key && !own_row {
                assert!(!line.trim().ends_with("(vault = $1)"), "{name}: {lines:#?}");
            } else if line.contains("Index Scan using") {
                let next = lines.get(index + 1).map_or("", String::as_str);
                assert!(next.contains("Index Cond:"), "{name}: {lines:#?}");
            }
        }
    }
}

/// While a vault is almost empty, the server may choose to scan it; the statistics that a store
/// updates as it grows end that.
#[test]
fn no_statement_scans_a_growing_table() {
    let store = server(&fresh_schema());
    check_plans(&store, false);
    for vault in ["one", "two", "three"] {
        let mut driver = Driver::of(&store, vault);
        for round in 0..4 {
            let texts = (0..500)
                .map(|it| format!(r#"{{"role":"user","content":"{round} {it}","n":{it}}}"#));
            let texts: Vec<_> = texts.collect();
            let append = append(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            for command in [scope(&format!("scope {round}"), "off"), append] {
                let ask = driver.ask(&command);
                let decide = deciding(&ask, command);
                store.transact(ask, decide).unwrap();
            }
            // Items for the frame, each in a separate view.
            for number in 0..40 {
                let name = format!("thing {round} {number}");
                for command in [put(&name, &name), Command::Break] {
                    let ask = driver.ask(&command);
                    let decide = deciding(&ask, command);
                    store.transact(ask, decide).unwrap();
                }
            }
            driver.by(&format!("actor {round}"));
        }
    }
    store.refresh_statistics().unwrap();
    check_plans(&store, true);
}

#[test]
fn a_schema_created_by_many_at_once_is_created_once() {
    let address = fresh_schema();
    let created: Vec<bool> = std::thread::scope(|threads| {
        let open = || {
            let options = PostgresOptions::default();
            Postgres::create(&address, &|_| None, &options).unwrap();
            true
        };
        let opened: Vec<_> = (0..6).map(|_| threads.spawn(open)).collect();
        opened.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(created.len(), 6);
    let store = server(&address);
    let versions = column(store.ask("SELECT version::text FROM schema_version").unwrap());
    assert_eq!(versions, [MIGRATIONS.len().to_string()]);
}

#[test]
fn a_missing_or_newer_schema_is_reported() {
    let address = fresh_schema();
    let options = PostgresOptions::default();
    assert!(Postgres::open(&address, &|_| None, &options).unwrap().is_none());
    server(&address).ask("UPDATE schema_version SET version = 99 RETURNING 'x'").unwrap();
    let Err(error) = Postgres::open(&address, &|_| None, &options) else { panic!("it opened") };
    assert!(matches!(error, Error::Newer { found: 99, .. }), "{error:?}");
}

#[test]
fn an_unreachable_server_is_reported_soon() {
    let begun = std::time::Instant::now();
    let options = PostgresOptions::default();
    let opened = Postgres::open("postgres://ada@127.0.0.1:1/none", &|_| None, &options);
    let Err(error) = opened else { panic!("it opened") };
    assert!(matches!(error, Error::Unreachable(_)), "{error:?}");
    assert!(begun.elapsed().as_secs() < 8, "{:?}", begun.elapsed());
}
