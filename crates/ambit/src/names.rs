//! Translates numbers of items, scopes, actors and views to the ids and names that people use.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::{
    ActorNo, Event, ItemKind, ItemNo, Logged, Millis, ScopeNo, Stored, Target, ViewNo, rfc3339,
};
use ambit_store::{Snapshot, Thing};

use crate::{ActionLine, Error, Result, ThingLine};

/// The length of the beginning of a note that is used as its name.
const NAME_CHARS: usize = 60;

/// An id, a name, and the name of a scope.
type TargetNames = (Option<String>, Option<String>, Option<String>);

/// A cache of names by number: each number is looked up once.
#[derive(Default)]
pub(crate) struct Names {
    things: BTreeMap<ItemNo, ThingLine>,
    scopes: BTreeMap<ScopeNo, (String, Option<String>)>,
    actors: BTreeMap<ActorNo, (String, String)>,
    views: BTreeMap<ViewNo, String>,
}

impl Names {
    pub fn load_things(
        &mut self,
        snapshot: &mut dyn Snapshot,
        items: impl IntoIterator<Item = ItemNo>,
    ) -> Result<()> {
        let wanted: BTreeSet<_> = items.into_iter().collect();
        let new: Vec<_> = wanted.into_iter().filter(|it| !self.things.contains_key(it)).collect();
        for thing in snapshot.things(&new)? {
            self.things.insert(thing.item, thing_line(&thing));
        }
        match new.iter().find(|item| !self.things.contains_key(item)) {
            Some(item) => Err(missing("item", item)),
            None => Ok(()),
        }
    }

    pub fn thing(&self, item: ItemNo) -> Option<&ThingLine> {
        self.things.get(&item)
    }

    pub fn ids(&self, items: &[ItemNo]) -> Vec<String> {
        items.iter().filter_map(|item| self.thing(*item)).map(|it| it.id.clone()).collect()
    }

    /// Returns a scope's id, and its name unless the scope is an actor's home.
    pub fn scope(
        &mut self,
        snapshot: &mut dyn Snapshot,
        scope: ScopeNo,
    ) -> Result<(String, Option<String>)> {
        if let Some(known) = self.scopes.get(&scope) {
            return Ok(known.clone());
        }
        let names = match snapshot.scopes_numbered(&[scope])?.pop() {
            Some(row) => (row.id, row.name),
            // The vault's own scope gets a row with its first insight.
            None if scope == ScopeNo::VAULT => Default::default(),
            None => return Err(missing("scope", scope)),
        };
        self.scopes.insert(scope, names.clone());
        Ok(names)
    }

    pub fn scope_names(
        &mut self,
        snapshot: &mut dyn Snapshot,
        scopes: &[ScopeNo],
    ) -> Result<Vec<String>> {
        let name = |scope: &ScopeNo| Ok(self.scope(snapshot, *scope)?.1.unwrap_or_default());
        scopes.iter().map(name).collect()
    }

    /// Returns an actor's id and name.
    pub fn actor(
        &mut self,
        snapshot: &mut dyn Snapshot,
        actor: ActorNo,
    ) -> Result<(String, String)> {
        if let Some(known) = self.actors.get(&actor) {
            return Ok(known.clone());
        }
        let names = match snapshot.actors(&[actor])?.pop() {
            Some(row) => (row.id, row.name),
            None if actor == ActorNo::SYSTEM => Default::default(),
            None => return Err(missing("actor", actor)),
        };
        self.actors.insert(actor, names.clone());
        Ok(names)
    }

    pub fn view(&mut self, snapshot: &mut dyn Snapshot, view: ViewNo) -> Result<String> {
        if let Some(known) = self.views.get(&view) {
            return Ok(known.clone());
        }
        let id = snapshot.view(view)?.ok_or_else(|| missing("view", view))?.id;
        self.views.insert(view, id.clone());
        Ok(id)
    }

    /// Describes an event as one action of a view.
    pub fn action(&mut self, snapshot: &mut dyn Snapshot, event: &Event) -> Result<ActionLine> {
        let what = &event.body.what;
        let (target, name, scope) = self.target(snapshot, event)?;
        let visited = what.visit().map(|(item, _)| item);
        self.load_things(snapshot, visited)?;
        Ok(ActionLine {
            of_type: what.word(),
            target,
            name,
            scope,
            timestamp: rfc3339(event.time),
            visited: self.ids(visited.as_slice()),
            event: event.seq,
        })
    }

    /// Returns the id and the name of what an event applied to, and its scope's name.
    fn target(&mut self, snapshot: &mut dyn Snapshot, event: &Event) -> Result<TargetNames> {
        Ok(match event.body.what.target() {
            Target::Item(item, scope) => {
                self.load_things(snapshot, [item])?;
                let line = self.thing(item).cloned();
                let scope = match scope {
                    Some(scope) => self.scope(snapshot, scope)?.1,
                    None => None,
                };
                (line.as_ref().map(|it| it.id.clone()), line.map(|it| it.name), scope)
            }
            Target::Scope(scope) => {
                let (id, name) = self.scope(snapshot, scope)?;
                (Some(id).filter(|id| !id.is_empty()), name, None)
            }
            Target::Actor(actor) => {
                let (id, name) = self.actor(snapshot, actor)?;
                (Some(id), Some(name), None)
            }
            Target::Turn => (Some(event.seq.to_string()), None, None),
            Target::Named(name, None) => (None, Some(name.to_string()), None),
            Target::Named(name, Some(scope)) => {
                let id = self.scope(snapshot, scope)?.0;
                (Some(id).filter(|id| !id.is_empty()), Some(name.to_string()), None)
            }
            Target::Nothing => (None, None, None),
        })
    }
}

pub(crate) fn thing_line(thing: &Thing) -> ThingLine {
    match (&thing.object, &thing.hash) {
        (Some(object), _) => ThingLine {
            id: object.id.clone(),
            kind: ItemKind::Object.as_str(),
            name: object.name.clone(),
            of_type: object.kind.clone(),
        },
        (None, hash) => ThingLine {
            id: hash.map(|hash| hash.to_hex()).unwrap_or_default(),
            kind: ItemKind::Note.as_str(),
            name: match thing.forgotten {
                Some(seq) => format!("[forgotten by event {seq}]"),
                None => first_words(&thing.text),
            },
            of_type: "note".to_string(),
        },
    }
}

/// Returns the beginning of a text as one line.
pub(crate) fn first_words(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = line.trim();
    match line.char_indices().nth(NAME_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_string(),
    }
}

/// Parses a stored event.
pub(crate) fn parsed(stored: Stored) -> Result<Logged> {
    let seq = stored.seq;
    stored.parse().map_err(|error| Error::damaged(format!("event {seq}: {error}")))
}

/// Returns the error for a missing row.
pub(crate) fn missing(what: &str, number: impl std::fmt::Display) -> Error {
    Error::damaged(format!("the row of {what} {number} is missing"))
}

/// Returns the time of an event.
pub(crate) fn time_of(snapshot: &mut dyn Snapshot, seq: i64) -> Result<Millis> {
    snapshot.time_of(seq)?.ok_or_else(|| missing("event", seq))
}

/// Reads one event.
pub(crate) fn event(snapshot: &mut dyn Snapshot, seq: i64) -> Result<Option<Logged>> {
    let found = snapshot.events(seq - 1, 1)?.into_iter().next();
    found.filter(|it| it.seq == seq).map(parsed).transpose()
}
