//! `State::apply`: what an event does to the State at hand. The contract suite compares it with
//! what a store reads after it has written the same event.

use crate::{
    ActorNo, Change, Container, Forgettable, Here, InView, ItemNo, Logged, Millis, Presence,
    ScopeNo, ScopeRow, ScopeState, Setting, SettingRow, Shows, State, VaultState, What, changes,
};

impl VaultState {
    /// The vault's row after an event.
    pub fn follow(&mut self, logged: &Logged) {
        let event = &logged.event;
        self.head_seq = event.seq;
        self.head_hash = logged.hash;
        self.time = event.time;
        self.next = self.next.max(event.highest_number() + 1);
        match &event.body.what {
            What::VaultCreated { main, .. } => {
                self.main = *main;
                self.scopes = 1;
            }
            What::ScopeCreated { .. } | What::Forked { .. } => self.scopes += 1,
            What::Set { scope: None, boundary: true, .. }
            | What::Forgotten { everywhere: true, .. }
            | What::Noted { scope: ScopeNo::VAULT, .. }
            | What::Retracted { .. } => self.boundary = event.seq,
            What::Registered { .. }
            | What::Entered { .. }
            | What::Left { .. }
            | What::Focused { .. }
            | What::Broke
            | What::Put { .. }
            | What::Visited { .. }
            | What::Placed { .. }
            | What::Displaced { .. }
            | What::Rejoined { .. }
            | What::Abandoned { .. }
            | What::Tidied { .. }
            | What::Appended { .. }
            | What::Noted { .. }
            | What::Carried { .. }
            | What::Rewound { .. }
            | What::Cleared { .. }
            | What::Set { .. }
            | What::Forgotten { .. } => {}
        }
    }
}

impl State {
    /// Brings the State up to date with an event, the acting actor's own or another's.
    pub fn apply(&mut self, logged: &Logged) {
        self.vault.follow(logged);
        for change in changes(&logged.event) {
            self.change(change);
        }
        // Whatever made this event a scope's head also gives the head's hash.
        for scope in self.scopes.values_mut() {
            if scope.row.head == logged.event.seq && self.reach.head_hashes {
                scope.head_hash = Some(logged.hash);
            }
        }
    }

    /// Whether an actor is the acting one.
    fn is_own(&self, actor: ActorNo) -> bool {
        self.actor.as_ref().is_some_and(|own| own.actor == actor)
    }

    fn change(&mut self, change: Change) {
        match change {
            Change::Scope(row) => self.scope_created(row),
            // Whoever acts was there before all others that are seen to come.
            Change::Actor(row) => drop(self.actor.get_or_insert(row)),
            Change::Enter { actor, .. }
            | Change::Leave { actor, .. }
            | Change::Known { actor, .. }
            | Change::Focus { actor, .. }
            | Change::Here { actor, .. }
            | Change::Break { actor, .. }
            | Change::Fate { actor, .. }
            | Change::LastView { actor, .. }
            | Change::InView(InView { actor, .. })
                if !self.is_own(actor) => {}
            Change::Enter { actor, scope, seq } => {
                self.standing(actor, scope).entered_seq = Some(seq);
            }
            Change::Known { actor, scope } => drop(self.standing(actor, scope)),
            Change::Leave { actor, scope } => {
                self.standing(actor, scope).entered_seq = None;
                if let Some(actor) = &mut self.actor
                    && actor.primary == Some(scope)
                {
                    actor.primary = None;
                }
            }
            Change::Focus { scope, .. } => {
                if let Some(actor) = &mut self.actor {
                    actor.primary = Some(scope);
                }
            }
            Change::Stream(row) => {
                if let Some(last) = self.streams.get_mut(&row.frame) {
                    *last = Some(row.view);
                }
            }
            Change::InView(in_view) => self.in_view(&in_view),
            Change::Break { seq, .. } => {
                self.own(|actor| (actor.break_seq, actor.view) = (seq, None));
            }
            Change::Fate { fate, seq, .. } => self.own(|actor| actor.fate = Some((fate, seq))),
            Change::LastView { view, .. } => {
                self.own(|actor| (actor.view, actor.view_open) = (Some(view), false));
            }
            Change::CloseScope { scope, seq } => self.close_scope(scope, seq),
            other => self.change_frame(other),
        }
    }

    fn own(&mut self, change: impl FnOnce(&mut crate::ActorRow)) {
        if let Some(actor) = &mut self.actor {
            change(actor);
        }
    }

    fn close_scope(&mut self, scope: ScopeNo, seq: i64) {
        if let Some(row) = self.row_mut(scope) {
            row.closed_seq = Some(seq);
        }
        let standing = self.presence.get_mut(&scope).filter(|it| it.entered_seq.is_some());
        if let Some(standing) = standing {
            standing.entered_seq = None;
            self.own(|actor| actor.view_open = false);
        }
        self.own(|actor| actor.primary = actor.primary.filter(|primary| *primary != scope));
    }

    /// The changes to frames.
    fn change_frame(&mut self, change: Change) {
        match change {
            Change::Remember { frame, item, seq } => self.remember(frame, item, seq),
            Change::Evict { frame, item } => {
                if let Some(containers) = self.frames.get_mut(&frame) {
                    containers.retain(|container| container.item != item);
                }
            }
            Change::Frame(row) => {
                if let Some(containers) = self.frames.get_mut(&row.scope) {
                    let (item, last_seq, visits) = (row.item, row.last_seq, row.visits);
                    containers.push(Container { item, last_seq, visits });
                }
            }
            Change::DropFrame { frame } => {
                if let Some(containers) = self.frames.get_mut(&frame) {
                    containers.clear();
                }
            }
            other => self.change_scope(other),
        }
    }

    /// The changes to calls, scopes and settings.
    fn change_scope(&mut self, change: Change) {
        match change {
            Change::OpenCall(call) if self.reach.calls_of_all || self.is_own(call.actor) => {
                self.calls.push(call);
            }
            Change::Answered { scope, item } => {
                self.calls.retain(|call| (call.scope, call.item) != (scope, item));
            }
            Change::GiveUp { scope, actor } => {
                self.calls.retain(|call| (call.scope, call.actor) != (scope, actor));
            }
            Change::ClosePlaces { scope, from, to, .. } => {
                self.calls.retain(|call| call.scope != scope || !(from..=to).contains(&call.anchor))
            }
            Change::Shows(shows) => self.shows(&shows),
            Change::Note(note) => {
                if let Some(scope) = self.row_mut(note.scope) {
                    scope.last_note = Some(note.hash);
                }
            }
            Change::Head { scope, seq } => {
                if let Some(scope) = self.row_mut(scope) {
                    scope.head = seq;
                }
            }
            Change::Here { actor, seq, time, here } => {
                let standing = self.standing(actor, here.scope);
                standing.follow(seq, time, &here);
            }
            Change::ScopeBoundary { scope, seq } => {
                if let Some(scope) = self.row_mut(scope) {
                    scope.boundary = seq;
                }
            }
            Change::OthersBoundary { scope, actor, seq } if !self.is_own(actor) => {
                if let Some(standing) = self.presence.get_mut(&scope) {
                    standing.boundary = seq;
                }
            }
            // What is set elsewhere is not at hand.
            Change::Set(SettingRow { scope, .. }) | Change::Unset { scope, .. }
                if scope != ScopeNo::VAULT && !self.scopes.contains_key(&scope) => {}
            Change::Set(row) => {
                if let Ok(setting) = Setting::find(&row.name)
                    && let Ok(value) = setting.parse(&row.value)
                {
                    self.settings.0.insert((row.scope, setting.key), value);
                }
            }
            Change::Unset { scope, name } => {
                if let Ok(setting) = Setting::find(&name) {
                    self.settings.0.remove(&(scope, setting.key));
                }
            }
            other => beside(&other),
        }
    }

    fn scope_created(&mut self, row: ScopeRow) {
        // A home scope only holds a frame, its owner's: it is never among the scopes at hand.
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

    fn row_mut(&mut self, scope: ScopeNo) -> Option<&mut ScopeRow> {
        self.scopes.get_mut(&scope).map(|scope| &mut scope.row)
    }

    fn standing(&mut self, actor: ActorNo, scope: ScopeNo) -> &mut Presence {
        let standing = self.presence.entry(scope).or_default();
        (standing.actor, standing.scope) = (actor, scope);
        standing
    }

    fn in_view(&mut self, in_view: &InView) {
        if let Some(actor) = &mut self.actor {
            in_view.follow(actor);
        }
    }

    fn remember(&mut self, frame: ScopeNo, item: ItemNo, seq: i64) {
        if let Some(containers) = self.frames.get_mut(&frame) {
            let known = containers.iter().position(|container| container.item == item);
            let visits = known.map_or(0, |index| containers.remove(index).visits) + 1;
            containers.insert(0, Container { item, last_seq: seq, visits });
        }
    }

    fn shows(&mut self, shows: &Shows) {
        if let Some(row) = self.row_mut(shows.scope) {
            shows.follow(row);
        }
    }
}

/// The changes that are not the State's, each by its name, so that a new one is not passed over.
fn beside(change: &Change) {
    match change {
        // The vault's row follows the event itself.
        Change::VaultBoundary { .. } => {}
        // Others' standing and calls, and the rows of items, texts and views, are not part of
        // the State.
        Change::OpenCall(_)
        | Change::OthersBoundary { .. }
        | Change::View(_)
        | Change::EndView { .. }
        | Change::Fossil { .. }
        | Change::Stand(_)
        | Change::Object(_)
        | Change::Version(_)
        | Change::Delta(_)
        | Change::Item(_)
        | Change::Turn(_)
        | Change::Place(_)
        | Change::Visit(_)
        | Change::ClosePlace { .. }
        | Change::Resum { .. }
        | Change::ForgetItem { .. }
        | Change::ForgetShape { .. }
        | Change::ForgetContent { .. }
        | Change::Mark { .. } => {}
        // Seen to before.
        Change::Note(_)
        | Change::Answered { .. }
        | Change::GiveUp { .. }
        | Change::ClosePlaces { .. }
        | Change::Shows(_)
        | Change::Head { .. }
        | Change::Here { .. }
        | Change::ScopeBoundary { .. }
        | Change::Set(_)
        | Change::Unset { .. }
        | Change::Scope(_)
        | Change::Actor(_)
        | Change::Enter { .. }
        | Change::Leave { .. }
        | Change::Known { .. }
        | Change::Focus { .. }
        | Change::Stream(_)
        | Change::InView(_)
        | Change::Break { .. }
        | Change::Fate { .. }
        | Change::LastView { .. }
        | Change::CloseScope { .. }
        | Change::Remember { .. }
        | Change::Evict { .. }
        | Change::Frame(_)
        | Change::DropFrame { .. } => {}
    }
}

impl Shows {
    /// A scope's row after it.
    pub fn follow(&self, row: &mut ScopeRow) {
        row.head = self.head;
        row.next_position += self.places;
        row.sum = self.sum;
        row.messages += self.turns;
        row.notes += self.notes;
        row.note_tokens += self.note_tokens;
    }
}

impl InView {
    /// An actor's row after it.
    pub fn follow(&self, actor: &mut crate::ActorRow) {
        if let Some(pin) = self.opened {
            actor.view_pin = pin;
            actor.view_capture = None;
        }
        actor.view = Some(self.view);
        actor.view_open = self.open;
        actor.view_capture = self.capture.or(actor.view_capture);
        actor.view_time = self.time;
    }
}

impl Presence {
    /// The standing after an event of the actor in the scope.
    pub fn follow(&mut self, seq: i64, time: Millis, here: &Here) {
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

impl State {
    /// What is left of a State when only what every read gives is compared: lookups made for one
    /// command, a chain or a turn, are not read again.
    pub fn settled(mut self) -> State {
        self.chain = None;
        self.turn = None;
        self.batches.clear();
        self.selected = Forgettable::default();
        self.objects.clear();
        self.kin = Vec::new();
        self.name_taken = false;
        self.calls.sort_by_key(|call| (call.scope, call.anchor, call.item));
        self
    }
}
