//! The model's forks, merges and tidying: the start and the end of subagents.

use super::model::{Actor, End, Frame, IDLE_MS, Model, Scope, View};
use super::scripts::{DAY_MS, Step};
use ambit::ActorKind;

/// The age at which a view is summarised.
const FOSSIL_MS: i64 = 90 * DAY_MS;

/// The names and views that are due for tidying.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Due {
    pub idle: Vec<String>,
    pub frames: Vec<String>,
    pub summaries: Vec<usize>,
}

impl Model {
    pub(crate) fn fork(&mut self, step: &Step, name: &str, task: &str, pin: &Option<String>) {
        let who = step.actor.as_str();
        let from = self.working(step).unwrap();
        let parent = self.actor(who).unwrap().clone();
        let mind = self.scope(&from).unwrap().mind.clone();
        self.act(who, pin, None, false);
        self.scopes.push(Scope { name: name.to_string(), mind, ..Scope::default() });
        self.actors.push(Actor {
            name: name.to_string(),
            kind: ActorKind::Subagent,
            active: vec![name.to_string()],
            primary: Some(name.to_string()),
            mind: parent.mind,
            broke: parent.broke,
            view: None,
            open: None,
            forked: Some((who.to_string(), from.clone())),
            end: None,
        });
        self.write(who, task, &from, pin, false, true);
    }

    pub fn ancestors(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut at = self.actor(name).and_then(|it| it.forked.clone());
        while let Some((parent, _)) = at {
            at = self.actor(&parent).and_then(|it| it.forked.clone());
            found.push(parent);
        }
        found
    }

    /// Returns a subagent and its running descendants, the deepest first.
    pub fn kin(&self, name: &str) -> Vec<String> {
        let mut found = vec![name.to_string()];
        let mut at = 0;
        while at < found.len() {
            let parent = found[at].clone();
            let below = self.actors.iter().filter(|it| {
                it.end.is_none() && it.forked.as_ref().is_some_and(|(by, _)| *by == parent)
            });
            found.extend(below.map(|it| it.name.clone()));
            at += 1;
        }
        found.reverse();
        found
    }

    pub(crate) fn rejoin(
        &mut self,
        who: &str,
        child: &str,
        note: Option<&str>,
        pin: &Option<String>,
    ) {
        // A repeated rejoin returns the first answer and does nothing.
        if self.actor(child).unwrap().end.is_some() {
            return;
        }
        self.ensure(who);
        // Into the scope it was forked from, or main if that was closed meanwhile.
        let (_, from) = self.actor(child).unwrap().forked.clone().unwrap();
        let into = if self.scope(&from).unwrap().closed { "main".to_string() } else { from };
        if let Some(text) = note {
            self.write(who, text, &into, pin, false, false);
        }
        for name in self.kin(child) {
            // The pinned scope may be one that was closed just now.
            let open = pin.clone().filter(|it| !self.scope(it).unwrap().closed);
            self.act(who, &open, None, true);
            self.merge(&name);
        }
    }

    fn merge(&mut self, child: &str) {
        let (parent, _) = self.actor(child).unwrap().forked.clone().unwrap();
        let previous = self.actor(&parent).unwrap().view;
        let own = self.actor(child).unwrap().view;
        let streams = [(&parent, previous), (&child.to_string(), own)];
        let streams = streams.map(|(name, prev)| (Frame::Actor(name.clone()), prev));
        self.views.push(View {
            actor: parent.clone(),
            previous,
            streams: streams.to_vec(),
            last: self.now,
            merge: true,
            ..View::default()
        });
        let view = Some(self.views.len() - 1);
        for actor in self.actors.iter_mut().filter(|it| it.name == child || it.name == parent) {
            (actor.view, actor.open) = (view, None);
        }
        self.close(child, End::Rejoined);
        self.actors.iter_mut().filter(|it| it.name == child).for_each(|it| it.mind.clear());
    }

    /// Closes a scope: all actors leave it, and their views end.
    fn close(&mut self, child: &str, end: End) {
        for actor in &mut self.actors {
            if actor.name == child {
                (actor.end, actor.open) = (Some(end), None);
                actor.active.clear();
                actor.primary = None;
            }
            if actor.active.iter().any(|it| it == child) {
                actor.active.retain(|it| it != child);
                actor.primary = actor.primary.take().filter(|it| it != child);
                actor.open = None;
            }
        }
        self.scopes.iter_mut().filter(|it| it.name == child).for_each(|it| it.closed = true);
    }

    pub(crate) fn abandon(&mut self, who: &str, child: &str, pin: &Option<String>) {
        for name in self.kin(child) {
            let open = pin.clone().filter(|it| !self.scope(it).unwrap().closed);
            self.act(who, &open, None, false);
            self.close(&name, End::Abandoned);
        }
    }

    pub fn due(&self) -> Due {
        let (idle, old) = (self.clock - IDLE_MS, self.clock - FOSSIL_MS);
        let is_idle = |it: &&Actor| it.open.as_ref().is_some_and(|open| open.time < idle);
        let gone = |it: &&Actor| it.end == Some(End::Abandoned) && !it.mind.is_empty();
        let names = |it: &Actor| it.name.clone();
        let open =
            |index: usize| self.actors.iter().any(|it| it.view == Some(index) && it.open.is_some());
        let summaries = (0..self.views.len()).filter(|index| {
            let view = &self.views[*index];
            !view.merge && !view.summary && view.last < old && !open(*index)
        });
        Due {
            idle: self.actors.iter().filter(is_idle).map(names).collect(),
            frames: self.actors.iter().filter(gone).map(names).collect(),
            summaries: summaries.collect(),
        }
    }

    pub(crate) fn tidy(&mut self, who: &str) {
        let due = self.due();
        if due == Due::default() {
            return;
        }
        self.ensure(who);
        for actor in &mut self.actors {
            if due.idle.contains(&actor.name) {
                actor.open = None;
            }
            if due.frames.contains(&actor.name) {
                actor.mind.clear();
            }
        }
        for index in due.summaries {
            self.views[index].summary = true;
        }
        self.act(who, &None, None, false);
    }
}
