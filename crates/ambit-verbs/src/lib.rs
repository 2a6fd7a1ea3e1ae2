//! The vocabulary of Ambit: every verb with its arguments, its answer and what it does.
//!
//! [`VERBS`] is the only list of verbs. The command line, MCP and the reference page are made from
//! it. A verb is one file in `verbs/`: a struct of arguments, and a function that runs it in a
//! [`Session`], which says which store, vault and actor are meant and who asks. No verb looks at
//! the environment or at a terminal.

mod arguments;
mod bars;
mod envelope;
mod failure;
mod files;
mod html;
mod output;
mod session;
mod table;
pub mod text;
mod verbs;
mod words;

pub use arguments::{Object, properties};
pub use bars::padded;
pub use envelope::{Envelope, envelope_schema};
pub use failure::{Failure, guarded};
pub use output::{Erased, Output};
pub use session::{Progress, Session};
pub use table::{Effect, Family, GROUPS, Group, Mcp, Verb, find};
pub use verbs::VERBS;
pub use words::{Interface, exit_code, hint, word};
