//! Prints docs/schema.md, the tables as a real store has them: `cargo xtask docs`.

use std::error::Error;

use ambit_store::{MIGRATIONS, Options, Sqlite};
use rusqlite::Connection;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("store.db");
    drop(Sqlite::create(&path, &Options::default())?);
    print!("{}", page(&tables(&Connection::open(&path)?)?));
    Ok(())
}

struct Table {
    name: String,
    kind: String,
    columns: Vec<Column>,
    indexes: Vec<String>,
}

struct Column {
    name: String,
    kind: String,
    required: bool,
    /// Its place in the primary key, from 1.
    key: i64,
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<Table>> {
    // Shadow tables belong to the search index, not to the schema that people read.
    let mut list = connection.prepare(
        "SELECT l.name, l.type FROM pragma_table_list l
         LEFT JOIN sqlite_schema s ON s.name = l.name
         WHERE l.schema = 'main' AND l.type <> 'shadow' AND l.name NOT LIKE 'sqlite_%'
         ORDER BY s.rowid",
    )?;
    let names: Vec<(String, String)> =
        list.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    let mut columns = connection
        .prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_info($1) ORDER BY cid")?;
    let mut indexes = connection.prepare(
        "SELECT sql FROM sqlite_schema
         WHERE type = 'index' AND tbl_name = $1 AND sql IS NOT NULL ORDER BY rowid",
    )?;
    let mut tables = Vec::new();
    for (name, kind) in names {
        let columns = columns.query_map([&name], |row| {
            Ok(Column {
                name: row.get(0)?,
                kind: row.get(1)?,
                required: row.get(2)?,
                key: row.get(3)?,
            })
        })?;
        let columns = columns.collect::<Result<_, _>>()?;
        let indexes = indexes.query_map([&name], |row| row.get(0))?.collect::<Result<_, _>>()?;
        tables.push(Table { name, kind, columns, indexes });
    }
    Ok(tables)
}

fn page(tables: &[Table]) -> String {
    let mut page = String::from(
        "\nThe database is yours to read: integers, text and bytes, and every table begins with \
         its vault.\nTimes are milliseconds since 1970, UTC. Everything but the log, the texts and \
         the keys can be\nbuilt again from the log, so write to none of it.\n",
    );
    for table in tables {
        let kind = if table.kind == "table" { "" } else { table.kind.as_str() };
        page.push_str(format!("\n## {} {kind}", table.name).trim_end());
        page.push('\n');
        if let Some(comment) = comment(MIGRATIONS, &table.name) {
            page.push_str(&format!("\n{comment}\n"));
        }
        page.push_str("\n| column | type | may be null | key |\n|---|---|---|---|\n");
        for column in &table.columns {
            let null = if column.required || column.key > 0 { "no" } else { "yes" };
            let key = if column.key > 0 { column.key.to_string() } else { String::new() };
            let (name, kind) = (&column.name, &column.kind);
            page.push_str(&format!("| `{name}` | {kind} | {null} | {key} |\n"));
        }
        if !table.indexes.is_empty() {
            page.push_str(&format!("\n```sql\n{}\n```\n", table.indexes.join(";\n") + ";"));
        }
    }
    page
}

/// The comment right above the statement that creates a table, in one line.
fn comment(migrations: &[&str], table: &str) -> Option<String> {
    let creates = |line: &str| {
        let rest = line.strip_prefix("CREATE ").unwrap_or_default();
        let rest = rest.strip_prefix("VIRTUAL ").unwrap_or(rest).strip_prefix("TABLE ");
        rest.is_some_and(|rest| rest.split([' ', '(']).next() == Some(table))
    };
    let (lines, at) = migrations.iter().find_map(|text| {
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|line| creates(line))?;
        Some((lines, at))
    })?;
    let above = lines[..at].iter().rev().map_while(|line| line.strip_prefix("--"));
    let words: Vec<&str> = above.map(str::trim).collect();
    let text = words.into_iter().rev().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}
