//! Errors for messages that are not in the stated format.

use std::fmt;

use crate::Format;

/// A message that cannot be parsed: its index and the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The index of the message in the given list, from 0.
    pub index: usize,
    pub format: Format,
    pub problem: Problem,
}

/// The problem of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    NotAnObject,
    RoleMissing,
    RoleUnknown {
        role: String,
        expected: &'static str,
    },
    /// A field that is missing or does not hold the expected value.
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
