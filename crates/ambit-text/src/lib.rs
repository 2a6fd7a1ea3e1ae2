//! Pure functions on text: [`tokens`] counts tokens, [`terms`] extracts search terms, and
//! [`redact`] removes secrets.

pub mod redact;
mod stem;
pub mod terms;
pub mod tokens;
