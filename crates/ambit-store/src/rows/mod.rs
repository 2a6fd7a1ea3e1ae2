//! All rows of a vault in memory: the simplest implementation of `changes`. The reference store
//! keeps its rows this way, and `verify` rebuilds them from the log for comparison.

mod actor;
mod forget;
mod frame;
mod item;
mod message;
mod note;
mod object;
mod scope;
mod setting;
mod view;

use std::collections::BTreeMap;

use ambit_core::{
    ActiveScopesRow, ActorNo, ActorRow, Change, DeltaRow, FrameRow, ItemNo, ItemRow, Logged,
    NoteRow, ObjectRow, OpenCallRow, PlaceRow, PresenceRow, ScopeNo, ScopeRow, StreamRow, TurnRow,
    VaultState, VersionRow, ViewNo, ViewRow, VisitRow, changes,
};

/// Every table of a vault except the log and the contents, by primary key.
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
    pub stands: BTreeMap<(ActorNo, i64), ActiveScopesRow>,
    pub views: BTreeMap<ViewNo, ViewRow>,
    pub streams: BTreeMap<(ScopeNo, i64, ViewNo), StreamRow>,
    pub frames: BTreeMap<(ScopeNo, ItemNo), FrameRow>,
    pub calls: BTreeMap<(ScopeNo, ItemNo), OpenCallRow>,
    pub settings: BTreeMap<(ScopeNo, String), String>,
    /// Descriptions of the rows that could not be read.
    pub unreadable: Vec<String>,
}

impl Rows {
    /// Returns the number of rows, without the vault's own.
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

    /// Applies one event.
    pub fn apply(&mut self, logged: &Logged) {
        self.vault.follow(logged);
        for change in changes(&logged.event) {
            self.change(change);
        }
    }

    pub(crate) fn change(&mut self, change: Change) {
        match change {
            // The vault's own row is updated from the event itself.
            Change::Vault(_) => {}
            Change::Actor(change) => self.change_actor(change),
            Change::Scope(change) => self.change_scope(change),
            Change::Item(change) => self.change_item(change),
            Change::Message(change) => self.change_message(change),
            Change::Note(change) => self.change_note(change),
            Change::Object(change) => self.change_object(change),
            Change::Frame(change) => self.change_frame(change),
            Change::View(change) => self.change_view(change),
            Change::Setting(change) => self.change_setting(change),
            Change::Forget(change) => self.change_forget(change),
        }
    }

    /// Returns a scope's open places, in order.
    pub fn open_places(&self, scope: ScopeNo) -> impl DoubleEndedIterator<Item = &PlaceRow> {
        let range = self.places.range((scope, 0)..=(scope, i64::MAX));
        range.map(|(_, row)| row).filter(|row| row.to_seq.is_none())
    }
}
