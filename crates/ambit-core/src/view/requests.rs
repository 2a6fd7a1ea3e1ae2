//! Requests and answers about views.

use serde::{Deserialize, Serialize};

use crate::command::{Decided, Verb};
use crate::decide::Draft;
use crate::{Context, Fossil, Needs, ScopeNo, ViewEnded};

/// What is due to be tidied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// The vault's head when it was found: later it may have been done.
    pub head: i64,
    pub ended: Vec<ViewEnded>,
    pub frames: Vec<ScopeNo>,
    pub fossils: Vec<Fossil>,
}

impl Verb for Due {
    fn needs(&self, _context: &Context, _needs: &mut Needs) {}

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["tidy", &format!("{self:?}"), ""].into_iter().for_each(part);
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.tidy(self)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TidyAnswer {
    pub ended: i64,
    pub frames: i64,
    pub fossils: i64,
}
