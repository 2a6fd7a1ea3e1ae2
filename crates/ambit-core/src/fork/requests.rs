//! Requests and answers about forks.

use serde::{Deserialize, Serialize};

use crate::command::{Decided, Verb};
use crate::decide::Draft;
use crate::redact::{Cleared, Redactor};
use crate::{Command, Context, Counted, Inherit, Millis, Needs, NoteRef};

/// Creates a subagent with a frame and a scope of its own.
#[derive(Clone, Debug)]
pub struct Fork {
    pub name: String,
    pub task: Counted,
    pub inherit: Inherit,
}

impl Verb for Fork {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.scopes.push(self.name.clone());
        needs.names.push(("actor", self.name.clone()));
        needs.for_note(&self.task);
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        part(self.inherit.as_str());
        ["fork", &self.name, &self.task.text].into_iter().for_each(part);
    }

    fn redacted(&self, by: &Redactor<'_>) -> Option<Cleared> {
        let (task, warnings) = by.text(&self.task)?;
        Some((Command::Fork(Fork { task, ..self.clone() }), warnings))
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.fork(&self.name, &self.task, self.inherit)
    }

    fn brings_texts(&self) -> bool {
        true
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkAnswer {
    pub actor: String,
    pub actor_id: String,
    pub scope: String,
    pub scope_id: String,
    /// The id of the subagent's own frame.
    pub frame: String,
    pub origin: String,
    pub inherit: Inherit,
    /// The number of items in its frame from the start.
    pub in_mind: i64,
    pub note: NoteRef,
    pub event: i64,
}

/// Ends a subagent and merges its stream into its parent's.
#[derive(Clone, Debug)]
pub struct Rejoin {
    /// The subagent; `None` for the caller itself.
    pub child: Option<String>,
    pub note: Option<Counted>,
    /// With the subagents below it.
    pub deep: bool,
}

impl Verb for Rejoin {
    fn needs(&self, context: &Context, needs: &mut Needs) {
        needs.subagent = Some(self.child.clone().unwrap_or_else(|| context.actor.clone()));
        needs.reach.streams = true;
        if let Some(note) = &self.note {
            needs.for_note(note);
        }
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        part(&self.deep.to_string());
        let note = self.note.as_ref().map_or("", |note| &note.text);
        ["rejoin", self.child.as_deref().unwrap_or_default(), note].into_iter().for_each(part);
    }

    fn redacted(&self, by: &Redactor<'_>) -> Option<Cleared> {
        let (note, warnings) = by.text(self.note.as_ref()?)?;
        Some((Command::Rejoin(Rejoin { note: Some(note), ..self.clone() }), warnings))
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        let child = self.child.as_ref().unwrap_or(&draft.context.actor);
        draft.rejoin(child, self.note.as_ref(), self.deep)
    }

    /// A rejoin may be repeated.
    fn by_ended_actor(&self) -> bool {
        true
    }

    fn brings_texts(&self) -> bool {
        self.note.is_some()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejoinAnswer {
    pub merged_at: Millis,
    pub child: String,
    pub child_scope: String,
    pub parent_scope: String,
    /// The view that both streams share.
    pub view: Option<String>,
    pub event: i64,
    /// Subagents below it that rejoined with it.
    pub also: Vec<String>,
}

/// Abandons a subagent.
#[derive(Clone, Debug)]
pub struct Abandon {
    pub child: String,
    /// With the subagents below it.
    pub deep: bool,
}

impl Verb for Abandon {
    fn needs(&self, _context: &Context, needs: &mut Needs) {
        needs.subagent = Some(self.child.clone());
    }

    fn digest(&self, part: &mut dyn FnMut(&str)) {
        ["abandon", &self.child, &self.deep.to_string()].into_iter().for_each(part);
    }

    fn redacted(&self, _by: &Redactor<'_>) -> Option<Cleared> {
        None
    }

    fn decide(&self, draft: &mut Draft<'_>) -> Decided {
        draft.abandon(&self.child, self.deep)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AbandonAnswer {
    pub child: String,
    pub child_scope: String,
    pub also: Vec<String>,
    pub event: i64,
}
