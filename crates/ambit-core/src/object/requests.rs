//! Requests and answers about objects.

use serde::{Deserialize, Serialize};

use crate::command::{Decided, Verb};
use crate::decide::Draft;
use crate::redact::{Cleared, Redactor};
use crate::{Command, Context, Counted, ItemNo, Needs, ScopeNo};

/// Creates an object, or writes its next version.
#[derive(Clone, Debug)]
pub struct Put {
    /// The object's id, or its name. A name may be that of a new object.
    pub object: String,
    /// The object's type; `None` keeps the type it has.
    pub kind: Option<String>,
    pub text: Counted,
    /// The scope of a new object, instead of the primary scope.
    pub scope: Option<String>,
}

impl Verb for Put {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.objects.push(self.object.clone());
        needs.scopes.extend(self.scope.clone());
        needs.reach.frames = true;
        needs.texts.push(self.text.text.clone());
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        part(self.kind.as_deref().unwrap_or_default());
        part(self.scope.as_deref().unwrap_or_default());
        ["put", &self.object, &self.text.text].into_iter().for_each(part);
    }

    fn redacted(&self, by: &Redactor<'_>) -> Option<Cleared> {
        let (text, warnings) = by.text(&self.text)?;
        Some((Command::Put(Put { text, ..self.clone() }), warnings))
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.put(self)
    }

    fn brings_texts(&self) -> bool {
        true
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutAnswer {
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub version: i64,
    pub event: i64,
    pub delta: Captured,
    /// The event of the previous version.
    pub parent: Option<i64>,
}

/// The capture of a change. Interfaces look up the names of its items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Captured {
    pub context: Vec<ItemNo>,
    pub context_frame: ScopeNo,
}

/// Reverts changes by writing a new version of each object.
#[derive(Clone, Debug)]
pub struct Revert {
    pub objects: Vec<ObjectRevert>,
    /// The changes that were found and cannot be reverted.
    pub conflicts: Vec<RevertConflict>,
    /// The selection of the changes, as text.
    pub selection: String,
}

impl Verb for Revert {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.objects.extend(self.objects.iter().map(|it| it.object.clone()));
        needs.texts.extend(self.objects.iter().map(|it| it.text.text.clone()));
        needs.reach.frames = true;
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        // The selection itself, because part of what it selects may have been reverted before.
        ["revert", &self.selection, ""].into_iter().for_each(part);
    }

    /// A revert only uses texts that are stored already.
    fn redacted(&self, _by: &Redactor<'_>) -> Option<Cleared> {
        None
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.revert(&self.objects, &self.conflicts)
    }
}

/// The revert of one object to an earlier version.
#[derive(Clone, Debug)]
pub struct ObjectRevert {
    /// The object's id.
    pub object: String,
    /// The changes to revert, the latest first.
    pub events: Vec<i64>,
    /// The object's number of versions when the changes were found.
    pub versions: i64,
    /// The version to restore, and its text.
    pub to: i64,
    pub text: Counted,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevertedAnswer {
    pub reverted: Vec<RevertLine>,
    pub conflicts: Vec<RevertConflict>,
    pub event: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RevertLine {
    pub id: String,
    pub name: String,
    /// The reverted changes, the latest first.
    pub events: Vec<i64>,
    /// The version that was restored.
    pub back_to: i64,
    /// The new version; null for a preview.
    pub version: Option<i64>,
}

/// A change that cannot be reverted, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RevertConflict {
    pub id: String,
    pub name: String,
    pub event: i64,
    pub why: String,
}

/// Adds an object to a scope, or takes it out.
#[derive(Clone, Debug)]
pub struct Place {
    pub object: String,
    pub scope: String,
    pub out: bool,
}

impl Verb for Place {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.objects.push(self.object.clone());
        needs.scopes.push(self.scope.clone());
        needs.reach.frames = true;
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        part(&self.out.to_string());
        ["place", &self.object, &self.scope].into_iter().for_each(part);
    }

    fn redacted(&self, _by: &Redactor<'_>) -> Option<Cleared> {
        None
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.place(&self.object, &self.scope, self.out)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceAnswer {
    pub id: String,
    pub name: String,
    pub scope: String,
    pub out: bool,
    pub event: i64,
    pub delta: Captured,
}
