//! The values of statements and rows: integers, text and bytes.

use crate::Error;
use crate::statements::table_of;

/// A statement's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Null,
    Int(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl Value<'_> {
    /// Returns whether the value is a text that contains NUL.
    pub fn has_nul(&self) -> bool {
        matches!(self, Value::Text(text) if text.contains('\0'))
    }
}

/// A list of parameters.
macro_rules! values {
    ($($value:expr),* $(,)?) => { [$($crate::tables::Value::from($value)),*] };
}
pub(crate) use values;

macro_rules! value_from {
    ($($from:ty, $it:ident => $value:expr;)+) => {
        $(impl<'a> From<$from> for Value<'a> {
            fn from($it: $from) -> Self { $value }
        })+
    };
}

value_from! {
    i64, it => Value::Int(it);
    &'a i64, it => Value::Int(*it);
    bool, it => Value::Int(i64::from(it));
    &'a str, it => Value::Text(it);
    &'a String, it => Value::Text(it);
    &'a [u8], it => Value::Bytes(it);
    &'a Vec<u8>, it => Value::Bytes(it);
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(it: Option<T>) -> Self {
        it.map_or(Value::Null, Into::into)
    }
}

/// One column of a row. The reader of a column checks whether its bytes are text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell<'a> {
    Null,
    Int(i64),
    Bytes(&'a [u8]),
}

/// One row of an answer.
pub(crate) trait Row {
    fn cell(&self, index: usize) -> Got<Cell<'_>>;
}

pub(crate) type Got<T> = std::result::Result<T, Unfit>;

/// A column with a value that Ambit never writes there.
#[derive(Debug)]
pub(crate) struct Unfit {
    pub index: usize,
    pub what: String,
}

impl Unfit {
    pub fn new(index: usize, what: impl Into<String>) -> Self {
        Unfit { index, what: what.into() }
    }

    /// Describes the damage, naming the table that a statement reads.
    pub fn describe(self, statement: &str) -> String {
        let table = table_of(statement);
        let Unfit { index, what } = self;
        format!("a row of {table} cannot be read: column {index} holds {what}")
    }

    /// Converts to the error for damaged data.
    pub fn of(self, statement: &str) -> Error {
        Error::Damaged(self.describe(statement))
    }
}
