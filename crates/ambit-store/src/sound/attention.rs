//! Whether what a log tells of attention could have happened: frames, forks and their ends.

use std::collections::BTreeSet;

use ambit_core::{
    ActorKind, ActorNo, ActorRow, Change, Container, Event, Fate, FrameChange, ItemNo, Merge,
    ScopeNo, Stands, StreamEntry, ViewEnded, What, check_object,
};

use super::{Checked, Sound, hold, label};

/// As long as an object's name may ever be, whatever is set.
const OBJECT_CHARS_MAX: i64 = 4_096;

impl Sound {
    /// What an event says of frames is what they hold.
    pub(super) fn mind(&self, event: &Event) -> Checked {
        if let Some((_, frames)) = event.body.what.visit() {
            let item = event.body.what.visit().map(|(item, _)| item);
            let distinct: BTreeSet<_> = frames.iter().map(|it| it.frame).collect();
            hold(distinct.len() == frames.len(), "a frame sees a visit once")?;
            frames.iter().try_for_each(|it| self.frame(item.unwrap_or_default(), it))?;
        }
        if let Some((context, frame)) = event.body.what.capture() {
            hold(self.held(frame).starts_with(context), "what it captured was not in mind")?;
        }
        match &event.body.what {
            What::Entered { scope, stands: Some(stands) } => {
                self.stands(event, stands, |active| active.insert(*scope), Some(*scope))
            }
            What::Left { scope, stands: Some(stands) } => {
                self.stands(event, stands, |active| active.remove(scope), None)
            }
            What::Focused { scope, stands: Some(stands) } => {
                hold(stands.primary == Some(*scope), "it stands elsewhere than it says")?;
                self.stands(event, stands, |_| true, None)
            }
            What::Forked { child, from, .. } => {
                let parent = self.rows.actors.get(&event.actor);
                let depth = parent.map_or(0, |row| row.depth + 1);
                hold(child.depth == depth, "its depth is another")?;
                hold(parent.is_some_and(|row| row.break_seq == child.break_seq), "its break is")?;
                let home = parent.map(|row| row.home).unwrap_or_default();
                self.copied(home, &child.mind)?;
                self.copied(*from, &child.scope_mind)
            }
            What::Rejoined { child, home, scope, into, merge, ended, elsewhere } => {
                let row = self.rows.actors.get(child).filter(|row| row.fate.is_none());
                let fits = row.is_some_and(|row| {
                    row.home == *home
                        && row.forked_into == Some(*scope)
                        && row.forked_from == Some(*into)
                        && row.parent == Some(merge.parent)
                });
                hold(fits, "who rejoins is no subagent at work, or another's")?;
                self.merge(event, *child, merge)?;
                self.elsewhere(*child, *scope, elsewhere)?;
                let theirs = ended.iter().all(|it| [*child, merge.parent].contains(&it.actor));
                hold(theirs, "a view that it ends is somebody else's")?;
                self.ended(ended)
            }
            What::Abandoned { child, scope, ended, elsewhere } => {
                let row = self.rows.actors.get(child).filter(|row| row.fate.is_none());
                let fits = row.is_some_and(|row| row.forked_into == Some(*scope));
                hold(fits, "who is abandoned is no subagent at work")?;
                self.elsewhere(*child, *scope, elsewhere)?;
                let own = ended.iter().all(|it| it.actor == *child);
                hold(own, "a view that it ends is somebody else's")?;
                self.ended(ended)
            }
            What::Tidied { ended, frames, .. } => {
                let over = |row: &ActorRow| row.fate.is_some_and(|(it, _)| it == Fate::Abandoned);
                let abandoned = |frame: &ScopeNo| {
                    let owner = self.rows.scopes.get(frame).and_then(|row| row.owner);
                    owner.and_then(|owner| self.rows.actors.get(&owner)).is_some_and(over)
                };
                hold(frames.iter().all(abandoned), "a frame goes whose subagent is at work")?;
                self.ended(ended)
            }
            _ => Ok(()),
        }
    }

    /// A merge stands in both streams, after what came last in each: the view that the event itself
    /// opens, where it is its actor's.
    fn merge(&self, event: &Event, child: ActorNo, merge: &Merge) -> Checked {
        let opened = event.body.opens.as_ref().map(|opened| opened.view);
        let entry = |actor: ActorNo| {
            let row = self.rows.actors.get(&actor)?;
            let prev = opened.filter(|_| actor == event.actor).or(row.view);
            Some(StreamEntry { frame: row.home, prev })
        };
        let streams = [entry(merge.parent), entry(child)];
        let said = merge.streams.iter().cloned().map(Some);
        hold(said.eq(streams.clone()), "its streams are not those of the two")?;
        let previous = streams[0].as_ref().and_then(|entry| entry.prev);
        hold(merge.previous == previous, "what came before the merge is another view")
    }

    /// What it leaves beside its own scope are scopes where it has been. It may be out by now, or
    /// have given up its calls: leaving once more changes nothing.
    fn elsewhere(&self, child: ActorNo, own: ScopeNo, elsewhere: &[ScopeNo]) -> Checked {
        let known = |scope: &ScopeNo| {
            let mut rows = self.rows.presences.values();
            rows.any(|row| (row.actor, row.scope) == (child, *scope))
        };
        let fits = elsewhere.is_sorted_by(|a, b| a < b) && !elsewhere.contains(&own);
        hold(fits && elsewhere.iter().all(known), "it was not where it leaves")
    }

    /// The views that others end are their actors' last ones. They may be over: who was in a scope
    /// that was closed just before is out.
    fn ended(&self, ended: &[ViewEnded]) -> Checked {
        let last = |it: &ViewEnded| {
            let row = self.rows.actors.get(&it.actor);
            row.is_some_and(|row| row.view == Some(it.view))
        };
        hold(ended.iter().all(last), "a view that it ends is not its actor's last")
    }

    /// What stands behind a visited item is what the frame held, in its order.
    fn frame(&self, item: ItemNo, change: &FrameChange) -> Checked {
        let Some(behind) = &change.behind else {
            return Ok(());
        };
        let held = self.held(change.frame).into_iter().filter(|it| *it != item);
        let said = behind.iter().chain(&change.evicted).copied();
        hold(held.eq(said), "its frame holds something else")
    }

    /// What a frame holds, most recent first.
    fn held(&self, frame: ScopeNo) -> Vec<ItemNo> {
        let rows = self.rows.frames.range((frame, ItemNo(0))..=(frame, ItemNo(i64::MAX)));
        let mut rows: Vec<_> = rows.map(|(_, row)| (row.last_seq, row.item)).collect();
        rows.sort_unstable_by(|a, b| b.cmp(a));
        rows.into_iter().map(|(_, item)| item).collect()
    }

    fn copied(&self, frame: ScopeNo, copy: &[Container]) -> Checked {
        let rows = self.rows.frames.range((frame, ItemNo(0))..=(frame, ItemNo(i64::MAX)));
        let mut held: Vec<_> = rows.map(|(_, row)| (row.item, row.last_seq, row.visits)).collect();
        let mut said: Vec<_> = copy.iter().map(|it| (it.item, it.last_seq, it.visits)).collect();
        held.sort_unstable();
        said.sort_unstable();
        hold(held == said, "what it begins with is not what its parent had in mind")
    }

    fn stands(
        &self,
        event: &Event,
        stands: &Stands,
        moves: impl FnOnce(&mut BTreeSet<ScopeNo>) -> bool,
        newest: Option<ScopeNo>,
    ) -> Checked {
        let own = self.rows.presences.values().filter(|row| row.actor == event.actor);
        let own = own.filter(|row| row.entered_seq.is_some());
        let mut active: BTreeSet<_> = own.map(|row| row.scope).collect();
        let moved = moves(&mut active);
        let said: BTreeSet<_> = stands.active.iter().copied().collect();
        let primary = stands.primary.is_none_or(|scope| active.contains(&scope));
        let first = newest.is_none_or(|scope| stands.active.first() == Some(&scope));
        let fits = moved && said == active && said.len() == stands.active.len();
        hold(fits && primary && first, "it stands elsewhere than it says")
    }

    pub(super) fn attention(&mut self, change: &Change) -> Checked {
        let rows = &self.rows;
        match change {
            Change::Object(row) => {
                hold(rows.items.contains_key(&row.item), "its text is not there")?;
                check_object(&row.name, OBJECT_CHARS_MAX).map_err(|error| error.to_string())?;
                label("type", &row.kind)?;
                self.id(&row.id, "obj_")?;
                hold(self.object_names.insert(row.name.clone()), "an object has that name")
            }
            Change::Version(row) => {
                let next = rows.objects.get(&row.object).is_some_and(|object| {
                    let first = object.latest_seq == row.seq && row.version == 1;
                    first || object.versions + 1 == row.version
                });
                hold(next && rows.items.contains_key(&row.item), "its version is not the next")
            }
            Change::Delta(row) => {
                hold(rows.items.contains_key(&row.item), "what it changes is not there")?;
                self.scope_there(row.frame)
            }
            Change::Frame(row) => {
                hold(rows.items.contains_key(&row.item), "what is in mind is not there")?;
                self.scope_there(row.scope)
            }
            Change::DropFrame { frame } => {
                let subagent = rows.actors.values().find(|row| row.home == *frame);
                let subagent = subagent.is_some_and(|row| row.kind == ActorKind::Subagent);
                hold(subagent, "only a subagent's frame goes")
            }
            Change::CloseScope { scope, .. } => {
                let open = rows.scopes.get(scope).is_some_and(|row| row.closed_seq.is_none());
                hold(open && *scope != rows.vault.main, "the scope it closes is not open")
            }
            Change::LastView { actor, view } => {
                let there = rows.actors.contains_key(actor) && rows.views.contains_key(view);
                hold(there, "its view is not there")
            }
            Change::Fossil { view, .. } => {
                let whole = rows.views.get(view).is_some_and(|row| row.fossil_seq.is_none());
                hold(whole, "the view it summarises is not there, or is summarised already")
            }
            Change::Stand(row) => hold(rows.actors.contains_key(&row.actor), "nobody stands there"),
            Change::Break { actor, .. } | Change::Fate { actor, .. } => {
                hold(rows.actors.contains_key(actor), "its actor is not there")
            }
            other => self.forget(other),
        }
    }
}
