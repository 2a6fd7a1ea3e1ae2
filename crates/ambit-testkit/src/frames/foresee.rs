//! The model's prediction of refusals.

use ambit::{ActorKind, Kind};

use super::kin::Due;
use super::model::{Actor, End, Model};
use super::scripts::{Op, Step, kind_of};

impl Model {
    /// Returns every reason to refuse a step; no reason means that it must be accepted.
    pub fn refusals(&self, step: &Step) -> Vec<Kind> {
        let mut why = self.reasons(step);
        let ended = self.actor(&step.actor).is_some_and(|actor| actor.end.is_some());
        let acts = match &step.op {
            // An ended subagent may still look.
            Op::Get { .. } | Op::GetNote { .. } | Op::Rejoin { .. } | Op::Restart => false,
            Op::Tidy => self.due() != Due::default(),
            _ => true,
        };
        if ended && acts {
            why.push(Kind::Refused);
        }
        why
    }

    fn reasons(&self, step: &Step) -> Vec<Kind> {
        match &step.op {
            Op::Put { name, kind, text, into } => self.put_refused(step, name, kind, text, into),
            Op::Get { name, .. } if self.object(name).is_none() => vec![Kind::NotFound],
            Op::GetNote { .. } if self.notes.is_empty() => vec![Kind::NotFound],
            Op::Place { name, scope, out } => {
                let mut why = self.closed(scope);
                match self.object(name) {
                    None => why.push(Kind::NotFound),
                    Some(object) if object.places.contains(scope) != *out => {
                        why.push(Kind::Conflict);
                    }
                    Some(_) => {}
                }
                why
            }
            Op::Note { text } => [self.no_work(step), empty(text)].concat(),
            Op::Append { .. } => self.no_work(step),
            Op::Enter { scope } => {
                let twice = self.active(&step.actor).contains(scope);
                [pinned(step), self.closed(scope), given(twice, Kind::Conflict)].concat()
            }
            Op::Leave { scope } | Op::Focus { scope } => {
                let unknown = given(self.scope(scope).is_none(), Kind::NotFound);
                let inactive = !self.active(&step.actor).contains(scope);
                [pinned(step), unknown, given(inactive, Kind::Conflict)].concat()
            }
            Op::Scope { name, note } => {
                let taken = given(self.scope(name).is_some(), Kind::Conflict);
                [pinned(step), self.no_work(step), empty(note), taken].concat()
            }
            Op::Goto { name, note } => {
                let here = given(self.working(step).as_ref() == Some(name), Kind::Conflict);
                let there = self.closed(name);
                [pinned(step), self.no_work(step), empty(note), there, here].concat()
            }
            Op::Fork { name, task, .. } => {
                let taken = self.scope(name).is_some() || self.actor(name).is_some();
                let taken = taken || *name == step.actor;
                [self.no_work(step), empty(task), given(taken, Kind::Conflict)].concat()
            }
            Op::Rejoin { child, note, deep } => {
                let child = child.as_deref().unwrap_or(&step.actor);
                self.rejoin_refused(&step.actor, child, note.as_deref(), *deep)
            }
            Op::Abandon { child, deep } => self.abandon_refused(&step.actor, child, *deep),
            _ => Vec::new(),
        }
    }

    fn put_refused(
        &self,
        step: &Step,
        name: &str,
        kind: &Option<String>,
        text: &str,
        into: &Option<String>,
    ) -> Vec<Kind> {
        match self.object(name) {
            Some(object) => {
                let other = kind.as_ref().is_some_and(|kind| *kind != object.kind);
                [
                    given(other || object.text == text, Kind::Conflict),
                    given(into.is_some(), Kind::Usage),
                ]
                .concat()
            }
            None => match into {
                Some(scope) => self.closed(scope),
                None => self.no_work(step),
            },
        }
    }

    /// Returns why the caller cannot write in its scope.
    fn no_work(&self, step: &Step) -> Vec<Kind> {
        match self.working(step) {
            Some(scope) => self.closed(&scope),
            None => vec![Kind::Refused],
        }
    }

    fn closed(&self, scope: &str) -> Vec<Kind> {
        match self.scope(scope) {
            None => vec![Kind::NotFound],
            Some(scope) => given(scope.closed, Kind::Refused),
        }
    }

    /// Returns the subagent if the caller may end it: itself, its ancestors, and operators.
    fn may_end(&self, who: &str, child: &str) -> Option<&Actor> {
        let kind = self.actor(who).map_or(kind_of(who), |actor| actor.kind);
        let child = self.actor(child).filter(|it| it.forked.is_some())?;
        let related = child.name == who || self.ancestors(&child.name).iter().any(|it| it == who);
        (related || kind == ActorKind::Operator).then_some(child)
    }

    fn rejoin_refused(&self, who: &str, child: &str, note: Option<&str>, deep: bool) -> Vec<Kind> {
        let Some(child) = self.may_end(who, child) else {
            return vec![Kind::NotFound];
        };
        match child.end {
            Some(End::Abandoned) => vec![Kind::Refused],
            Some(End::Rejoined) => Vec::new(),
            None => [self.above(&child.name, deep), empty(note.unwrap_or("some"))].concat(),
        }
    }

    fn abandon_refused(&self, who: &str, child: &str, deep: bool) -> Vec<Kind> {
        let Some(child) = self.may_end(who, child) else {
            return vec![Kind::NotFound];
        };
        let over = child.end.is_some() || child.name == who;
        [given(over, Kind::Refused), self.above(&child.name, deep)].concat()
    }

    fn above(&self, child: &str, deep: bool) -> Vec<Kind> {
        given(!deep && self.kin(child).len() > 1, Kind::Refused)
    }
}

fn given(holds: bool, kind: Kind) -> Vec<Kind> {
    if holds { vec![kind] } else { Vec::new() }
}

fn pinned(step: &Step) -> Vec<Kind> {
    given(step.pin.is_some(), Kind::Refused)
}

fn empty(text: &str) -> Vec<Kind> {
    given(text.trim().is_empty(), Kind::Usage)
}
