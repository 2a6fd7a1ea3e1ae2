//! Operations on the tables of scopes and presence.

use super::PresenceChange;
use crate::{
    ActiveScopesRow, ActorNo, Changes, Event, Millis, Presence, ScopeNo, ScopeRow, ScopeState,
    State, message,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Created(ScopeRow),
    /// The scope is closed: all actors leave it, and their views end.
    Closed {
        scope: ScopeNo,
        seq: i64,
    },
    Totals(ScopeTotals),
    /// The scope's head changes, and nothing else of its row.
    Head {
        scope: ScopeNo,
        seq: i64,
    },
    /// A boundary for every reader of the scope.
    Boundary {
        scope: ScopeNo,
        seq: i64,
    },
    /// A boundary for every reader of the scope but one.
    OthersBoundary {
        scope: ScopeNo,
        actor: ActorNo,
        seq: i64,
    },
    /// The scope became active for an actor.
    Entered {
        actor: ActorNo,
        scope: ScopeNo,
        seq: i64,
    },
    Left {
        actor: ActorNo,
        scope: ScopeNo,
    },
    /// The scope became an actor's primary one.
    Focused {
        actor: ActorNo,
        scope: ScopeNo,
    },
    /// An actor that pinned a scope has a view in its stream, even if it was never in the scope.
    Pinned {
        actor: ActorNo,
        scope: ScopeNo,
    },
    /// An actor's event in the scope.
    Acted {
        actor: ActorNo,
        seq: i64,
        time: Millis,
        here: PresenceChange,
    },
    /// An actor's primary and active scopes after it moved.
    Active(ActiveScopesRow),
}

/// The totals of a scope after an event that opened or closed places in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeTotals {
    pub scope: ScopeNo,
    pub head: i64,
    /// The number of places that the event opened.
    pub places: i64,
    pub sum: i64,
    pub turns: i64,
    pub notes: i64,
    pub note_tokens: i64,
}

impl ScopeTotals {
    /// Returns totals with a new sum of tokens and unchanged numbers of turns and notes.
    pub fn of(scope: ScopeNo, head: i64, sum: i64) -> ScopeTotals {
        ScopeTotals { scope, head, places: 0, sum, turns: 0, notes: 0, note_tokens: 0 }
    }

    /// Updates the scope's row.
    pub fn follow(&self, row: &mut ScopeRow) {
        row.head = self.head;
        row.next_position += self.places;
        row.sum = self.sum;
        row.messages += self.turns;
        row.notes += self.notes;
        row.note_tokens += self.note_tokens;
    }
}

/// Adds the operations for the actor's presence in the scopes that an event touches.
pub(crate) fn presence_changes(at: &Event, out: &mut Changes) {
    let Event { actor, seq, time, .. } = *at;
    for here in &at.body.here {
        if here.gives_up {
            out.push(message::Change::CallsGivenUp { scope: here.scope, actor });
        }
        out.push(Change::Acted { actor, seq, time, here: here.clone() });
    }
}

impl State {
    pub(crate) fn change_scope(&mut self, change: Change) {
        match change {
            Change::Created(row) => self.scope_created(row),
            Change::Closed { scope, seq } => self.scope_closed(scope, seq),
            Change::Totals(totals) => {
                if let Some(row) = self.scope_row_mut(totals.scope) {
                    totals.follow(row);
                }
            }
            Change::Head { scope, seq } => {
                if let Some(row) = self.scope_row_mut(scope) {
                    row.head = seq;
                }
            }
            Change::Boundary { scope, seq } => {
                if let Some(row) = self.scope_row_mut(scope) {
                    row.boundary = seq;
                }
            }
            Change::OthersBoundary { scope, actor, seq } => {
                if !self.is_own(actor)
                    && let Some(presence) = self.presence.get_mut(&scope)
                {
                    presence.boundary = seq;
                }
            }
            Change::Entered { actor, scope, seq } => {
                if let Some(presence) = self.own_presence(actor, scope) {
                    presence.entered_seq = Some(seq);
                }
            }
            Change::Left { actor, scope } => {
                if let Some(presence) = self.own_presence(actor, scope) {
                    presence.entered_seq = None;
                }
                if let Some(own) = self.own_actor(actor) {
                    own.primary = own.primary.filter(|primary| *primary != scope);
                }
            }
            Change::Focused { actor, scope } => {
                if let Some(own) = self.own_actor(actor) {
                    own.primary = Some(scope);
                }
            }
            Change::Pinned { actor, scope } => drop(self.own_presence(actor, scope)),
            Change::Acted { actor, seq, time, here } => {
                if let Some(presence) = self.own_presence(actor, here.scope) {
                    presence.follow(seq, time, &here);
                }
            }
            // The history of active scopes is not part of the State.
            Change::Active(_) => {}
        }
    }

    fn scope_created(&mut self, row: ScopeRow) {
        // A home scope only holds its owner's frame and is never part of the State.
        if row.owner.is_some_and(|owner| self.actor.is_some() && !self.is_own(owner)) {
            return;
        }
        let vaults_own = row.scope == ScopeNo::VAULT;
        if vaults_own && !self.reach.insights {
            return;
        }
        if self.reach.frames {
            self.frames.insert(row.scope, Vec::new());
        }
        if self.reach.streams {
            self.streams.insert(row.scope, None);
        }
        if row.name.is_some() || vaults_own {
            self.scopes.insert(row.scope, ScopeState { row, head_hash: None });
        }
    }

    fn scope_closed(&mut self, scope: ScopeNo, seq: i64) {
        if let Some(row) = self.scope_row_mut(scope) {
            row.closed_seq = Some(seq);
        }
        let presence = self.presence.get_mut(&scope);
        let was_in = presence.is_some_and(|presence| presence.entered_seq.take().is_some());
        if let Some(own) = &mut self.actor {
            own.view_open &= !was_in;
            own.primary = own.primary.filter(|primary| *primary != scope);
        }
    }

    pub(crate) fn scope_row_mut(&mut self, scope: ScopeNo) -> Option<&mut ScopeRow> {
        self.scopes.get_mut(&scope).map(|scope| &mut scope.row)
    }

    /// Returns the actor's presence in a scope if it is the acting actor.
    fn own_presence(&mut self, actor: ActorNo, scope: ScopeNo) -> Option<&mut Presence> {
        if !self.is_own(actor) {
            return None;
        }
        let presence = self.presence.entry(scope).or_default();
        (presence.actor, presence.scope) = (actor, scope);
        Some(presence)
    }
}

impl Presence {
    /// Updates the presence with an event of the actor in the scope.
    pub fn follow(&mut self, seq: i64, time: Millis, here: &PresenceChange) {
        self.last_time = Some(time);
        if here.boundary {
            self.boundary = seq;
        }
        if let Some(end) = here.answered {
            (self.answered, self.answered_seq) = (end, seq);
            if here.folds {
                (self.fold, self.fold_seq) = (end, seq);
            }
        }
    }
}
