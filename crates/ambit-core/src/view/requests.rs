//! Requests and answers about views.

use serde::{Deserialize, Serialize};

use crate::command::{Decided, Verb};
use crate::decide::Draft;
use crate::redact::{Cleared, Redactor};
use crate::{Context, Fossil, Needs, ScopeNo, ViewEnded};

/// Does the housekeeping that was found to be due.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tidy {
    /// The vault's head when the work was found. After any later event, it may already be done.
    pub head: i64,
    pub ended: Vec<ViewEnded>,
    pub frames: Vec<ScopeNo>,
    pub fossils: Vec<Fossil>,
}

impl Verb for Tidy {
    fn needs(&self, _context: &Context, _needs: &mut Needs) {}

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["tidy", &format!("{self:?}"), ""].into_iter().for_each(part);
    }

    fn redacted(&self, _by: &Redactor<'_>) -> Option<Cleared> {
        None
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
