//! A SQLite connection inside a transaction: statements run immediately, rows are read in place.

use std::time::Instant;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row as SqliteRow, ToSql, params_from_iter};

use super::SQL;
use crate::tables::{Cell, Got, Link, Query, Row, Unfit, Value};
use crate::{Error, Result};

pub(super) struct SqliteLink<'a> {
    pub connection: &'a Connection,
    /// Converts a database error.
    pub failed: &'a dyn Fn(rusqlite::Error) -> Error,
    pub limit: Option<Limit>,
}

/// The time limit of a snapshot.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    pub until: Instant,
    pub limit_ms: u64,
}

impl Link for SqliteLink<'_> {
    fn fetch(
        &mut self,
        step: &[Query<'_>],
        each: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
    ) -> Result<()> {
        if let Some(limit) = self.limit.filter(|limit| Instant::now() > limit.until) {
            return Err(Error::SnapshotOver { limit_ms: limit.limit_ms });
        }
        for (index, (name, values)) in step.iter().enumerate() {
            let mut statement = self.connection.prepare_cached(text(name)).map_err(self.failed)?;
            let mut rows = statement.query(params_from_iter(values)).map_err(self.failed)?;
            while let Some(row) = rows.next().map_err(self.failed)? {
                each(index, row)?;
            }
        }
        Ok(())
    }

    fn exec(&mut self, name: &'static str, values: &[Value<'_>]) -> Result<()> {
        let mut statement = self.connection.prepare_cached(text(name)).map_err(self.failed)?;
        statement.execute(params_from_iter(values)).map_err(self.failed)?;
        Ok(())
    }
}

fn text(name: &str) -> &'static str {
    SQL.get(name).map(String::as_str).unwrap_or_default()
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(number) => ValueRef::Integer(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl Row for SqliteRow<'_> {
    fn cell(&self, index: usize) -> Got<Cell<'_>> {
        let value = self.get_ref(index).map_err(|error| Unfit::new(index, error.to_string()))?;
        match value {
            ValueRef::Null => Ok(Cell::Null),
            ValueRef::Integer(number) => Ok(Cell::Int(number)),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(Cell::Bytes(bytes)),
            ValueRef::Real(number) => Err(Unfit::new(index, format!("the number {number}"))),
        }
    }
}
