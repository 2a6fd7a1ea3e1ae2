//! Provenance: what happened, why, and what was in mind then. `history`, `views`, `why`, `related`,
//! `suggest` and `revert`.
//!
//! Verbs that ask back read runs of rows and the events they reference, never more than the answer
//! shows.

pub(crate) mod history;
pub(crate) mod related;
pub(crate) mod revert;
pub(crate) mod views;
mod why;
