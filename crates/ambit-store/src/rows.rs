//! All rows of a vault in memory: the simplest thing that follows `changes`. The reference store
//! keeps its rows this way, and `verify` rebuilds them from the log to compare.

use std::collections::BTreeMap;

use ambit_core::{
    ActorNo, ActorRow, Change, ContentNo, DeltaRow, FrameRow, ItemNo, ItemRow, Logged, NoteRow,
    ObjectRow, OpenCallRow, PlaceRow, PresenceRow, ScopeNo, ScopeRow, StandRow, StreamRow, TurnRow,
    VaultState, VersionRow, ViewNo, ViewRow, VisitRow, changes,
};

/// Every table of a vault but the log and its contents, by primary key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    pub vault: VaultState,
    pub scopes: BTreeMap<ScopeNo, ScopeRow>,
    pub actors: BTreeMap<ActorNo, ActorRow>,
    pub presences: BTreeMap<(ActorNo, ScopeNo), PresenceRow>,
    pub items: BTreeMap<ItemNo, ItemRow>,
    pub places: BTreeMap<(ScopeNo, i64), PlaceRow>,
    pub turns: BTreeMap<i64, TurnRow>,
    pub notes: BTreeMap<(ScopeNo, i64), NoteRow>,
    pub objects: BTreeMap<ItemNo, ObjectRow>,
    pub versions: BTreeMap<(ItemNo, i64), VersionRow>,
    pub visits: BTreeMap<(ScopeNo, i64), VisitRow>,
    pub deltas: BTreeMap<(ScopeNo, i64), DeltaRow>,
    pub stands: BTreeMap<(ActorNo, i64), StandRow>,
    pub views: BTreeMap<ViewNo, ViewRow>,
    pub streams: BTreeMap<(ScopeNo, i64, ViewNo), StreamRow>,
    pub frames: BTreeMap<(ScopeNo, ItemNo), FrameRow>,
    pub calls: BTreeMap<(ScopeNo, ItemNo), OpenCallRow>,
    pub settings: BTreeMap<(ScopeNo, String), String>,
    /// What was wrong with rows that could not be read.
    pub unreadable: Vec<String>,
}

impl Rows {
    /// How many rows there are beside the vault's own.
    pub fn count(&self) -> i64 {
        let counts = [
            self.scopes.len(),
            self.actors.len(),
            self.presences.len(),
            self.items.len(),
            self.places.len(),
            self.turns.len(),
            self.notes.len(),
            self.objects.len(),
            self.versions.len(),
            self.visits.len(),
            self.deltas.len(),
            self.stands.len(),
            self.views.len(),
            self.streams.len(),
            self.frames.len(),
            self.calls.len(),
            self.settings.len(),
        ];
        counts.iter().sum::<usize>() as i64
    }

    /// Follows one event.
    pub fn apply(&mut self, logged: &Logged) {
        self.vault.follow(logged);
        for change in changes(&logged.event) {
            self.change(change);
        }
    }

    pub(crate) fn change(&mut self, change: Change) {
        match change {
            Change::Scope(row) => drop(self.scopes.insert(row.scope, row)),
            Change::Actor(row) => drop(self.actors.insert(row.actor, row)),
            Change::Enter { actor, scope, seq } => {
                self.presence(actor, scope).entered_seq = Some(seq);
            }
            Change::Known { actor, scope } => drop(self.presence(actor, scope)),
            Change::Leave { actor, scope } => {
                self.presence(actor, scope).entered_seq = None;
                if let Some(row) = self.actors.get_mut(&actor)
                    && row.primary == Some(scope)
                {
                    row.primary = None;
                }
            }
            Change::Focus { actor, scope } => {
                if let Some(row) = self.actors.get_mut(&actor) {
                    row.primary = Some(scope);
                }
            }
            Change::Here { actor, seq, time, here } => {
                self.presence(actor, here.scope).follow(seq, time, &here);
            }
            Change::OthersBoundary { scope, actor, seq } => {
                let others = self.presences.values_mut();
                others
                    .filter(|row| row.scope == scope && row.actor != actor)
                    .for_each(|row| row.boundary = seq);
            }
            // The vault's own row follows the event itself.
            Change::VaultBoundary { .. } => {}
            other => self.change_tables(other),
        }
    }

    fn change_tables(&mut self, change: Change) {
        match change {
            Change::View(row) => drop(self.views.insert(row.view, row)),
            Change::Stream(row) => {
                self.streams.insert((row.frame, row.position, row.view), row);
            }
            Change::EndView { view, seq } => {
                if let Some(row) = self.views.get_mut(&view) {
                    row.ended_seq = Some(seq);
                }
            }
            Change::InView(in_view) => {
                if let Some(row) = self.actors.get_mut(&in_view.actor) {
                    in_view.follow(row);
                }
            }
            Change::Item(row) => drop(self.items.insert(row.item, row)),
            Change::Turn(row) => drop(self.turns.insert(row.turn, row)),
            Change::Place(row) => drop(self.places.insert((row.scope, row.position), row)),
            Change::Note(row) => {
                if let Some(scope) = self.scopes.get_mut(&row.scope) {
                    scope.last_note = Some(row.hash);
                }
                self.notes.insert((row.scope, row.position), row);
            }
            Change::Visit(row) => drop(self.visits.insert((row.frame, row.seq), row)),
            Change::Remember { frame, item, seq } => {
                let row = FrameRow { scope: frame, item, last_seq: seq, visits: 0 };
                let row = self.frames.entry((frame, item)).or_insert(row);
                row.last_seq = seq;
                row.visits += 1;
            }
            Change::Evict { frame, item } => drop(self.frames.remove(&(frame, item))),
            Change::OpenCall(row) => drop(self.calls.insert((row.scope, row.item), row)),
            Change::Answered { scope, item } => drop(self.calls.remove(&(scope, item))),
            Change::GiveUp { scope, actor } => {
                self.calls.retain(|_, row| (row.scope, row.actor) != (scope, actor));
            }
            Change::ClosePlaces { scope, from, to, seq } => self.close(scope, from, to, seq),
            Change::ClosePlace { scope, position, seq } => {
                let place = self.places.get_mut(&(scope, position));
                if let Some(row) = place.filter(|row| row.to_seq.is_none()) {
                    row.to_seq = Some(seq);
                }
            }
            Change::Resum { scope, after } => self.resum(scope, after),
            Change::Shows(shows) => {
                if let Some(row) = self.scopes.get_mut(&shows.scope) {
                    shows.follow(row);
                }
            }
            Change::Head { scope, seq } => {
                if let Some(row) = self.scopes.get_mut(&scope) {
                    row.head = seq;
                }
            }
            Change::ScopeBoundary { scope, seq } => {
                if let Some(row) = self.scopes.get_mut(&scope) {
                    row.boundary = seq;
                }
            }
            Change::Set(row) => drop(self.settings.insert((row.scope, row.name), row.value)),
            Change::Unset { scope, name } => drop(self.settings.remove(&(scope, name))),
            other => self.change_attention(other),
        }
    }

    fn change_attention(&mut self, change: Change) {
        match change {
            Change::Stand(row) => drop(self.stands.insert((row.actor, row.seq), row)),
            Change::Delta(row) => drop(self.deltas.insert((row.frame, row.seq), row)),
            Change::Object(row) => drop(self.objects.insert(row.item, row)),
            Change::Version(row) => {
                if let Some(object) = self.objects.get_mut(&row.object) {
                    object.versions = row.version;
                    (object.latest, object.latest_seq) = (row.item, row.seq);
                }
                self.versions.insert((row.object, row.version), row);
            }
            Change::Frame(row) => drop(self.frames.insert((row.scope, row.item), row)),
            Change::DropFrame { frame } => self.frames.retain(|(scope, _), _| *scope != frame),
            Change::Break { actor, seq } => self.actor(actor, |row| {
                (row.break_seq, row.view) = (seq, None);
            }),
            Change::Fate { actor, fate, seq } => {
                self.actor(actor, |row| row.fate = Some((fate, seq)));
            }
            Change::LastView { actor, view } => self.actor(actor, |row| {
                (row.view, row.view_open) = (Some(view), false);
            }),
            Change::Fossil { view, ended_seq, seq } => {
                if let Some(row) = self.views.get_mut(&view) {
                    row.ended_seq = row.ended_seq.or(Some(ended_seq));
                    row.fossil_seq = Some(seq);
                }
            }
            Change::CloseScope { scope, seq } => self.close_scope(scope, seq),
            other => self.change_texts(other),
        }
    }

    fn actor(&mut self, actor: ActorNo, change: impl FnOnce(&mut ActorRow)) {
        if let Some(row) = self.actors.get_mut(&actor) {
            change(row);
        }
    }

    fn close_scope(&mut self, scope: ScopeNo, seq: i64) {
        if let Some(row) = self.scopes.get_mut(&scope) {
            row.closed_seq = Some(seq);
        }
        for row in self.presences.values_mut().filter(|row| row.scope == scope) {
            if row.entered_seq.take().is_some()
                && let Some(actor) = self.actors.get_mut(&row.actor)
            {
                actor.view_open = false;
                actor.primary = actor.primary.filter(|primary| *primary != scope);
            }
        }
    }

    fn change_texts(&mut self, change: Change) {
        match change {
            Change::ForgetItem { item, seq } => {
                if let Some(row) = self.items.get_mut(&item) {
                    row.content = ContentNo::forgotten(seq);
                }
            }
            Change::ForgetShape { turn, seq } => {
                if let Some(row) = self.turns.get_mut(&turn) {
                    row.shape = ContentNo::forgotten(seq);
                }
            }
            Change::Mark { scope, position, tokens } => {
                if let Some(row) = self.places.get_mut(&(scope, position)) {
                    row.tokens = tokens;
                }
            }
            // Texts stand beside the rows.
            Change::ForgetContent { .. } => {}
            // Seen to before.
            Change::Scope(_)
            | Change::Actor(_)
            | Change::Enter { .. }
            | Change::Leave { .. }
            | Change::Known { .. }
            | Change::Focus { .. }
            | Change::Here { .. }
            | Change::OthersBoundary { .. }
            | Change::Stand(_)
            | Change::Delta(_)
            | Change::Object(_)
            | Change::Version(_)
            | Change::Frame(_)
            | Change::DropFrame { .. }
            | Change::Break { .. }
            | Change::Fate { .. }
            | Change::LastView { .. }
            | Change::Fossil { .. }
            | Change::CloseScope { .. }
            | Change::VaultBoundary { .. }
            | Change::View(_)
            | Change::Stream(_)
            | Change::EndView { .. }
            | Change::InView(_)
            | Change::Item(_)
            | Change::Turn(_)
            | Change::Place(_)
            | Change::Note(_)
            | Change::Visit(_)
            | Change::Remember { .. }
            | Change::Evict { .. }
            | Change::OpenCall(_)
            | Change::Answered { .. }
            | Change::GiveUp { .. }
            | Change::ClosePlaces { .. }
            | Change::ClosePlace { .. }
            | Change::Resum { .. }
            | Change::Shows(_)
            | Change::Head { .. }
            | Change::ScopeBoundary { .. }
            | Change::Set(_)
            | Change::Unset { .. } => {}
        }
    }

    fn presence(&mut self, actor: ActorNo, scope: ScopeNo) -> &mut PresenceRow {
        let row = PresenceRow { actor, scope, ..PresenceRow::default() };
        self.presences.entry((actor, scope)).or_insert(row)
    }

    /// A scope's open places, in order.
    pub fn open_places(&self, scope: ScopeNo) -> impl DoubleEndedIterator<Item = &PlaceRow> {
        let range = self.places.range((scope, 0)..=(scope, i64::MAX));
        range.map(|(_, row)| row).filter(|row| row.to_seq.is_none())
    }

    fn close(&mut self, scope: ScopeNo, from: i64, to: i64, seq: i64) {
        let closes = |row: &PlaceRow| {
            row.kind.in_window() && row.to_seq.is_none() && (from..=to).contains(&row.anchor)
        };
        let rows = self.places.range_mut((scope, from)..=(scope, i64::MAX));
        rows.filter(|(_, row)| closes(row)).for_each(|(_, row)| row.to_seq = Some(seq));
        self.calls.retain(|_, row| row.scope != scope || !(from..=to).contains(&row.anchor));
    }

    fn resum(&mut self, scope: ScopeNo, after: i64) {
        let open = self.places.range_mut((scope, 0)..=(scope, i64::MAX));
        let mut sum = 0;
        for (_, row) in open.filter(|(_, row)| row.to_seq.is_none()) {
            sum += row.tokens;
            if row.position > after {
                row.sum = sum;
            }
        }
    }
}
