//! Wire formats: how providers write a conversation.
//!
//! [`parse`] takes a message apart: it becomes a [`Turn`] of blocks, each a text of its own, and a
//! shape, which is the rest of the message with numbers in the place of blocks. [`restore`] gives
//! the message back as it was. A [`RequestWriter`] writes turns as a provider accepts them: in the
//! format they came in, or, by their elements, in another. [`check`] says what a provider would
//! refuse, and [`transcripts`] reads conversations as agents keep them.

mod accepted;
pub mod anthropic;
pub mod check;
mod elements;
pub mod forgotten;
mod format;
pub mod json;
mod kinds;
mod malformed;
mod media;
mod message;
mod names;
pub mod openai;
pub mod responses;
mod shown;
pub mod transcripts;
mod writer;

pub use elements::{Call, calls};
pub use format::{Format, is_own_format};
pub use kinds::{Form, Role};
pub use malformed::{Malformed, Problem};
pub use message::{MEDIA_TOKENS, MESSAGE_TOKENS, Turn, TurnBlock, parse, plain, restore};
pub use names::shown_id;
pub use shown::{CallKind, ShownBlock, ShownTurn};
pub use writer::{RequestWriter, Written};
