//! Pure functions on text: [`tokens`] counts them, [`terms`] makes what a text is searched by, and
//! [`redact`] takes secrets out.

pub mod redact;
mod stem;
pub mod terms;
pub mod tokens;
