//! Reads history from memory.

use std::collections::BTreeSet;

use ambit_core::compose::Shown;
use ambit_core::{
    ActiveScopesRow, ActorNo, ActorRow, ContentNo, Event, ItemNo, Logged, Millis, Needs,
    ObjectPlace, ObjectRow, ObjectState, PlaceRow, ScopeNo, ScopeRow, State, Stored, SubagentState,
    VersionRow, ViewNo, ViewRow, VisitRow,
};

use super::Vault;
use crate::{History, Objects, Result, Run, Streamed, Thing, Which};

impl Run {
    /// Returns the rows of a run, by the sequence of each.
    fn of<T>(self, rows: impl Iterator<Item = T>, seq: fn(&T) -> i64, limit: i64) -> Vec<T> {
        let fits = |row: &T| match self {
            Run::Before(bound) => seq(row) < bound,
            Run::After(bound) => seq(row) > bound,
        };
        let mut found: Vec<T> = rows.filter(fits).collect();
        found.sort_by_key(seq);
        if matches!(self, Run::Before(_)) {
            found.reverse();
        }
        found.truncate(usize::try_from(limit).unwrap_or(0));
        found
    }
}

impl Vault {
    /// Returns the message blocks that a scope showed at an event, below a position.
    fn shown_then(
        &self,
        scope: ScopeNo,
        at: i64,
        before: i64,
    ) -> impl DoubleEndedIterator<Item = Shown> {
        let rows = self.rows.places.range((scope, 0)..(scope, before)).map(|(_, row)| row);
        let then = move |row: &&PlaceRow| {
            row.kind.in_window() && row.from_seq <= at && row.to_seq.is_none_or(|to| to > at)
        };
        let shown = |row: &PlaceRow| self.shown(row.position, row.anchor, row.tokens, row.item);
        rows.filter(then).filter_map(shown)
    }

    /// Reads the object and the subagents that a command names, and returns their scopes.
    pub(super) fn read_named(&self, needs: &Needs, state: &mut State) -> Result<Vec<ScopeNo>> {
        let mut scopes = Vec::new();
        for named in &needs.objects {
            let Some(row) = self.object_row(named) else { continue };
            let places = self.places_of_object(row.item);
            let text = self.rows.items.get(&row.latest).map(|item| item.content);
            let text = text.filter(|text: &ContentNo| text.forgotten_by().is_none());
            scopes.extend(places.first().map(|place| place.scope));
            let found = ObjectState { row: row.clone(), places, text };
            state.objects.insert(named.clone(), found);
        }
        if let Some(top) = needs.subagent.as_deref().and_then(|name| self.actor(name)) {
            state.subagents = self.subagents(top);
            scopes.extend(state.subagents.last().and_then(|it| it.actor.forked_from));
        }
        for (table, name) in &needs.names {
            state.names.insert((table, name.clone()), self.rows.has_name(table, name)?);
        }
        Ok(scopes)
    }

    pub(super) fn visits_of_item(&self, item: ItemNo) -> impl Iterator<Item = &VisitRow> {
        self.rows.visits.values().filter(move |row| row.item == item && row.own)
    }

    fn object_row(&self, named: &str) -> Option<&ObjectRow> {
        self.rows.objects.values().find(|row| row.name == named || row.id == named)
    }

    fn places_of_object(&self, object: ItemNo) -> Vec<ObjectPlace> {
        let closed = |scope: ScopeNo| {
            self.rows.scopes.get(&scope).is_some_and(|row| row.closed_seq.is_some())
        };
        let rows = self.rows.places.values().filter(|row| row.item == object);
        let mut open: Vec<_> =
            rows.filter(|row| row.to_seq.is_none() && !closed(row.scope)).collect();
        open.sort_by_key(|row| (row.from_seq, row.scope));
        let place =
            |row: &&ambit_core::PlaceRow| ObjectPlace { scope: row.scope, position: row.position };
        open.iter().map(place).collect()
    }

    fn subagents(&self, top: &ActorRow) -> Vec<SubagentState> {
        let mut ancestors = Vec::new();
        let mut above = top.parent;
        while let Some(row) = above.and_then(|actor| self.rows.actors.get(&actor)) {
            ancestors.push(row.actor);
            above = row.parent;
        }
        let parent = ancestors.first().and_then(|actor| self.rows.actors.get(actor));
        let Some(parent) = parent.cloned() else {
            return Vec::new();
        };
        let ended_at = top.fate.and_then(|(_, seq)| self.logged(seq)).map(|it| it.event.time);
        let elsewhere = self.elsewhere(top);
        let mut subagents =
            vec![SubagentState { actor: top.clone(), parent, ancestors, ended_at, elsewhere }];
        let mut at = 0;
        while let Some(SubagentState { actor, ancestors, .. }) = subagents.get(at).cloned() {
            let ancestors = [vec![actor.actor], ancestors].concat();
            let below = self.rows.actors.values().filter(|row| row.parent == Some(actor.actor));
            subagents.extend(below.filter(|row| row.fate.is_none()).map(|child| SubagentState {
                actor: child.clone(),
                parent: actor.clone(),
                ancestors: ancestors.clone(),
                ended_at: None,
                elsewhere: self.elsewhere(child),
            }));
            at += 1;
        }
        subagents.reverse();
        subagents
    }

    fn elsewhere(&self, row: &ActorRow) -> Vec<ScopeNo> {
        let active = self.rows.presences.values();
        let active = active.filter(|it| it.actor == row.actor && it.entered_seq.is_some());
        let waits = self.rows.calls.values().filter(|it| it.actor == row.actor);
        let scopes: BTreeSet<_> =
            active.map(|it| it.scope).chain(waits.map(|it| it.scope)).collect();
        scopes.into_iter().filter(|scope| Some(*scope) != row.forked_into).collect()
    }

    fn logged(&self, seq: i64) -> Option<&Logged> {
        self.log.get(usize::try_from(seq - 1).ok()?)
    }

    fn thing(&self, item: ItemNo) -> Option<Thing> {
        let row = self.rows.items.get(&item)?;
        let object = row.object.and_then(|object| self.rows.objects.get(&object));
        let note = self.rows.notes.values().find(|note| note.item == item);
        let text = self.contents.get(&row.content).map(|content| &content.text);
        Some(Thing {
            item,
            kind: row.kind,
            author: row.author,
            time: row.time,
            object: object.cloned(),
            hash: note.map(|note| note.hash),
            forgotten: row.content.forgotten_by(),
            text: text.map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default(),
        })
    }
}

impl History for Vault {
    fn object(&mut self, named: &str) -> Result<Option<ObjectRow>> {
        Ok(self.object_row(named).cloned())
    }

    fn objects(&mut self, which: &Objects) -> Result<Vec<ObjectRow>> {
        let limit = usize::try_from(which.limit).unwrap_or(0);
        let placed = |row: &&ObjectRow| {
            which.scope.is_none_or(|scope| {
                self.rows.open_places(scope).any(|place| place.item == row.item)
            })
        };
        let rows = self.rows.objects.values().filter(|row| row.item > which.after);
        let fits = |row: &&ObjectRow| which.kind.as_ref().is_none_or(|kind| *kind == row.kind);
        Ok(rows.filter(placed).filter(fits).take(limit).cloned().collect())
    }

    fn object_places(&mut self, object: ItemNo) -> Result<Vec<ObjectPlace>> {
        Ok(self.places_of_object(object))
    }

    fn version(&mut self, object: ItemNo, which: Which) -> Result<Option<VersionRow>> {
        let mut rows = self.rows.versions.values().filter(|row| row.object == object).rev();
        Ok(match which {
            Which::Number(number) => rows.find(|row| row.version == number),
            Which::At(seq) => rows.find(|row| row.seq <= seq),
        }
        .cloned())
    }

    fn versions(&mut self, object: ItemNo, below: i64, limit: i64) -> Result<Vec<VersionRow>> {
        let rows = self.rows.versions.values().filter(|row| row.object == object);
        Ok(Run::Before(below).of(rows.cloned(), |row| row.version, limit))
    }

    fn ids(&mut self, items: &[ItemNo]) -> Result<Vec<String>> {
        let note = |item: &ItemNo| self.rows.notes.values().find(|note| note.item == *item);
        let id = |item: &ItemNo| match self.rows.objects.get(item) {
            Some(object) => Some(object.id.clone()),
            None => note(item).map(|note| note.hash.to_hex()),
        };
        Ok(items.iter().filter_map(id).collect())
    }

    fn things(&mut self, items: &[ItemNo]) -> Result<Vec<Thing>> {
        Ok(items.iter().filter_map(|item| self.thing(*item)).collect())
    }

    fn visits(&mut self, runs: &[(ScopeNo, Run)], limit: i64) -> Result<Vec<Vec<VisitRow>>> {
        let of = |(frame, run): &(ScopeNo, Run)| {
            let rows = self.rows.visits.values().filter(|row| row.frame == *frame);
            run.of(rows.cloned(), |row| row.seq, limit)
        };
        Ok(runs.iter().map(of).collect())
    }

    fn visits_of(&mut self, item: ItemNo, before: i64, limit: i64) -> Result<Vec<VisitRow>> {
        Ok(Run::Before(before).of(self.visits_of_item(item).cloned(), |row| row.seq, limit))
    }

    fn stream(&mut self, frame: ScopeNo, run: Run, limit: i64) -> Result<Vec<Streamed>> {
        let rows = self.rows.streams.values().filter(|row| row.frame == frame);
        let with_view = rows.filter_map(|row| {
            let view = self.rows.views.get(&row.view)?.clone();
            Some(Streamed { row: row.clone(), view })
        });
        Ok(run.of(with_view, |it| it.row.position, limit))
    }

    fn view(&mut self, view: ViewNo) -> Result<Option<ViewRow>> {
        Ok(self.rows.views.get(&view).cloned())
    }

    fn view_named(&mut self, id: &str) -> Result<Option<ViewRow>> {
        Ok(self.rows.views.values().find(|row| row.id == id).cloned())
    }

    fn views_whole(&mut self, after: ViewNo, limit: i64) -> Result<Vec<ViewRow>> {
        let whole = |row: &&ViewRow| row.fossil_seq.is_none() && row.merges.is_none();
        let rows = self.rows.views.values().filter(whole);
        Ok(Run::After(after.0).of(rows.cloned(), |row| row.view.0, limit))
    }

    fn view_events(&mut self, view: ViewNo, run: Run, limit: i64) -> Result<Vec<Stored>> {
        let of_view = self.log.iter().filter(|it| it.event.view == Some(view));
        let stored = |logged: &Logged| {
            let Event { seq, time, actor, view, .. } = logged.event;
            let (body, hash) = (logged.text.clone().into_bytes(), logged.hash.0.to_vec());
            Stored { seq, time, actor, view, body, hash }
        };
        Ok(run.of(of_view.map(stored), |it| it.seq, limit))
    }

    fn changes_in(&mut self, frame: ScopeNo, before: i64, limit: i64) -> Result<Vec<i64>> {
        let rows = self.rows.deltas.values().filter(|row| row.frame == frame);
        Ok(Run::Before(before).of(rows.map(|row| row.seq), |seq| *seq, limit))
    }

    fn changes_of(&mut self, item: ItemNo, before: i64, limit: i64) -> Result<Vec<i64>> {
        let rows = self.rows.deltas.values().filter(|row| row.item == item);
        let seqs: BTreeSet<_> = rows.map(|row| row.seq).collect();
        Ok(Run::Before(before).of(seqs.into_iter(), |seq| *seq, limit))
    }

    fn stand(&mut self, actor: ActorNo, at: i64) -> Result<Option<ActiveScopesRow>> {
        let mut rows = self.rows.stands.range((actor, 0)..=(actor, at)).map(|(_, row)| row);
        Ok(rows.next_back().cloned())
    }

    fn actor_named(&mut self, name: &str) -> Result<Option<ActorRow>> {
        Ok(self.actor(name).cloned())
    }

    fn actors(&mut self, numbers: &[ActorNo]) -> Result<Vec<ActorRow>> {
        Ok(numbers.iter().filter_map(|actor| self.rows.actors.get(actor).cloned()).collect())
    }

    fn contributors(&mut self, scope: ScopeNo) -> Result<Vec<ActorRow>> {
        let known = self.rows.presences.values().filter(|row| row.scope == scope);
        Ok(known.filter_map(|row| self.rows.actors.get(&row.actor).cloned()).collect())
    }

    fn actors_after(&mut self, after: ActorNo, limit: i64) -> Result<Vec<ActorRow>> {
        let rows = self.rows.actors.values().cloned();
        Ok(Run::After(after.0).of(rows, |row| row.actor.0, limit))
    }

    fn children(&mut self, actor: ActorNo) -> Result<Vec<ActorRow>> {
        let rows = self.rows.actors.values().filter(|row| row.parent == Some(actor));
        Ok(rows.cloned().collect())
    }

    fn time_of(&mut self, seq: i64) -> Result<Option<Millis>> {
        Ok(self.logged(seq).map(|it| it.event.time))
    }

    fn end_at(&mut self, scope: ScopeNo, at: i64) -> Result<i64> {
        let rows = self.rows.places.range((scope, 0)..=(scope, i64::MAX)).map(|(_, row)| row);
        Ok(rows.filter(|row| row.from_seq <= at).map(|row| row.position + 1).max().unwrap_or(0))
    }

    fn shown_at(&mut self, scope: ScopeNo, at: i64, before: i64, limit: i64) -> Result<Vec<Shown>> {
        let limit = usize::try_from(limit).unwrap_or(0);
        Ok(self.shown_then(scope, at, before).rev().take(limit).collect())
    }

    fn leading_at(
        &mut self,
        scope: ScopeNo,
        at: i64,
        before: i64,
        limit: i64,
    ) -> Result<Vec<Shown>> {
        let limit = usize::try_from(limit).unwrap_or(0);
        Ok(self.shown_then(scope, at, before).take(limit).collect())
    }

    fn scopes_numbered(&mut self, scopes: &[ScopeNo]) -> Result<Vec<ScopeRow>> {
        Ok(scopes.iter().filter_map(|scope| self.rows.scopes.get(scope).cloned()).collect())
    }
}
