//! `fork`, `rejoin` and `abandon`: decides how subagents begin and end.

use crate::decide::{Draft, Stop};
use crate::note::Written;
use crate::{
    AbandonAnswer, Abandoned, ActorKind, ActorNo, ActorRow, Answer, Child, Container, Counted,
    Fate, ForkAnswer, ForkRefusal, Forked, Inherit, Key, Merge, NameRefusal, NoteRef, Reach,
    RejoinAnswer, Rejoined, ScopeNo, StreamEntry, SubagentState, ViewEnded, ViewNo, What,
    check_label,
};

impl Draft<'_> {
    pub(crate) fn fork(
        &mut self,
        name: &str,
        task: &Counted,
        inherit: Inherit,
    ) -> Result<Answer, Stop> {
        let origin = self.working()?;
        check_label("scope", name, self.setting(ScopeNo::VAULT, Key::NameCharsMax))?;
        self.check_note(task)?;
        self.check_fork(name)?;
        self.ensure_actor()?;
        let parent = self.registered()?.clone();
        let frame = |frame: ScopeNo| -> Result<Vec<Container>, Stop> {
            let found = self.state.frames.get(&frame).cloned();
            found.ok_or(Stop::Need(Reach { frames: true, ..Reach::default() }))
        };
        let (mind, scope_mind) = (frame(parent.home)?, frame(origin.scope)?);
        let child = Child {
            actor: ActorNo(self.allot()),
            id: self.fresh.id("act"),
            home: ScopeNo(self.allot()),
            home_id: self.fresh.id("scp"),
            depth: parent.depth + 1,
            break_seq: parent.break_seq,
            mind,
            scope_mind,
        };
        let scope = ScopeNo(self.allot());
        let scope_id = self.fresh.id("scp");
        let last_note = origin.last_note.filter(|_| inherit != Inherit::None);
        let answer = ForkAnswer {
            actor: name.to_string(),
            actor_id: child.id.clone(),
            scope: name.to_string(),
            scope_id: scope_id.clone(),
            frame: child.home_id.clone(),
            origin: origin.name.clone().unwrap_or_default(),
            inherit,
            // A lowered frame_size applies at once.
            in_mind: (child.mind.len() as i64).min(self.setting(child.home, Key::FrameSize)),
            note: NoteRef { hash: String::new() },
            event: 0,
        };
        let name = name.to_string();
        let from = origin.scope;
        let what = What::Forked(Forked { child, scope, scope_id, name, from, inherit, last_note });
        self.emit(what, Vec::new())?;
        let (event, forked) =
            self.events.last().map_or((0, None), |last| (last.event.seq, Some(last.hash)));
        // The note's snapshot is the new scope before the note.
        self.before.push((scope, event, forked));
        self.ending = true;
        let written = Written { scope, mind: from, visits: false };
        let hash = self.write_note(written, task, None)?;
        let note = NoteRef { hash: hash.to_hex() };
        Ok(Answer::Forked(ForkAnswer { note, event, ..answer }))
    }

    fn check_fork(&self, name: &str) -> Result<(), Stop> {
        // An actor that acts for the first time takes its name with this command.
        let own = self.context.actor == name;
        if own || self.state.find_scope(name).is_some() || self.is_taken("actor", name)? {
            let (cannot, by, name) = ("fork", "a scope or an actor", name.into());
            return Err(NameRefusal::Taken { cannot, by, name }.into());
        }
        self.check_scopes(name)?;
        let depth = self.state.actor.as_ref().map_or(0, |actor| actor.depth);
        let max = self.setting(ScopeNo::VAULT, Key::ForkDepthMax);
        if depth >= max {
            return Err(ForkRefusal::TooDeep { name: name.into(), depth: depth + 1, max }.into());
        }
        Ok(())
    }

    pub(crate) fn rejoin(
        &mut self,
        child: &str,
        note: Option<&Counted>,
        deep: bool,
    ) -> Result<Answer, Stop> {
        let mut subagents = std::mem::take(&mut self.state.subagents);
        let Some(top) = subagents.last().cloned() else {
            return Err(no_child(child).into());
        };
        self.may_end(&top)?;
        if let Some(answer) = rejoined_before(&top, &self.state)? {
            return Ok(answer);
        }
        check_deep(&subagents, deep)?;
        if let Some(note) = note {
            self.check_note(note)?;
        }
        self.ensure_actor()?;
        let into = self.note_goes_into(&top.actor)?;
        // The note comes first, because its capture must show the frame before the merge.
        if let Some(note) = note {
            self.write_note(Written { scope: into, mind: into, visits: false }, note, None)?;
        }
        let mut merge = None;
        for at in 0..subagents.len() {
            merge = Some(self.merge(&mut subagents, at)?);
        }
        let also =
            subagents[..subagents.len() - 1].iter().map(|it| it.actor.name.clone()).collect();
        Ok(Answer::Rejoined(RejoinAnswer {
            merged_at: self.now,
            child: top.actor.name.clone(),
            child_scope: self.scope_of(&top.actor),
            parent_scope: self.state.scope_name(into),
            view: merge,
            event: self.state.vault.head_seq,
            also,
        }))
    }

    /// Returns the scope that receives the note of a rejoin: the one that the subagent was forked
    /// from, or `main` if that is closed by now and would show the note to nobody.
    fn note_goes_into(&self, child: &ActorRow) -> Result<ScopeNo, Stop> {
        let from = child.forked_from.unwrap_or(self.state.vault.main);
        match self.row(from)?.closed_seq {
            None => Ok(from),
            Some(_) => Ok(self.state.vault.main),
        }
    }

    /// Ends one subagent's stream in a merge, and returns the id of the merge.
    fn merge(&mut self, subagents: &mut [SubagentState], at: usize) -> Result<String, Stop> {
        let it = subagents[at].clone();
        let (child, parent) = (self.fresh_row(&it.actor), self.fresh_row(&it.parent));
        let (own, opened) = (self.actor(), self.would_open()?);
        // The merge comes after the view that this event may open.
        let last = |row: &ActorRow| opened.filter(|_| row.actor == own).or(row.view);
        let (previous, child_prev) = (last(&parent), last(&child));
        let ends = |row: &&ActorRow| row.view_open && row.actor != own;
        let ended = [&child, &parent].into_iter().filter(ends);
        let ended = ended
            .filter_map(|row| row.view.map(|view| ViewEnded { actor: row.actor, view }))
            .collect();
        // The event allots the number of the merge after that of the view it may open.
        let next = self.state.vault.next;
        let view = ViewNo(opened.map_or(next, |opened| opened.0 + 1));
        let id = self.fresh.id("viw");
        let streams = vec![
            StreamEntry { frame: parent.home, prev: previous },
            StreamEntry { frame: child.home, prev: child_prev },
        ];
        let merge = Merge { view, id: id.clone(), parent: parent.actor, previous, streams };
        let scope = forked_into(&child)?;
        let into = child.forked_from.ok_or_else(|| unforked(&child))?;
        self.ending = true;
        let (actor, home, elsewhere) = (child.actor, child.home, it.elsewhere);
        let what =
            What::Rejoined(Rejoined { child: actor, home, scope, into, merge, ended, elsewhere });
        self.emit(what, Vec::new())?;
        // The other rows in memory must show the merge too.
        for other in subagents.iter_mut() {
            for row in [&mut other.actor, &mut other.parent] {
                if row.actor == child.actor || row.actor == parent.actor {
                    (row.view, row.view_open) = (Some(view), false);
                }
            }
        }
        Ok(id)
    }

    /// Returns the current row of an actor. Only the acting actor's row changes with each event;
    /// the other rows are as they were read.
    fn fresh_row(&self, row: &ActorRow) -> ActorRow {
        match &self.state.actor {
            Some(own) if own.actor == row.actor => own.clone(),
            _ => row.clone(),
        }
    }

    /// Returns the view that the next event would open, if any.
    fn would_open(&mut self) -> Result<Option<ViewNo>, Stop> {
        let next = self.state.vault.next;
        let (view, opens) = self.view_for(&What::Broke)?;
        self.state.vault.next = next;
        Ok(opens.and(view))
    }

    pub(crate) fn abandon(&mut self, child: &str, deep: bool) -> Result<Answer, Stop> {
        let subagents = std::mem::take(&mut self.state.subagents);
        let Some(top) = subagents.last().cloned() else {
            return Err(no_child(child).into());
        };
        if self.state.actor.as_ref().is_some_and(|own| own.actor == top.actor.actor) {
            return Err(ForkRefusal::Itself { name: top.actor.name }.into());
        }
        self.may_end(&top)?;
        if let Some((fate, _)) = top.actor.fate {
            return Err(ended(&top.actor.name, fate).into());
        }
        check_deep(&subagents, deep)?;
        self.ensure_actor()?;
        for it in &subagents {
            let row = &it.actor;
            let open = row.view.filter(|_| row.view_open);
            let ended = open.map(|view| ViewEnded { actor: row.actor, view });
            let (child, scope) = (row.actor, forked_into(row)?);
            let ended = ended.into_iter().collect();
            // Closing the scope takes the actor out of it, and a view's streams are fixed.
            let inside = self.state.active_scopes().contains(&scope);
            self.ending = inside;
            let elsewhere = it.elsewhere.clone();
            self.emit(What::Abandoned(Abandoned { child, scope, ended, elsewhere }), Vec::new())?;
        }
        Ok(Answer::Abandoned(AbandonAnswer {
            child: top.actor.name.clone(),
            child_scope: self.scope_of(&top.actor),
            also: subagents[..subagents.len() - 1].iter().map(|it| it.actor.name.clone()).collect(),
            event: self.state.vault.head_seq,
        }))
    }

    /// Returns the name of a subagent's scope, which is the subagent's own name.
    fn scope_of(&self, child: &ActorRow) -> String {
        child.name.clone()
    }

    /// Checks that the caller may end a subagent: the subagent itself, an ancestor or an operator.
    fn may_end(&self, subagent: &SubagentState) -> Result<(), Stop> {
        let own = self.state.actor.as_ref();
        let kind = own.map_or(self.context.kind, |actor| actor.kind);
        let related = own.is_some_and(|own| {
            own.actor == subagent.actor.actor || subagent.ancestors.contains(&own.actor)
        });
        if related || kind == ActorKind::Operator {
            return Ok(());
        }
        // A caller that may not end a subagent does not learn that it exists.
        Err(no_child(&subagent.actor.name).into())
    }
}

/// Returns the scope that a subagent was forked into.
fn forked_into(child: &ActorRow) -> Result<ScopeNo, Stop> {
    child.forked_into.ok_or_else(|| unforked(child))
}

fn unforked(child: &ActorRow) -> Stop {
    Stop::Damaged(format!("the row of subagent {} names no fork", child.actor))
}

fn no_child(name: &str) -> ForkRefusal {
    ForkRefusal::Missing { name: name.into() }
}

fn ended(name: &str, fate: Fate) -> ForkRefusal {
    ForkRefusal::Ended { name: name.into(), fate }
}

/// Returns the first answer if the subagent has rejoined already.
fn rejoined_before(top: &SubagentState, state: &crate::State) -> Result<Option<Answer>, Stop> {
    match top.actor.fate {
        None => Ok(None),
        Some((Fate::Abandoned, _)) => Err(ended(&top.actor.name, Fate::Abandoned).into()),
        Some((Fate::Rejoined, event)) => Ok(Some(Answer::Rejoined(RejoinAnswer {
            merged_at: top.ended_at.ok_or_else(|| {
                Stop::Damaged(format!("event {event} that ended {} is missing", top.actor.actor))
            })?,
            child: top.actor.name.clone(),
            child_scope: top.actor.name.clone(),
            parent_scope: state.scope_name(went_into(top, state, event)),
            view: None,
            event,
            also: Vec::new(),
        }))),
    }
}

/// Returns the scope that received the note of an earlier rejoin, or would have received it.
fn went_into(top: &SubagentState, state: &crate::State, event: i64) -> ScopeNo {
    let main = state.vault.main;
    let from = top.actor.forked_from.unwrap_or(main);
    let closed = state.scopes.get(&from).and_then(|it| it.row.closed_seq);
    if closed.is_some_and(|seq| seq < event) { main } else { from }
}

fn check_deep(subagents: &[SubagentState], deep: bool) -> Result<(), Stop> {
    let Some((top, below)) = subagents.split_last().filter(|(_, below)| !below.is_empty() && !deep)
    else {
        return Ok(());
    };
    let below = below.iter().map(|it| it.actor.name.clone()).collect();
    Err(ForkRefusal::StillAtWork { name: top.actor.name.clone(), below }.into())
}
