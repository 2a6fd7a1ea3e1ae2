//! Events about subagents.

use serde::{Deserialize, Serialize};

use crate::log::{Fact, Target};
use crate::view::end_views;
use crate::{
    ActiveScopes, ActiveScopesRow, ActorKind, ActorNo, ActorRow, Changes, Container, Event, Fate,
    FrameRow, Hash, Inherit, ScopeNo, ScopeRow, StreamEntry, StreamRow, VaultState, ViewEnded,
    ViewNo, ViewRow, actor, frame, message, scope, view,
};

/// A subagent was forked, with a frame and a scope of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forked {
    pub child: Child,
    pub scope: ScopeNo,
    pub scope_id: String,
    pub name: String,
    /// The scope that the subagent was forked from.
    pub from: ScopeNo,
    pub inherit: Inherit,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_note: Option<Hash>,
}

/// A new subagent, with copies of its parent's frames.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Child {
    pub actor: ActorNo,
    pub id: String,
    pub home: ScopeNo,
    pub home_id: String,
    /// The number of forks between the subagent and an actor that was not forked.
    pub depth: i64,
    /// The event of the parent's last break.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub break_seq: i64,
    /// Copies of the frames of the forking actor and of the scope it forked from.
    pub mind: Vec<Container>,
    pub scope_mind: Vec<Container>,
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

impl Fact for Forked {
    fn word(&self) -> &'static str {
        "forked"
    }

    fn target(&self) -> Target<'_> {
        Target::Actor(self.child.actor)
    }

    fn highest_number(&self) -> i64 {
        self.child.actor.0.max(self.child.home.0).max(self.scope.0)
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        let Event { seq, actor: parent, .. } = *at;
        let Forked { child, scope, .. } = self;
        let (actor, scope) = (child.actor, *scope);
        out.push(scope::Change::Created(ScopeRow {
            name: Some(self.name.clone()),
            parent: Some(self.from),
            last_note: self.last_note,
            inherit: self.inherit,
            ..ScopeRow::created(at, scope, &self.scope_id)
        }));
        let home = ScopeRow::created(at, child.home, &child.home_id);
        out.push(scope::Change::Created(ScopeRow { owner: Some(actor), ..home }));
        out.push(actor::Change::Registered(Box::new(ActorRow {
            actor,
            id: child.id.clone(),
            name: self.name.clone(),
            kind: ActorKind::Subagent,
            home: child.home,
            primary: Some(scope),
            view: None,
            view_open: false,
            view_pin: None,
            view_capture: None,
            view_time: 0,
            break_seq: child.break_seq,
            parent: Some(parent),
            forked_from: Some(self.from),
            forked_into: Some(scope),
            depth: child.depth,
            fate: None,
        })));
        out.push(scope::Change::Entered { actor, scope, seq });
        let stands = ActiveScopes { primary: Some(scope), active: vec![scope] };
        out.push(scope::Change::Active(ActiveScopesRow { actor, seq, stands }));
        for (frame, containers) in [(child.home, &child.mind), (scope, &child.scope_mind)] {
            for Container { item, last_seq, visits } in containers.iter().cloned() {
                out.push(frame::Change::Copied(FrameRow { scope: frame, item, last_seq, visits }));
            }
        }
    }

    fn vault(&self, _seq: i64, vault: &mut VaultState) {
        vault.scopes += 1;
    }
}

/// A subagent rejoined: its stream ends in a merge, its scope is closed, its frame is deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rejoined {
    pub child: ActorNo,
    pub home: ScopeNo,
    pub scope: ScopeNo,
    pub into: ScopeNo,
    pub merge: Merge,
    /// The open views that this event ends, except the acting actor's.
    pub ended: Vec<ViewEnded>,
    /// The other scopes in which the subagent was active or had open calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<ScopeNo>,
}

/// The one view that two streams share when a subagent rejoins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Merge {
    pub view: ViewNo,
    pub id: String,
    pub parent: ActorNo,
    /// The parent's previous view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<ViewNo>,
    /// The parent's stream, and the child's.
    pub streams: Vec<StreamEntry>,
}

impl Fact for Rejoined {
    fn word(&self) -> &'static str {
        "rejoined"
    }

    fn target(&self) -> Target<'_> {
        Target::Actor(self.child)
    }

    fn highest_number(&self) -> i64 {
        self.merge.view.0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        leave_all(at, self.child, &self.elsewhere, out);
        end(at, (self.child, Fate::Rejoined), self.scope, &self.ended, out);
    }

    /// Adds the merge to both streams, as the last view of both actors. It comes after the view of
    /// the event itself.
    fn changes_after_view(&self, at: &Event, out: &mut Changes) {
        let Event { seq, time, .. } = *at;
        let Rejoined { child, home, merge, .. } = self;
        let view = merge.view;
        out.push(view::Change::Opened(ViewRow {
            view,
            id: merge.id.clone(),
            actor: merge.parent,
            started_seq: seq,
            started_at: time,
            previous: merge.previous,
            ended_seq: Some(seq),
            merges: Some(*home),
            fossil_seq: None,
        }));
        for entry in &merge.streams {
            let (frame, prev) = (entry.frame, entry.prev);
            out.push(view::Change::Stream(StreamRow { frame, position: seq, view, prev }));
        }
        for actor in [merge.parent, *child] {
            out.push(view::Change::Last { actor, view });
        }
        out.push(frame::Change::Dropped { frame: *home });
    }
}

/// A subagent was abandoned. The next housekeeping deletes its frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Abandoned {
    pub child: ActorNo,
    pub scope: ScopeNo,
    pub ended: Vec<ViewEnded>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<ScopeNo>,
}

impl Fact for Abandoned {
    fn word(&self) -> &'static str {
        "abandoned"
    }

    fn target(&self) -> Target<'_> {
        Target::Actor(self.child)
    }

    fn highest_number(&self) -> i64 {
        0
    }

    fn changes(&self, at: &Event, out: &mut Changes) {
        leave_all(at, self.child, &self.elsewhere, out);
        end(at, (self.child, Fate::Abandoned), self.scope, &self.ended, out);
    }
}

/// Takes a subagent that ended out of its other scopes and gives up its open calls there.
fn leave_all(at: &Event, actor: ActorNo, elsewhere: &[ScopeNo], out: &mut Changes) {
    for scope in elsewhere.iter().copied() {
        out.push(message::Change::CallsGivenUp { scope, actor });
        out.push(scope::Change::Left { actor, scope });
    }
    if !elsewhere.is_empty() {
        let stands = ActiveScopes { primary: None, active: Vec::new() };
        out.push(scope::Change::Active(ActiveScopesRow { actor, seq: at.seq, stands }));
    }
}

/// Adds the operations that end a subagent, except the merge.
fn end(
    at: &Event,
    (actor, fate): (ActorNo, Fate),
    scope: ScopeNo,
    ended: &[ViewEnded],
    out: &mut Changes,
) {
    let seq = at.seq;
    end_views(at, ended, out);
    out.push(message::Change::CallsGivenUp { scope, actor });
    out.push(scope::Change::Closed { scope, seq });
    out.push(actor::Change::Ended { actor, fate, seq });
}
