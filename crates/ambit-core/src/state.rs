//! State: the part of a vault that a command or a request needs in order to be decided.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::{
    ActorRow, BatchSize, ChainItem, Container, ContentRef, Forgettable, Logged, ObjectState,
    OpenCallRow, PresenceRow, Reach, ScopeNo, ScopeState, Settings, SubagentState, TurnPlace,
    VaultState, ViewNo, changes,
};

pub type ActorState = ActorRow;
pub type Presence = PresenceRow;
pub type OpenCall = OpenCallRow;

/// The part of a vault that was read for one command. It lacks what `Needs` did not ask for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    pub reach: Reach,
    pub vault: VaultState,
    pub settings: Settings,
    /// The acting actor, once registered.
    pub actor: Option<ActorState>,
    pub scopes: BTreeMap<ScopeNo, ScopeState>,
    /// The acting actor's presence in its active scopes and in the others that were read.
    pub presence: BTreeMap<ScopeNo, Presence>,
    /// Most recent first.
    pub frames: BTreeMap<ScopeNo, Vec<Container>>,
    /// The last view in each stream.
    pub streams: BTreeMap<ScopeNo, Option<ViewNo>>,
    /// The open calls in the scopes that were read: the acting actor's, or everybody's on request.
    pub calls: Vec<OpenCall>,
    /// The sizes of those batches, by scope and anchor, if everybody's were requested.
    pub batches: BTreeMap<(ScopeNo, i64), BatchSize>,
    pub chain: Option<Vec<ChainItem>>,
    pub turn: Option<TurnPlace>,
    /// Texts that are stored already.
    pub texts: HashMap<Arc<str>, ContentRef>,
    pub selected: Forgettable,
    /// The objects of the command, by the name or id that the command uses.
    pub objects: BTreeMap<String, ObjectState>,
    /// The subagent of the command, and those that descend from it, the deepest first.
    pub subagents: Vec<SubagentState>,
    /// Whether the names that the command asked about are taken.
    pub names: BTreeMap<(&'static str, String), bool>,
}

impl State {
    /// Brings the State up to date with an event, the acting actor's own or another's. The contract
    /// suite compares the result with what a store reads after it has written the same event.
    pub fn apply(&mut self, logged: &Logged) {
        self.vault.follow(logged);
        for change in changes(&logged.event) {
            self.change(change);
        }
        // A scope whose head is this event also has this event's hash.
        for scope in self.scopes.values_mut() {
            if scope.row.head == logged.event.seq && self.reach.head_hashes {
                scope.head_hash = Some(logged.hash);
            }
        }
    }

    /// Returns the State without the lookups made for one command, such as a chain or a turn: the
    /// part that every read returns and that can be compared.
    pub fn settled(mut self) -> State {
        self.chain = None;
        self.turn = None;
        self.batches.clear();
        self.selected = Forgettable::default();
        self.objects.clear();
        self.subagents = Vec::new();
        self.names.clear();
        self.calls.sort_by_key(|call| (call.scope, call.anchor, call.item));
        self
    }
}
