//! Requests and answers about objects.

use serde::{Deserialize, Serialize};

use crate::command::{Decided, Verb};
use crate::decide::Draft;
use crate::{Context, Counted, ItemNo, Needs, ScopeNo};

/// An object, or its next version.
#[derive(Clone, Debug)]
pub struct Put {
    /// Its id, or a name: then it may be new.
    pub object: String,
    /// Its type; none for that which it has.
    pub kind: Option<String>,
    pub text: Counted,
    /// Where a new object is put, instead of the primary scope.
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
    /// The event of the version before.
    pub parent: Option<i64>,
}

/// What a change had in mind. Names of things are looked up by who shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Captured {
    pub context: Vec<ItemNo>,
    pub context_frame: ScopeNo,
}

/// Reverts changes, each object's by a new version.
#[derive(Clone, Debug)]
pub struct Revert {
    pub backs: Vec<Back>,
    /// What was found that cannot be reverted.
    pub conflicts: Vec<RevertConflict>,
    /// How they were selected, in words.
    pub selection: String,
}

impl Verb for Revert {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.objects.extend(self.backs.iter().map(|back| back.object.clone()));
        needs.texts.extend(self.backs.iter().map(|back| back.text.text.clone()));
        needs.reach.frames = true;
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        // Part of the selection may have been reverted before: how it was selected counts.
        ["revert", &self.selection, ""].into_iter().for_each(part);
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.revert(&self.backs, &self.conflicts)
    }
}

/// An object that goes back to an earlier version.
#[derive(Clone, Debug)]
pub struct Back {
    /// Its id.
    pub object: String,
    /// The changes that are taken back, the latest first.
    pub events: Vec<i64>,
    /// How many versions it had when that was found.
    pub versions: i64,
    /// The version that is there again, and what it says.
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
    /// The changes taken back, the latest first.
    pub events: Vec<i64>,
    /// The version that is there again.
    pub back_to: i64,
    /// The version that says so; null for a preview.
    pub version: Option<i64>,
}

/// A change that is left alone.
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
