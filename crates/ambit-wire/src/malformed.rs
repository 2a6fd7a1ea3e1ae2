//! Messages that are not in the format they are said to be in.

use std::fmt;

use crate::Format;

/// A message that cannot be read: which one, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The message's place in the list that was given, from 0.
    pub index: usize,
    pub format: Format,
    pub problem: Problem,
}

/// What is wrong with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    NotAnObject,
    RoleMissing,
    RoleUnknown {
        role: String,
        expected: &'static str,
    },
    /// A field that is missing or holds something else than what is expected.
    Field {
        /// The object that has the field.
        of: &'static str,
        field: &'static str,
        expected: &'static str,
    },
}

impl Problem {
    pub(crate) fn field(of: &'static str, field: &'static str, expected: &'static str) -> Problem {
        Problem::Field { of, field, expected }
    }

    pub(crate) fn in_message(self, format: Format, index: usize) -> Malformed {
        Malformed { index, format, problem: self }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::NotAnObject => f.write_str("expected a JSON object"),
            Problem::RoleMissing => f.write_str("the message has no role"),
            Problem::RoleUnknown { role, expected } => {
                write!(f, "invalid role {role:?}: expected {expected}")
            }
            Problem::Field { of, field, expected } => {
                write!(f, "invalid {field:?} of {of}: expected {expected}")
            }
        }
    }
}

impl std::error::Error for Malformed {}
