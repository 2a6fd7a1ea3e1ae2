//! Wire formats: the message formats of the providers.
//!
//! [`parse`] splits a message into a [`Turn`]: its blocks, each a separate text, and its shape, the
//! rest of the message with numbers instead of blocks. [`restore`] returns the original message. A
//! [`RequestWriter`] writes turns as a provider accepts them: in their own format or, by their
//! elements, in another. [`check`] reports what a provider would refuse, and [`transcripts`] reads
//! the conversation files of agents.

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
