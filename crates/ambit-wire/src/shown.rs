//! The input of the writer: a turn with its blocks, whole or cut, and the ids to show them under.

use std::borrow::Cow;

use crate::json::Json;
use crate::{Form, Role};

/// The kind of call that a reply answers, for formats that distinguish kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallKind {
    /// Arguments in JSON.
    #[default]
    Function,
    /// Any text.
    Custom,
    /// An item that exists only in its own format.
    Whole,
}

/// One block to show.
#[derive(Clone, Debug)]
pub struct ShownBlock<'a> {
    pub form: Form,
    /// The text or its stub; for a whole part, its JSON.
    pub text: Cow<'a, str>,
    /// A text shown instead of a whole part.
    pub instead: Option<Cow<'a, str>>,
    /// The id of a call, or of the call that a reply answers. Without an id, a call is left out and
    /// a reply is shown as text.
    pub id: Option<String>,
    /// The kind of call that a reply answers.
    pub answers: CallKind,
}

/// A turn to write.
pub struct ShownTurn<'a> {
    pub role: Role,
    pub shape: Option<&'a str>,
    pub blocks: Vec<ShownBlock<'a>>,
    /// Whether to leave out fields that providers do not know.
    pub bare: bool,
    /// Creates the handle of a block that has to be named.
    pub handle: &'a dyn Fn(usize) -> String,
}

impl<'a> ShownTurn<'a> {
    /// Returns the block for a number in a shape.
    pub fn at(&self, slot: &Json) -> Option<(usize, &ShownBlock<'a>)> {
        let number = usize::try_from(slot.as_u64()?).ok()?;
        self.blocks.get(number).map(|block| (number, block))
    }

    /// Names a part that a format does not support. Returns an empty text for an empty part.
    pub(crate) fn named(&self, at: usize) -> String {
        let block = &self.blocks[at];
        match &block.instead {
            Some(text) => text.to_string(),
            None if block.text.is_empty() => String::new(),
            None => format!("[{} {}]", block.form.as_str(), (self.handle)(at)),
        }
    }
}
