//! Reads history, and the State for commands on objects and subagents.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::compose::Shown;
use ambit_core::{
    ActiveScopesRow, ActorNo, ActorRow, Class, ContentNo, ItemNo, Millis, Needs, ObjectPlace,
    ObjectRow, ObjectState, PresenceRow, ScopeNo, ScopeRow, ScopeState, State, Stored, StreamRow,
    SubagentState, VersionRow, ViewNo, ViewRow, VisitRow,
};

use super::map_history as from;
use super::past::End;
use super::{At, Got, Reader, Row, Step, actor_by, map, values};
use crate::rows::{Table, by_name};
use crate::{Error, History, Objects, Result, Run, Streamed, Thing, Which};

/// How many ids one statement reads.
const IDS_AT_ONCE: usize = 8;

/// The longest chain of forks that is followed. Damaged rows may form a cycle.
const DEPTH_MAX: usize = 64;

impl At<'_> {
    /// Reads the objects and the subagents that a command names, with their scopes, and which names
    /// are taken.
    pub(super) fn read_named(&mut self, needs: &Needs, state: &mut State) -> Result<()> {
        let mut scopes = Vec::new();
        self.read_objects(&needs.objects, state)?;
        scopes.extend(state.objects.values().filter_map(|it| Some(it.places.first()?.scope)));
        if let Some(name) = &needs.subagent {
            state.subagents = self.subagents(name)?;
            scopes.extend(state.subagents.last().and_then(|it| it.actor.forked_from));
        }
        self.read_names(&needs.names, state)?;
        let mut step = Step::new();
        for scope in scopes.into_iter().collect::<BTreeSet<_>>() {
            step.ask((), "scope", values![self.vault, scope.0]);
        }
        step.send(self.link, |(), row| {
            let row = ScopeRow::read(row)?;
            state.scopes.insert(row.scope, ScopeState { row, head_hash: None });
            Ok(())
        })
    }

    /// Reads whether names are taken.
    fn read_names(&mut self, names: &[(&'static str, String)], state: &mut State) -> Result<()> {
        state.names = names.iter().map(|name| (name.clone(), false)).collect();
        let mut step = Step::new();
        for (index, (table, name)) in names.iter().enumerate() {
            step.ask(index, by_name(table)?, values![self.vault, name.as_str()]);
        }
        step.send(self.link, |index, _| {
            state.names.insert(names[index].clone(), true);
            Ok(())
        })
    }

    /// Reads any number of objects in two steps.
    fn read_objects(&mut self, named: &[String], state: &mut State) -> Result<()> {
        let mut step = Step::new();
        for (index, name) in named.iter().enumerate() {
            step.ask(index, object_by(name), values![self.vault, name.as_str()]);
        }
        let mut found: Vec<(usize, ObjectState)> = Vec::new();
        step.send(self.link, |index, row| {
            let row = ObjectRow::read(row)?;
            found.push((index, ObjectState { row, places: Vec::new(), text: None }));
            Ok(())
        })?;
        let mut step = Step::new();
        for (at, (_, it)) in found.iter().enumerate() {
            step.ask((at, true), "object_places", values![self.vault, it.row.item.0]);
            step.ask((at, false), "item_content", values![self.vault, it.row.latest.0]);
        }
        step.send(self.link, |(at, place), row| {
            let it = &mut found[at].1;
            match place {
                true => it.places.push(from::object_place(row)?),
                false => {
                    let text = ContentNo(map::number(row)?);
                    it.text = Some(text).filter(|text| text.forgotten_by().is_none());
                }
            }
            Ok(())
        })?;
        state.objects.extend(found.into_iter().map(|(index, it)| (named[index].clone(), it)));
        Ok(())
    }

    fn object_named(&mut self, named: &str) -> Result<Option<ObjectRow>> {
        self.one(object_by(named), values![self.vault, named], ObjectRow::read)
    }

    fn object_places(&mut self, object: ItemNo) -> Result<Vec<ObjectPlace>> {
        self.many("object_places", values![self.vault, object.0], from::object_place)
    }

    fn actor_numbered(&mut self, actor: ActorNo) -> Result<Option<ActorRow>> {
        self.one("actor", values![self.vault, actor.0], ActorRow::read)
    }

    /// Returns a subagent and its running descendants, the deepest first.
    fn subagents(&mut self, name: &str) -> Result<Vec<SubagentState>> {
        let Some(top) = self.one(actor_by(name), values![self.vault, name], ActorRow::read)? else {
            return Ok(Vec::new());
        };
        let mut ancestors = Vec::new();
        let mut parents = Vec::new();
        let mut above = top.parent;
        while let Some(actor) = above.filter(|_| ancestors.len() < DEPTH_MAX) {
            let Some(row) = self.actor_numbered(actor)? else { break };
            ancestors.push(actor);
            above = row.parent;
            parents.push(row);
        }
        let Some(parent) = parents.into_iter().next() else {
            return Ok(Vec::new());
        };
        let ended = top.fate.map(|(_, seq)| seq);
        let ended_at = match ended {
            Some(seq) => self.one("event_time", values![self.vault, seq], map::number)?,
            None => None,
        };
        let elsewhere = self.elsewhere(&top)?;
        let mut subagents =
            vec![SubagentState { actor: top, parent, ancestors, ended_at, elsewhere }];
        let mut at = 0;
        while let Some(SubagentState { actor, ancestors, .. }) = subagents.get(at).cloned() {
            let below = values![self.vault, actor.actor.0];
            let ancestors = [vec![actor.actor], ancestors].concat();
            for child in self.many("children", below, ActorRow::read)? {
                if child.fate.is_none() && ancestors.len() <= DEPTH_MAX {
                    let (parent, ancestors) = (actor.clone(), ancestors.clone());
                    let elsewhere = self.elsewhere(&child)?;
                    subagents.push(SubagentState {
                        actor: child,
                        parent,
                        ancestors,
                        ended_at: None,
                        elsewhere,
                    });
                }
            }
            at += 1;
        }
        subagents.reverse();
        Ok(subagents)
    }

    fn elsewhere(&mut self, row: &ActorRow) -> Result<Vec<ScopeNo>> {
        let scopes = self.many("elsewhere", values![self.vault, row.actor.0], map::number)?;
        let scopes: BTreeSet<_> = scopes.into_iter().map(ScopeNo).collect();
        Ok(scopes.into_iter().filter(|scope| Some(*scope) != row.forked_into).collect())
    }
}

fn object_by(named: &str) -> &'static str {
    if named.starts_with("obj_") { "object_by_id" } else { "object_by_name" }
}

impl Reader<'_> {
    fn run<T>(
        &mut self,
        (before, after): (&'static str, &'static str),
        key: i64,
        (run, limit): (Run, i64),
        map: fn(&dyn Row) -> Got<T>,
    ) -> Result<Vec<T>> {
        let (name, seq) = directed((before, after), run);
        self.at.many(name, values![self.at.vault, key, seq, limit.max(0)], map)
    }

    /// Returns the first place at or after a position, open or closed, and the event that took it.
    fn place_from(&mut self, scope: ScopeNo, position: i64) -> Result<Option<(i64, i64)>> {
        let mut step = Step::new();
        for name in ["place_from", "place_closed_from"] {
            step.ask((), name, values![self.at.vault, scope.0, position]);
        }
        let mut found = None;
        step.send(self.at.link, |(), row| {
            let place = map::pair(row)?;
            found = Some(found.map_or(place, |other: (i64, i64)| other.min(place)));
            Ok(())
        })?;
        Ok(found)
    }

    /// Returns the objects of a scope, optionally of one type.
    fn objects_in(&mut self, scope: ScopeNo, which: &Objects) -> Result<Vec<ObjectRow>> {
        let limit = usize::try_from(which.limit).unwrap_or(0);
        let (mut found, mut after) = (Vec::new(), which.after.0);
        while found.len() < limit {
            let key = values![self.at.vault, after, which.limit.max(0), scope.0];
            let items = self.at.many("objects_in", key, map::number)?;
            let Some(last) = items.last().copied() else { break };
            after = last;
            let rows = self.each("object", items, ObjectRow::read)?.into_iter();
            found.extend(
                rows.filter(|row| which.kind.as_ref().is_none_or(|kind| *kind == row.kind)),
            );
        }
        found.truncate(limit);
        Ok(found)
    }

    /// Returns one row for each key, in the order of the keys.
    fn each<T>(
        &mut self,
        name: &'static str,
        keys: impl IntoIterator<Item = i64>,
        map: fn(&dyn Row) -> Got<T>,
    ) -> Result<Vec<T>> {
        let mut step = Step::new();
        for key in keys {
            step.ask((), name, values![self.at.vault, key]);
        }
        let mut found = Vec::new();
        step.send(self.at.link, |(), row| {
            found.push(map(row)?);
            Ok(())
        })?;
        Ok(found)
    }
}

fn directed((before, after): (&'static str, &'static str), run: Run) -> (&'static str, i64) {
    match run {
        Run::Before(seq) => (before, seq),
        Run::After(seq) => (after, seq),
    }
}

impl History for Reader<'_> {
    fn object(&mut self, named: &str) -> Result<Option<ObjectRow>> {
        self.at.object_named(named)
    }

    fn objects(&mut self, which: &Objects) -> Result<Vec<ObjectRow>> {
        let (vault, after, limit) = (self.at.vault, which.after.0, which.limit.max(0));
        match (&which.scope, &which.kind) {
            (Some(scope), _) => self.objects_in(*scope, which),
            (None, Some(kind)) => {
                let key = values![vault, after, limit, kind];
                self.at.many("objects_of_kind", key, ObjectRow::read)
            }
            (None, None) => self.at.many("objects", values![vault, after, limit], ObjectRow::read),
        }
    }

    fn object_places(&mut self, object: ItemNo) -> Result<Vec<ObjectPlace>> {
        self.at.object_places(object)
    }

    fn version(&mut self, object: ItemNo, which: Which) -> Result<Option<VersionRow>> {
        let (name, number) = match which {
            Which::Number(number) => ("version", number),
            Which::At(seq) => ("version_at", seq),
        };
        self.at.one(name, values![self.at.vault, object.0, number], VersionRow::read)
    }

    fn versions(&mut self, object: ItemNo, below: i64, limit: i64) -> Result<Vec<VersionRow>> {
        let values = values![self.at.vault, object.0, below, limit.max(0)];
        self.at.many("versions", values, VersionRow::read)
    }

    fn ids(&mut self, items: &[ItemNo]) -> Result<Vec<String>> {
        let mut ids: BTreeMap<i64, String> = BTreeMap::new();
        let mut step = Step::new();
        // Every change reads the ids of its capture: reading several per statement saves time.
        for some in items.chunks(IDS_AT_ONCE) {
            let at = |index: usize| some[index.min(some.len() - 1)].0;
            let vault = self.at.vault;
            let key = values![vault, at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)];
            step.ask((), "object_ids", key);
        }
        step.send(self.at.link, |(), row| {
            let (item, id) = from::item_id(row)?;
            ids.insert(item, id);
            Ok(())
        })?;
        // Most items are objects: notes are read only for the others.
        let mut step = Step::new();
        for item in items.iter().filter(|item| !ids.contains_key(&item.0)) {
            step.ask(item.0, "note_hash", values![self.at.vault, item.0]);
        }
        step.send(self.at.link, |item, row| {
            ids.insert(item, map::first_hash(row)?.to_hex());
            Ok(())
        })?;
        Ok(items.iter().filter_map(|item| ids.get(&item.0).cloned()).collect())
    }

    fn things(&mut self, items: &[ItemNo]) -> Result<Vec<Thing>> {
        let found = self.each("item_text", items.iter().map(|item| item.0), from::thing)?;
        let mut step = Step::new();
        for (index, (thing, object)) in found.iter().enumerate() {
            let (name, number) = match (object, thing.kind.policy().class) {
                (Some(object), _) => ("object", object.0),
                (None, Class::Note) => ("note_hash", thing.item.0),
                (None, _) => continue,
            };
            step.ask(index, name, values![self.at.vault, number]);
        }
        let mut things: Vec<_> = found.into_iter().map(|(thing, _)| thing).collect();
        step.send(self.at.link, |index, row| {
            match things[index].kind.policy().class {
                Class::Version => things[index].object = Some(ObjectRow::read(row)?),
                _ => things[index].hash = Some(map::first_hash(row)?),
            }
            Ok(())
        })?;
        Ok(things)
    }

    fn visits(&mut self, runs: &[(ScopeNo, Run)], limit: i64) -> Result<Vec<Vec<VisitRow>>> {
        let mut step = Step::new();
        for (index, (frame, run)) in runs.iter().enumerate() {
            let (name, seq) = directed(("visits_before", "visits_after"), *run);
            step.ask(index, name, values![self.at.vault, frame.0, seq, limit.max(0)]);
        }
        let mut found = vec![Vec::new(); runs.len()];
        step.send(self.at.link, |index, row| {
            found[index].push(VisitRow::read(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    fn visits_of(&mut self, item: ItemNo, before: i64, limit: i64) -> Result<Vec<VisitRow>> {
        let values = values![self.at.vault, item.0, before, limit.max(0)];
        self.at.many("visits_of", values, VisitRow::read)
    }

    fn stream(&mut self, frame: ScopeNo, run: Run, limit: i64) -> Result<Vec<Streamed>> {
        let names = ("stream_before", "stream_after");
        let rows = self.run(names, frame.0, (run, limit), StreamRow::read)?;
        let views = self.each("view", rows.iter().map(|row| row.view.0), ViewRow::read)?;
        if views.len() < rows.len() {
            return Err(Error::Damaged(format!("a view of stream {frame} is missing")));
        }
        Ok(rows.into_iter().zip(views).map(|(row, view)| Streamed { row, view }).collect())
    }

    fn view(&mut self, view: ViewNo) -> Result<Option<ViewRow>> {
        self.at.one("view", values![self.at.vault, view.0], ViewRow::read)
    }

    fn view_named(&mut self, id: &str) -> Result<Option<ViewRow>> {
        self.at.one("view_by_id", values![self.at.vault, id], ViewRow::read)
    }

    fn views_whole(&mut self, after: ViewNo, limit: i64) -> Result<Vec<ViewRow>> {
        self.at.many("views_whole", values![self.at.vault, after.0, limit.max(0)], ViewRow::read)
    }

    fn view_events(&mut self, view: ViewNo, run: Run, limit: i64) -> Result<Vec<Stored>> {
        self.run(("view_events_before", "view_events"), view.0, (run, limit), map::stored)
    }

    fn changes_in(&mut self, frame: ScopeNo, before: i64, limit: i64) -> Result<Vec<i64>> {
        let values = values![self.at.vault, frame.0, before, limit.max(0)];
        self.at.many("changes_in", values, map::number)
    }

    fn changes_of(&mut self, item: ItemNo, before: i64, limit: i64) -> Result<Vec<i64>> {
        let values = values![self.at.vault, item.0, before, limit.max(0)];
        self.at.many("changes_of", values, map::number)
    }

    fn stand(&mut self, actor: ActorNo, at: i64) -> Result<Option<ActiveScopesRow>> {
        self.at.one("stand_at", values![self.at.vault, actor.0, at], ActiveScopesRow::read)
    }

    fn actor_named(&mut self, name: &str) -> Result<Option<ActorRow>> {
        self.at.actor(name)
    }

    fn actors(&mut self, numbers: &[ActorNo]) -> Result<Vec<ActorRow>> {
        self.each("actor", numbers.iter().map(|actor| actor.0), ActorRow::read)
    }

    fn actors_after(&mut self, after: ActorNo, limit: i64) -> Result<Vec<ActorRow>> {
        self.at.many("actors_after", values![self.at.vault, after.0, limit.max(0)], ActorRow::read)
    }

    fn contributors(&mut self, scope: ScopeNo) -> Result<Vec<ActorRow>> {
        let key = values![self.at.vault, scope.0];
        let known = self.at.many("presences", key, PresenceRow::read)?;
        self.each("actor", known.iter().map(|row| row.actor.0), ActorRow::read)
    }

    fn children(&mut self, actor: ActorNo) -> Result<Vec<ActorRow>> {
        self.at.many("children", values![self.at.vault, actor.0], ActorRow::read)
    }

    fn time_of(&mut self, seq: i64) -> Result<Option<Millis>> {
        self.at.one("event_time", values![self.at.vault, seq], map::number)
    }

    fn end_at(&mut self, scope: ScopeNo, at: i64) -> Result<i64> {
        let row = self.at.one("scope", values![self.at.vault, scope.0], ScopeRow::read)?;
        // Positions follow the order of events, so a binary search works.
        let (mut low, mut high) = (0, row.map_or(0, |row| row.next_position));
        while low < high {
            let middle = low + (high - low) / 2;
            match self.place_from(scope, middle)? {
                Some((position, from)) if from <= at => low = position + 1,
                _ => high = middle,
            }
        }
        Ok(low)
    }

    fn shown_at(&mut self, scope: ScopeNo, at: i64, before: i64, limit: i64) -> Result<Vec<Shown>> {
        self.shown_then(scope, at, (before, limit), End::Last)
    }

    fn leading_at(
        &mut self,
        scope: ScopeNo,
        at: i64,
        before: i64,
        limit: i64,
    ) -> Result<Vec<Shown>> {
        self.shown_then(scope, at, (before, limit), End::First)
    }

    fn scopes_numbered(&mut self, scopes: &[ScopeNo]) -> Result<Vec<ScopeRow>> {
        self.each("scope", scopes.iter().map(|scope| scope.0), ScopeRow::read)
    }
}
