//! State: the part of a vault that a command or a request needs in order to be decided.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::{
    ActorRow, BatchSize, ChainItem, Change, Container, ContentRef, Forgettable, Kin, Logged,
    ObjectState, OpenCallRow, PresenceRow, Reach, ScopeNo, ScopeState, Settings, TurnPlace,
    VaultState, ViewNo, changes,
};

pub type ActorState = ActorRow;
pub type Presence = PresenceRow;
pub type OpenCall = OpenCallRow;

/// What is known of a vault while one command is decided. What `Needs` did not ask for is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    pub reach: Reach,
    pub vault: VaultState,
    pub settings: Settings,
    /// The acting actor, once registered.
    pub actor: Option<ActorState>,
    pub scopes: BTreeMap<ScopeNo, ScopeState>,
    /// The acting actor's standing, in the scopes at hand and those it has active.
    pub presence: BTreeMap<ScopeNo, Presence>,
    /// Most recent first.
    pub frames: BTreeMap<ScopeNo, Vec<Container>>,
    /// The last view in each stream.
    pub streams: BTreeMap<ScopeNo, Option<ViewNo>>,
    /// Open calls in the scopes at hand: the acting actor's, or everybody's where asked for.
    pub calls: Vec<OpenCall>,
    /// The sizes of those batches, by scope and anchor, where everybody's were asked for.
    pub batches: BTreeMap<(ScopeNo, i64), BatchSize>,
    pub chain: Option<Vec<ChainItem>>,
    pub turn: Option<TurnPlace>,
    /// Texts that are stored already.
    pub texts: HashMap<Arc<str>, ContentRef>,
    pub selected: Forgettable,
    /// The objects that are named, by the name or id they were asked for.
    pub objects: BTreeMap<String, ObjectState>,
    /// The subagent that is named, and those below it, the deepest first.
    pub kin: Vec<Kin>,
    /// Whether an actor has the name that a fork would give.
    pub name_taken: bool,
}

impl State {
    /// Brings the State up to date with an event, the acting actor's own or another's. The contract
    /// suite compares the result with what a store reads after it has written the same event.
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

    fn change(&mut self, change: Change) {
        match change {
            // The vault's row follows the event itself.
            Change::Vault(_) => {}
            Change::Actor(change) => self.change_actor(change),
            Change::Scope(change) => self.change_scope(change),
            // The State has no rows of items and places.
            Change::Item(_) => {}
            Change::Message(change) => self.change_message(change),
            Change::Note(change) => self.change_note(change),
            // What a command names, objects and texts, was looked up for it and is not followed.
            Change::Object(_) => {}
            Change::Frame(change) => self.change_frame(change),
            Change::View(change) => self.change_view(change),
            Change::Setting(change) => self.change_setting_row(change),
            // As objects.
            Change::Forget(_) => {}
        }
    }

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
