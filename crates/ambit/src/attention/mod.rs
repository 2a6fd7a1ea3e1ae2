//! Attention: what is in mind, recorded with every change, and asked back.
//!
//! Verbs that change something turn into commands as any other; what they answer names things by
//! number, and is told here in ids and names. Verbs that ask back read runs of rows and the events
//! they point to, never more than the answer shows.

mod answers;
mod ask;
mod at;
mod fork;
mod frames;
mod history;
mod moments;
mod objects;
mod past;
mod related;
mod revert;
mod tell;
mod tidy;
mod views;
mod why;

pub use answers::*;
pub use history::HistoryRequest;
pub use objects::{GetRequest, ObjectsRequest, PutRequest};
pub use revert::RevertRequest;
pub use views::ViewsRequest;

pub(crate) use at::not_a_moment;
pub(crate) use frames::mind_of_epoch;
pub(crate) use past::inherited_messages;
pub(crate) use related::with_mind;
