//! Whether subagents could have begun and ended as a log says.

use ambit_core::{
    Abandoned, ActorNo, Container, Event, Forked, ItemNo, Merge, Rejoined, ScopeNo, StreamEntry,
};

use super::{Checked, Sound, ensure};

impl Sound {
    pub(super) fn forked(&self, event: &Event, it: &Forked) -> Checked {
        let child = &it.child;
        let parent = self.rows.actors.get(&event.actor);
        let depth = parent.map_or(0, |row| row.depth + 1);
        ensure(child.depth == depth, "its depth is another")?;
        ensure(parent.is_some_and(|row| row.break_seq == child.break_seq), "its break is")?;
        let home = parent.map(|row| row.home).ok_or("who forks it is not there")?;
        self.copied(home, &child.mind)?;
        self.copied(it.from, &child.scope_mind)
    }

    pub(super) fn rejoined(&self, event: &Event, it: &Rejoined) -> Checked {
        let (child, merge) = (it.child, &it.merge);
        let row = self.rows.actors.get(&child).filter(|row| row.fate.is_none());
        let fits = row.is_some_and(|row| {
            row.home == it.home
                && row.forked_into == Some(it.scope)
                && row.forked_from == Some(it.into)
                && row.parent == Some(merge.parent)
        });
        ensure(fits, "who rejoins is no subagent at work, or another's")?;
        self.merge(event, child, merge)?;
        self.elsewhere(child, it.scope, &it.elsewhere)?;
        let theirs = it.ended.iter().all(|it| [child, merge.parent].contains(&it.actor));
        ensure(theirs, "a view that it ends is somebody else's")?;
        self.ended(&it.ended)
    }

    pub(super) fn abandoned(&self, it: &Abandoned) -> Checked {
        let row = self.rows.actors.get(&it.child).filter(|row| row.fate.is_none());
        let fits = row.is_some_and(|row| row.forked_into == Some(it.scope));
        ensure(fits, "who is abandoned is no subagent at work")?;
        self.elsewhere(it.child, it.scope, &it.elsewhere)?;
        let own = it.ended.iter().all(|ended| ended.actor == it.child);
        ensure(own, "a view that it ends is somebody else's")?;
        self.ended(&it.ended)
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
        ensure(said.eq(streams.clone()), "its streams are not those of the two")?;
        let previous = streams[0].as_ref().and_then(|entry| entry.prev);
        ensure(merge.previous == previous, "what came before the merge is another view")
    }

    /// What it leaves beside its own scope are scopes where it has been. It may be out by now, or
    /// have given up its calls: leaving once more changes nothing.
    fn elsewhere(&self, child: ActorNo, own: ScopeNo, elsewhere: &[ScopeNo]) -> Checked {
        let known = |scope: &ScopeNo| {
            let mut rows = self.rows.presences.values();
            rows.any(|row| (row.actor, row.scope) == (child, *scope))
        };
        let fits = elsewhere.is_sorted_by(|a, b| a < b) && !elsewhere.contains(&own);
        ensure(fits && elsewhere.iter().all(known), "it was not where it leaves")
    }

    fn copied(&self, frame: ScopeNo, copy: &[Container]) -> Checked {
        let rows = self.rows.frames.range((frame, ItemNo(0))..=(frame, ItemNo(i64::MAX)));
        let mut held: Vec<_> = rows.map(|(_, row)| (row.item, row.last_seq, row.visits)).collect();
        let mut said: Vec<_> = copy.iter().map(|it| (it.item, it.last_seq, it.visits)).collect();
        held.sort_unstable();
        said.sort_unstable();
        ensure(held == said, "what it begins with is not what its parent had in mind")
    }
}
