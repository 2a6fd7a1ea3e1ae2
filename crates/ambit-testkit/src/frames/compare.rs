//! Compares a store's rows and log with the model, in the model's terms.

use std::collections::BTreeMap;

use ambit_core::{ActorNo, Fate, ItemNo, Logged, ScopeNo, ViewNo};
use ambit_store::Rows;

use super::model::{End, Frame, Model, Thing};

/// The names for the numbers in rows.
pub struct Names<'a> {
    rows: &'a Rows,
    /// Notes in the order in which they were written.
    notes: BTreeMap<ItemNo, usize>,
    views: BTreeMap<ViewNo, usize>,
}

impl<'a> Names<'a> {
    pub fn new(rows: &'a Rows) -> Names<'a> {
        let mut notes: Vec<_> = rows.notes.values().map(|row| (row.seq, row.item)).collect();
        notes.sort();
        let notes = (0..).zip(notes).map(|(index, (_, item))| (item, index)).collect();
        let views = rows.views.keys().copied().zip(0..).collect();
        Names { rows, notes, views }
    }

    fn actor(&self, actor: ActorNo) -> String {
        self.rows.actors.get(&actor).map_or_else(|| format!("{actor:?}"), |row| row.name.clone())
    }

    fn frame(&self, frame: ScopeNo) -> Frame {
        let row = self.rows.scopes.get(&frame);
        let owner = row.and_then(|row| row.owner);
        match (row.and_then(|row| row.name.clone()), owner) {
            (Some(name), _) => Frame::Scope(name),
            (None, Some(owner)) => Frame::Actor(self.actor(owner)),
            (None, None) => Frame::Actor(format!("nobody's {frame:?}")),
        }
    }

    fn scope(&self, scope: ScopeNo) -> String {
        match self.frame(scope) {
            Frame::Scope(name) => name,
            Frame::Actor(name) => format!("the home of {name}"),
        }
    }

    fn thing(&self, item: &ItemNo) -> Thing {
        match (self.rows.objects.get(item), self.notes.get(item)) {
            (Some(object), _) => Thing::Object(object.name.clone()),
            (None, Some(note)) => Thing::Note(*note),
            (None, None) => Thing::Object(format!("no thing: {item:?}")),
        }
    }

    fn view(&self, view: Option<ViewNo>) -> Option<usize> {
        view.map(|view| self.views.get(&view).copied().unwrap_or(usize::MAX))
    }

    /// Returns the items of a frame, most recent first.
    fn mind(&self, frame: ScopeNo) -> Vec<Thing> {
        let range = self.rows.frames.range((frame, ItemNo(i64::MIN))..=(frame, ItemNo(i64::MAX)));
        let mut held: Vec<_> = range.map(|(_, row)| row).collect();
        held.sort_by_key(|row| std::cmp::Reverse(row.last_seq));
        held.iter().map(|row| self.thing(&row.item)).collect()
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("{what}: {found:?}, where the model has {expected:?}")),
    }
}

/// Compares everything in the model with rows and log.
pub fn compare(rows: &Rows, log: &[Logged], model: &Model) -> Result<(), String> {
    let names = Names::new(rows);
    let found: Vec<_> = rows.actors.values().map(|row| row.name.clone()).collect();
    let expected: Vec<_> = model.actors.iter().map(|it| it.name.clone()).collect();
    same("actors", &found, &expected)?;
    actors(rows, &names, model)?;
    for row in rows.scopes.values() {
        let Some(name) = &row.name else { continue };
        let scope = model.scope(name).ok_or_else(|| format!("a scope {name:?}"))?;
        same(&format!("{name} closed"), &row.closed_seq.is_some(), &scope.closed)?;
        let mind: Vec<_> = scope.mind.iter().map(|held| held.thing.clone()).collect();
        same(&format!("the frame of {name}"), &names.mind(row.scope), &mind)?;
    }
    views(rows, &names, model)?;
    captures(log, &names, model)
}

fn actors(rows: &Rows, names: &Names, model: &Model) -> Result<(), String> {
    for (row, actor) in rows.actors.values().zip(&model.actors) {
        let name = &actor.name;
        same(&format!("the kind of {name}"), &row.kind, &actor.kind)?;
        let primary = row.primary.map(|scope| names.scope(scope));
        same(&format!("the primary scope of {name}"), &primary, &actor.primary)?;
        let present = rows.presences.values().filter(|it| it.actor == row.actor);
        let mut active: Vec<_> =
            present.filter_map(|it| Some((it.entered_seq?, it.scope))).collect();
        active.sort_by(|a, b| b.cmp(a));
        let active: Vec<_> = active.into_iter().map(|(_, scope)| names.scope(scope)).collect();
        same(&format!("the active scopes of {name}"), &active, &actor.active)?;
        let mind: Vec<_> = actor.mind.iter().map(|held| held.thing.clone()).collect();
        same(&format!("the frame of {name}"), &names.mind(row.home), &mind)?;
        same(&format!("the last view of {name}"), &names.view(row.view), &actor.view)?;
        same(&format!("an open view of {name}"), &row.view_open, &actor.open.is_some())?;
        let end = row.fate.map(|(fate, _)| match fate {
            Fate::Rejoined => End::Rejoined,
            Fate::Abandoned => End::Abandoned,
        });
        same(&format!("the end of {name}"), &end, &actor.end)?;
    }
    Ok(())
}

fn views(rows: &Rows, names: &Names, model: &Model) -> Result<(), String> {
    same("how many views", &rows.views.len(), &model.views.len())?;
    let mut streams: BTreeMap<usize, Vec<(Frame, Option<usize>)>> = BTreeMap::new();
    for row in rows.streams.values() {
        let view = names.view(Some(row.view)).unwrap_or(usize::MAX);
        streams.entry(view).or_default().push((names.frame(row.frame), names.view(row.prev)));
    }
    for (index, (row, view)) in rows.views.values().zip(&model.views).enumerate() {
        same(&format!("the actor of view {index}"), &names.actor(row.actor), &view.actor)?;
        let previous = names.view(row.previous);
        same(&format!("what is before view {index}"), &previous, &view.previous)?;
        let mut found = streams.remove(&index).unwrap_or_default();
        let mut expected = view.streams.clone();
        found.sort();
        expected.sort();
        same(&format!("the streams of view {index}"), &found, &expected)?;
        same(&format!("view {index} merges"), &row.merges.is_some(), &view.merge)?;
        same(&format!("a summary of view {index}"), &row.fossil_seq.is_some(), &view.summary)?;
    }
    same("streams of no view", &streams.len(), &0)
}

fn captures(log: &[Logged], names: &Names, model: &Model) -> Result<(), String> {
    let captured = log.iter().filter_map(|it| it.event.body.what.capture());
    let found: Vec<_> = captured
        .map(|(items, frame)| {
            (items.iter().map(|item| names.thing(item)).collect::<Vec<_>>(), names.frame(frame))
        })
        .collect();
    same("how many changes", &found.len(), &model.captures.len())?;
    for (index, (found, expected)) in found.iter().zip(&model.captures).enumerate() {
        same(&format!("what change {index} captured"), found, expected)?;
    }
    Ok(())
}
