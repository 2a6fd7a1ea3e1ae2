//! Subagents.

use ambit_core::{
    Abandoned, ActorNo, Container, Event, Forked, ItemNo, Merge, Rejoined, ScopeNo, StreamEntry,
};

use crate::sound::{Checked, Sound, ensure};

impl Sound {
    pub(crate) fn forked(&self, event: &Event, it: &Forked) -> Checked {
        let child = &it.child;
        let parent = self.rows.actors.get(&event.actor);
        let depth = parent.map_or(0, |row| row.depth + 1);
        ensure(child.depth == depth, "its depth is wrong")?;
        ensure(parent.is_some_and(|row| row.break_seq == child.break_seq), "its break is wrong")?;
        let home = parent.map(|row| row.home).ok_or("its parent does not exist")?;
        self.copied(home, &child.mind)?;
        self.copied(it.from, &child.scope_mind)
    }

    pub(crate) fn rejoined(&self, event: &Event, it: &Rejoined) -> Checked {
        let (child, merge) = (it.child, &it.merge);
        let row = self.rows.actors.get(&child).filter(|row| row.fate.is_none());
        let fits = row.is_some_and(|row| {
            row.home == it.home
                && row.forked_into == Some(it.scope)
                && row.forked_from == Some(it.into)
                && row.parent == Some(merge.parent)
        });
        ensure(fits, "it rejoins an actor that is not a running subagent of the parent")?;
        self.merge(event, child, merge)?;
        self.elsewhere(child, it.scope, &it.elsewhere)?;
        let theirs = it.ended.iter().all(|it| [child, merge.parent].contains(&it.actor));
        ensure(theirs, "it ends a view of another actor")?;
        self.ended(&it.ended)
    }

    pub(crate) fn abandoned(&self, it: &Abandoned) -> Checked {
        let row = self.rows.actors.get(&it.child).filter(|row| row.fate.is_none());
        let fits = row.is_some_and(|row| row.forked_into == Some(it.scope));
        ensure(fits, "it abandons an actor that is not a running subagent")?;
        self.elsewhere(it.child, it.scope, &it.elsewhere)?;
        let own = it.ended.iter().all(|ended| ended.actor == it.child);
        ensure(own, "it ends a view of another actor")?;
        self.ended(&it.ended)
    }

    /// Checks that a merge is in both streams, after the last view of each. That is the view that
    /// the event itself opens, if the stream is the actor's.
    fn merge(&self, event: &Event, child: ActorNo, merge: &Merge) -> Checked {
        let opened = event.body.opens.as_ref().map(|opened| opened.view);
        let entry = |actor: ActorNo| {
            let row = self.rows.actors.get(&actor)?;
            let prev = opened.filter(|_| actor == event.actor).or(row.view);
            Some(StreamEntry { frame: row.home, prev })
        };
        let streams = [entry(merge.parent), entry(child)];
        let said = merge.streams.iter().cloned().map(Some);
        ensure(said.eq(streams.clone()), "its merge is in the wrong streams")?;
        let previous = streams[0].as_ref().and_then(|entry| entry.prev);
        ensure(merge.previous == previous, "its merge follows the wrong views")
    }

    /// Checks that the subagent was in every other scope that it leaves. It may have left already,
    /// or have given up its calls: leaving again changes nothing.
    fn elsewhere(&self, child: ActorNo, own: ScopeNo, elsewhere: &[ScopeNo]) -> Checked {
        let known = |scope: &ScopeNo| {
            let mut rows = self.rows.presences.values();
            rows.any(|row| (row.actor, row.scope) == (child, *scope))
        };
        let fits = elsewhere.is_sorted_by(|a, b| a < b) && !elsewhere.contains(&own);
        ensure(fits && elsewhere.iter().all(known), "it leaves a scope that it was never in")
    }

    fn copied(&self, frame: ScopeNo, copy: &[Container]) -> Checked {
        let rows = self.rows.frames.range((frame, ItemNo(0))..=(frame, ItemNo(i64::MAX)));
        let mut held: Vec<_> = rows.map(|(_, row)| (row.item, row.last_seq, row.visits)).collect();
        let mut said: Vec<_> = copy.iter().map(|it| (it.item, it.last_seq, it.visits)).collect();
        held.sort_unstable();
        said.sort_unstable();
        ensure(held == said, "its first frame is not that of its parent")
    }
}
