//! Reads the text of all statements: each restricts every table, in joins and subqueries too, by
//! `vault = $1`. Then each statement is for the one server that holds the vault.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The tables that the migrations create.
static TABLES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let created = ambit_store::MIGRATIONS.iter().flat_map(|sql| sql.split("CREATE TABLE ").skip(1));
    created.filter_map(|rest| rest.split_whitespace().next()).collect()
});

/// The statements that find or list vaults. None of them locks or changes a row.
const FINDING: [&str; 5] = ["all_unindexed", "vault", "vault_last", "vault_number", "vaults"];

/// The words before the name of a table.
const BEFORE_TABLE: [&str; 4] = ["FROM", "INTO", "JOIN", "UPDATE"];

/// One SELECT, INSERT, UPDATE or DELETE; a subquery is a separate one.
#[derive(Default)]
struct Query<'a> {
    words: Vec<&'a str>,
}

impl<'a> Query<'a> {
    /// Returns the tables, each with its alias.
    fn tables(&self) -> Vec<(&'a str, &'a str)> {
        let mut tables = Vec::new();
        for (at, pair) in self.words.windows(2).enumerate() {
            let [before, table] = [pair[0], pair[1]];
            if !BEFORE_TABLE.contains(&before) || !TABLES.contains(table) {
                continue;
            }
            let alias = self.words.get(at + 2).filter(|it| it.chars().all(char::is_lowercase));
            tables.push((table, alias.copied().unwrap_or(table)));
        }
        tables
    }

    /// Returns the first table that is not restricted by vault.
    fn unnamed(&self) -> Option<&'a str> {
        let tables = self.tables();
        let names = |column: &str| self.words.windows(3).any(|it| it == [column, "=", "$1"]);
        let named = |(table, alias): &(&str, &str)| {
            let inserted = self.words.windows(2).any(|it| it == ["INTO", *table]);
            // A column without a prefix is the vault of the only table.
            let alone = tables.len() == 1 && table == alias && names("vault");
            inserted || alone || names(&format!("{alias}.vault"))
        };
        tables.iter().find(|it| !named(it)).map(|(table, _)| *table)
    }
}

/// Splits a text into names, parameters, and single signs.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    let part = |c: char| c.is_alphanumeric() || "_.$".contains(c);
    while let Some(first) = rest.chars().next() {
        let end = match part(first) {
            true => rest.find(|c| !part(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words.retain(|word| !word.trim().is_empty());
    words
}

/// Returns the first table of a statement that is not restricted by vault, if any.
fn unnamed(text: &str) -> Option<String> {
    let mut open = vec![Query::default()];
    let mut done = Vec::new();
    for word in words(text) {
        match word {
            "(" => open.push(Query::default()),
            ")" => done.extend(open.pop()),
            "UNION" => done.extend(open.last_mut().map(std::mem::take)),
            word => open.last_mut().unwrap().words.push(word),
        }
    }
    done.extend(open);
    if let Some(unnamed) = done.iter().find_map(Query::unnamed) {
        return Some(unnamed.to_string());
    }
    // An inserted row belongs to the named vault.
    let mut inserts = text.split("INSERT INTO ").skip(1);
    let foreign = inserts.find(|row| {
        let values = ["VALUES ($1,", "SELECT $1,"].iter().any(|it| row.contains(it));
        let first = row.split_once('(').is_some_and(|(_, columns)| columns.starts_with("vault,"));
        !values || !first
    });
    foreign.map(|row| row.split_whitespace().next().unwrap_or_default().to_string())
}

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path)
}

#[test]
fn every_statement_names_its_vault_on_every_table() {
    let mut seen = 0;
    for file in ["read", "write", "tables", "sqlite", "postgres"] {
        let text = std::fs::read_to_string(source(&format!("sql/{file}.sql"))).unwrap();
        for part in text.split("-- name: ").skip(1) {
            let (name, rest) = part.split_once('\n').unwrap();
            let statement = rest.split(';').next().unwrap();
            let found = unnamed(statement).filter(|_| !FINDING.contains(&name.trim()));
            assert_eq!(found, None, "{file}.sql, {name}: {statement}");
            seen += 1;
        }
    }
    assert!(seen > 150, "{seen}");
}

/// SQLite is one file on one machine: its own modules may contain statements.
#[test]
fn no_statement_on_a_table_is_written_in_rust() {
    fn visit(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("sqlite") {
                visit(&path, found);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                for line in code {
                    let words = words(line);
                    let says =
                        |it: &[&str]| BEFORE_TABLE.contains(&it[0]) && TABLES.contains(it[1]);
                    found.extend(words.windows(2).any(says).then(|| format!("{path:?}: {line}")));
                }
            }
        }
    }
    let mut found = Vec::new();
    visit(&source(""), &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_table_that_is_not_restricted_by_vault_is_found() {
    let table = [
        ("SELECT a FROM item WHERE vault = $1 AND item = $2", None),
        ("SELECT a FROM item WHERE item = $1", Some("item")),
        ("SELECT a FROM item i JOIN note n ON n.vault = $1 WHERE i.vault = $1", None),
        ("SELECT a FROM item i JOIN note n ON n.vault = i.vault WHERE i.vault = $1", Some("note")),
        ("SELECT (SELECT b FROM note WHERE item = $2) FROM item WHERE vault = $1", Some("note")),
        ("SELECT a FROM item WHERE vault = $1 UNION ALL SELECT a FROM note", Some("note")),
        ("INSERT INTO item (vault, a) VALUES ($1, $2)", None),
        ("INSERT INTO item (vault, a) SELECT $1, a FROM unnest($2::bigint[]) AS new (a)", None),
        ("INSERT INTO item (a, vault) VALUES ($1, $2)", Some("item")),
        ("UPDATE item SET a = $2 FROM unnest($3) AS new WHERE item.vault = $1", None),
        ("DELETE FROM item", Some("item")),
        (
            "WITH a AS (INSERT INTO note (vault, a) VALUES ($1, $2)) \
          INSERT INTO item (vault, a) VALUES ($3, $2)",
            Some("item"),
        ),
        (
            "WITH a AS (UPDATE note SET a = $2) UPDATE item SET a = $2 WHERE vault = $1",
            Some("note"),
        ),
    ];
    for (text, expected) in table {
        assert_eq!(unnamed(text).as_deref(), expected, "{text}");
    }
}
