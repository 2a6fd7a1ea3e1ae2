//! Converts parameters and columns for PostgreSQL's protocol.

use std::error::Error;

use tokio_postgres::Row as PgRow;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::tables::{Cell, Got, Row, Unfit, Value};

/// A parameter of a queued statement.
#[derive(Clone, Debug)]
pub(super) enum Owned {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Owned {
    /// Returns the number, or `None` for a value that cannot identify a row.
    pub fn number(&self) -> i64 {
        match self {
            Owned::Int(number) => *number,
            Owned::Null | Owned::Text(_) | Owned::Bytes(_) => 0,
        }
    }
}

impl From<&Value<'_>> for Owned {
    fn from(value: &Value<'_>) -> Owned {
        match value {
            Value::Null => Owned::Null,
            Value::Int(number) => Owned::Int(*number),
            Value::Text(text) => Owned::Text((*text).to_string()),
            Value::Bytes(bytes) => Owned::Bytes(bytes.to_vec()),
        }
    }
}

impl ToSql for Owned {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Owned::Null => Ok(IsNull::Yes),
            Owned::Int(number) => number.to_sql(kind, out),
            Owned::Text(text) => text.to_sql(kind, out),
            Owned::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8, Type::TEXT, Type::BYTEA].contains(kind)
    }

    to_sql_checked!();
}

/// A parameter of a statement: one value, or an array of the values of many rows.
#[derive(Debug)]
pub(super) enum Param {
    One(Owned),
    Many(Vec<Owned>),
}

impl ToSql for Param {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Param::One(value) => value.to_sql(kind, out),
            Param::Many(values) => values.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        Owned::accepts(kind) || <Vec<Owned> as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

impl Row for PgRow {
    fn cell(&self, index: usize) -> Got<Cell<'_>> {
        let unfit = |error: tokio_postgres::Error| Unfit::new(index, error.to_string());
        let Some(column) = self.columns().get(index) else {
            return Err(Unfit::new(index, "nothing: the column is missing"));
        };
        let cell = match *column.type_() {
            Type::INT8 => self.try_get::<_, Option<i64>>(index).map_err(unfit)?.map(Cell::Int),
            Type::TEXT => {
                let text = self.try_get::<_, Option<&str>>(index).map_err(unfit)?;
                text.map(|text| Cell::Bytes(text.as_bytes()))
            }
            _ => self.try_get::<_, Option<&[u8]>>(index).map_err(unfit)?.map(Cell::Bytes),
        };
        Ok(cell.unwrap_or(Cell::Null))
    }
}
