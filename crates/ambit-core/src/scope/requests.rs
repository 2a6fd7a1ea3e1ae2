//! Requests and answers about scopes, and about presence in them.

use serde::{Deserialize, Serialize};

use crate::command::{Decided, Verb};
use crate::decide::Draft;
use crate::redact::{Cleared, Redactor};
use crate::{Command, Context, Counted, Needs};

/// Opens a new scope and goes there.
#[derive(Clone, Debug)]
pub struct OpenScope {
    pub name: String,
    pub note: Counted,
}

impl Verb for OpenScope {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.scopes.push(self.name.clone());
        needs.for_note(&self.note);
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["scope", &self.name, &self.note.text].into_iter().for_each(part);
    }

    fn redacted(&self, by: &Redactor<'_>) -> Option<Cleared> {
        let (note, warnings) = by.text(&self.note)?;
        Some((Command::Scope(OpenScope { note, ..self.clone() }), warnings))
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.scope(&self.name, &self.note)
    }

    fn brings_texts(&self) -> bool {
        true
    }
}

/// Goes to an open scope.
#[derive(Clone, Debug)]
pub struct Goto {
    pub name: String,
    pub note: Counted,
}

impl Verb for Goto {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.scopes.push(self.name.clone());
        needs.for_note(&self.note);
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["goto", &self.name, &self.note.text].into_iter().for_each(part);
    }

    fn redacted(&self, by: &Redactor<'_>) -> Option<Cleared> {
        let (note, warnings) = by.text(&self.note)?;
        Some((Command::Goto(Goto { note, ..self.clone() }), warnings))
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.goto(&self.name, &self.note)
    }

    fn brings_texts(&self) -> bool {
        true
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SwitchAnswer {
    pub scope: String,
    pub origin: String,
    pub note: NoteRef,
    pub head: i64,
    /// The number of turns of a pending chain that were carried along.
    pub carried: i64,
    #[serde(default)]
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NoteRef {
    pub hash: String,
}

/// Makes a scope active.
#[derive(Clone, Debug)]
pub struct Enter {
    pub scope: String,
}

impl Verb for Enter {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.scopes.push(self.scope.clone());
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["enter", &self.scope, ""].into_iter().for_each(part);
    }

    fn redacted(&self, _by: &Redactor<'_>) -> Option<Cleared> {
        None
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.enter(&self.scope)
    }
}

/// Deactivates a scope.
#[derive(Clone, Debug)]
pub struct Leave {
    pub scope: String,
}

impl Verb for Leave {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.scopes.push(self.scope.clone());
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["leave", &self.scope, ""].into_iter().for_each(part);
    }

    fn redacted(&self, _by: &Redactor<'_>) -> Option<Cleared> {
        None
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.leave(&self.scope)
    }
}

/// Makes an active scope the primary one.
#[derive(Clone, Debug)]
pub struct Focus {
    pub scope: String,
}

impl Verb for Focus {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.scopes.push(self.scope.clone());
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["focus", &self.scope, ""].into_iter().for_each(part);
    }

    fn redacted(&self, _by: &Redactor<'_>) -> Option<Cleared> {
        None
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.focus(&self.scope)
    }
}

/// An actor's scopes after enter, leave, focus or a break.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StandsAnswer {
    /// The scope that the command named.
    pub scope: Option<String>,
    pub primary_scope: Option<String>,
    /// Most recently entered first.
    pub active_scopes: Vec<String>,
    /// The event that changed the actor's scopes.
    pub event: i64,
}
