//! Requests and answers about frames.

use serde::{Deserialize, Serialize};

use crate::command::{Decided, Verb};
use crate::decide::Draft;
use crate::redact::{Cleared, Redactor};
use crate::{Context, ItemNo, Needs};

/// Visits an object or a note.
#[derive(Clone, Debug)]
pub struct Visit {
    pub object: Option<String>,
    pub note: Option<ItemNo>,
}

impl Verb for Visit {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.objects.extend(self.object.clone());
        needs.reach.frames = true;
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        let note = self.note.map(|item| item.to_string()).unwrap_or_default();
        ["get", self.object.as_deref().unwrap_or_default(), &note].into_iter().for_each(part);
    }

    fn redacted(&self, _by: &Redactor<'_>) -> Option<Cleared> {
        None
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.look(self.object.as_deref(), self.note)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisitAnswer {
    /// False for an object of a primitive type, which does not enter the frame.
    pub visited: bool,
    pub event: i64,
}

/// Breaks with what came before: earlier visits are no longer captured.
pub(crate) struct Break;

impl Verb for Break {
    fn needs(&self, _context: &Context, _needs: &mut Needs) {}

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["break", "", ""].into_iter().for_each(part);
    }

    fn redacted(&self, _by: &Redactor<'_>) -> Option<Cleared> {
        None
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.break_off()
    }
}
