//! Provenance: what happened, why, and which items were in mind. `history`, `views`, `why`,
//! `related`, `suggest` and `revert`.
//!
//! These verbs read ranges of rows and the events they reference, never more than the answer
//! shows.

pub(crate) mod history;
pub(crate) mod related;
pub(crate) mod revert;
pub(crate) mod views;
mod why;
