//! A turn as it is to be shown: its blocks, whole or cut, under the ids they are to have.

use std::borrow::Cow;

use crate::json::Json;
use crate::{Form, Role};

/// What kind of call a reply answers, where formats tell them apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallKind {
    /// Arguments in JSON.
    #[default]
    Function,
    /// A text of any kind.
    Custom,
    /// An item of its own kind, which only its own format knows.
    Whole,
}

/// One block as it is to be shown.
#[derive(Clone, Debug)]
pub struct ShownBlock<'a> {
    pub form: Form,
    /// The text, or what stands for it; of a whole part, its JSON.
    pub text: Cow<'a, str>,
    /// A text that stands for a whole part.
    pub instead: Option<Cow<'a, str>>,
    /// The id under which a call is shown, or the call that a reply answers. Without one a call is
    /// left out, and a reply is a text.
    pub id: Option<String>,
    /// What kind of call a reply answers.
    pub answers: CallKind,
}

/// A turn that is to be written.
pub struct ShownTurn<'a> {
    pub role: Role,
    pub shape: Option<&'a str>,
    pub blocks: Vec<ShownBlock<'a>>,
    /// Only what providers know: other fields are left out.
    pub bare: bool,
    /// Makes the handle by which a block is read back, where it must be named.
    pub handle: &'a dyn Fn(usize) -> String,
}

impl<'a> ShownTurn<'a> {
    /// The block whose number stands in a slot.
    pub fn at(&self, slot: &Json) -> Option<(usize, &ShownBlock<'a>)> {
        let number = usize::try_from(slot.as_u64()?).ok()?;
        self.blocks.get(number).map(|block| (number, block))
    }

    /// Names a part that a format cannot carry. Empty where the part is.
    pub(crate) fn named(&self, at: usize) -> String {
        let block = &self.blocks[at];
        match &block.instead {
            Some(text) => text.to_string(),
            None if block.text.is_empty() => String::new(),
            None => format!("[{} {}]", block.form.as_str(), (self.handle)(at)),
        }
    }
}
