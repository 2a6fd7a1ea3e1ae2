//! Requests and answers about settings.

use serde::{Deserialize, Serialize};

use crate::command::{Decided, Verb};
use crate::decide::Draft;
use crate::redact::{Cleared, Redactor};
use crate::{Context, Needs};

/// Changes a setting of the vault or of the pinned scope. Without a value, resets it.
#[derive(Clone, Debug)]
pub struct ChangeSetting {
    pub name: String,
    pub value: Option<String>,
}

impl Verb for ChangeSetting {
    fn needs(&self, _context: &Context, _needs: &mut Needs) {}

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["settings", &self.name, self.value.as_deref().unwrap_or_default()]
            .into_iter()
            .for_each(part);
    }

    fn redacted(&self, _by: &Redactor<'_>) -> Option<Cleared> {
        None
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.set(&self.name, self.value.as_deref())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SetAnswer {
    pub name: String,
    pub value: String,
    /// The scope it was set for; null for the vault.
    pub scope: Option<String>,
}
