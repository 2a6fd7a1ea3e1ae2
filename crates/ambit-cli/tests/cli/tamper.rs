//! Tampering: whatever column of whatever table is altered, `verify` answers that it was.

use std::path::Path;

use rusqlite::Connection;

use crate::place::Place;

/// One column, and what tells a row of its table.
struct Column {
    name: String,
    kind: String,
}

/// Returns true for columns whose change `verify` cannot detect.
///
/// No event holds a vault's name: a vault can move to another store under another name. Every verb
/// reports an import mark, and the count of rebuilds only makes others read again. Keys are not in
/// the log and expire in a week. The search index has segments or unindexed texts only in a vault
/// with many texts: the store's own suite alters those.
fn unobservable(table: &str, column: &str) -> bool {
    let of_vault = ["name", "importing", "rebuilt"].contains(&column);
    ["key", "posting", "unindexed"].contains(&table) || (table == "vault" && of_vault)
}

/// A vault with something in every table.
fn furnished() -> Place {
    let place = Place::new();
    let call = r#"{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}"#;
    let other = call.replace("\"a\"", "\"b\"");
    let calls = format!(r#"{{"role":"assistant","content":null,"tool_calls":[{call},{other}]}}"#);
    let reply = r#"{"role":"tool","tool_call_id":"a","content":"one"}"#;
    let must = |arguments: &[&str], input: &str| {
        let ran = place.run_with(arguments, input.as_bytes());
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
    };
    must(&["append", "--role", "user", "why does login time out?"], "");
    must(&["note", "-m", "learned"], "");
    must(&["scope", "step-1", "-m", "off"], "");
    must(&["goto", "main", "-m", "back", "--key", "k"], "");
    must(&["settings", "budget", "5000"], "");
    must(&["settings", "notes_shown", "5", "--scope", "main"], "");
    must(&["put", "--name", "plan.md", "--content", "1. look"], "");
    must(&["append", "-", "--as", "bot", "--kind", "agent"], &format!("{calls}\n{reply}\n"));
    place
}

fn tables(connection: &Connection) -> Vec<String> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut statement = connection.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// All columns, and the names of those that make the key.
fn columns(connection: &Connection, table: &str) -> (Vec<Column>, String) {
    let sql = format!("SELECT name, type, pk FROM pragma_table_info('{table}')");
    let mut statement = connection.prepare(&sql).unwrap();
    let rows = statement.query_map([], |row| {
        Ok((Column { name: row.get(0)?, kind: row.get(1)? }, row.get::<_, i64>(2)? > 0))
    });
    let (mut columns, mut key) = (Vec::new(), Vec::new());
    for (column, of_key) in rows.unwrap().map(Result::unwrap) {
        key.extend(of_key.then(|| column.name.clone()));
        columns.push(column);
    }
    (columns, key.join(", "))
}

/// Wrong values, as far as the column's type admits them.
fn wrong(column: &Column) -> Vec<String> {
    let name = &column.name;
    let values: &[&str] = match column.kind.as_str() {
        "INTEGER" => &["{} + 1", "-7", "COALESCE({}, 0)", "NULL"],
        "TEXT" => &["'banana'", "CAST(x'ff' AS TEXT)", "''", "NULL"],
        "BLOB" => &["x'01'", "zeroblob(32)", "zeroblob(16)", "NULL"],
        other => panic!("columns of type {other}"),
    };
    values.iter().map(|value| value.replace("{}", name)).collect()
}

/// Alters one row, the first or the last. False where the schema does not let it be.
fn tamper(file: &Path, table: &str, key: &str, column: &Column, value: &str, last: bool) -> bool {
    let connection = Connection::open(file).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.pragma_update(None, "synchronous", "OFF").unwrap();
    let name = &column.name;
    let order = key.split(", ").map(|it| format!("{it}{}", if last { " DESC" } else { "" }));
    let order = order.collect::<Vec<_>>().join(", ");
    let sql = format!(
        "UPDATE {table} SET {name} = {value} WHERE ({key}) IN \
         (SELECT {key} FROM {table} ORDER BY {order} LIMIT 1) AND {name} IS NOT ({value})"
    );
    connection.execute(&sql, []).is_ok_and(|changed| changed == 1)
}

fn check_table(place: &Place, whole: &[u8], table: &str) {
    let (columns, key) = columns(&Connection::open(place.database()).unwrap(), table);
    for column in columns.iter().filter(|column| !unobservable(table, &column.name)) {
        let mut tried = 0;
        for value in wrong(column) {
            for last in [false, true] {
                std::fs::write(place.database(), whole).unwrap();
                if !tamper(&place.database(), table, &key, column, &value, last) {
                    continue;
                }
                tried += 1;
                let ran = place.run(&["verify", "--json"]);
                let what = format!("{table}.{} = {value}: {ran:?}", column.name);
                assert_eq!(ran.code, 6, "{what}");
                let envelope: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
                assert_eq!(envelope["ok"], true, "{what}");
                assert_eq!(envelope["result"]["ok"], false, "{what}");
                assert!(envelope["result"]["problem"].is_string(), "{what}");
            }
        }
        assert!(tried > 0, "{table}.{} was never altered", column.name);
    }
}

#[test]
fn an_altered_column_of_any_table_is_found() {
    let place = furnished();
    place.head();
    let whole = std::fs::read(place.database()).unwrap();
    let tables = tables(&Connection::open(place.database()).unwrap());
    assert!(tables.len() > 14, "{tables:?}");
    for table in &tables {
        check_table(&place, &whole, table);
    }
}

#[test]
fn what_cannot_be_read_is_named_by_event_or_table() {
    let first = |set: &str| {
        format!("UPDATE content SET {set} WHERE content = (SELECT MIN(content) FROM content)")
    };
    let cases: [(&str, Option<i64>, &str); 8] = [
        ("UPDATE event SET hash = x'01' WHERE seq = 3", Some(3), "event 3"),
        ("UPDATE event SET body = CAST(x'ff' AS TEXT) WHERE seq = 3", Some(3), "event 3"),
        (&first("tokens = tokens + 1"), Some(3), "counted"),
        (&first("salt = x'01'"), Some(3), "content"),
        ("UPDATE item SET kind = 'banana'", Some(3), "item"),
        ("UPDATE place SET kind = 'banana'", Some(3), "place"),
        ("UPDATE actor SET kind = 'banana'", Some(2), "actor"),
        ("UPDATE vault SET head_hash = x'01'", None, "vault"),
    ];
    let place = furnished();
    let whole = std::fs::read(place.database()).unwrap();
    for (sql, first_bad, names) in cases {
        std::fs::write(place.database(), &whole).unwrap();
        place.tamper(sql);
        let ran = place.run(&["verify", "--json"]);
        assert_eq!(ran.code, 6, "{sql}: {ran:?}");
        let envelope: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let result = &envelope["result"];
        assert_eq!(result["first_bad"], serde_json::json!(first_bad), "{sql}: {result}");
        assert!(result["problem"].as_str().unwrap().contains(names), "{sql}: {result}");
    }
}
