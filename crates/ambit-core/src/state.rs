//! State: the part of a vault that a command or a request needs in order to be decided.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::{
    ActorNo, ActorRefusal, ActorRow, Change, Container, ContentNo, ContentRef, Hash, ItemNo,
    ItemRow, Key, Logged, Millis, ObjectRow, OpenCallRow, PresenceRow, Reach, Refusal, ScopeNo,
    ScopeRefusal, ScopeRow, Settings, VaultState, ViewNo, changes, check_label,
};

pub type ActorState = ActorRow;
pub type Presence = PresenceRow;
pub type OpenCall = OpenCallRow;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeState {
    pub row: ScopeRow,
    /// The hash of the head's event, where it was asked for.
    pub head_hash: Option<Hash>,
}

/// Where a turn of the working scope stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnPlace {
    pub turn: i64,
    pub last_position: i64,
    /// What a rewind to it would hide.
    pub hidden_turns: i64,
    pub hidden_tokens: i64,
}

/// An open batch's size: call and replies so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchSize {
    pub turns: i64,
    pub tokens: i64,
}

/// One item of the pending chain of the acting actor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainItem {
    pub item: ItemNo,
    pub position: i64,
    pub tokens: i64,
    pub first: bool,
}

/// What was asked for in order to be forgotten or retracted, as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgettable {
    pub items: Vec<BearingItem>,
    pub shapes: Vec<BearingTurn>,
    /// The texts they bear.
    pub texts: BTreeMap<ContentNo, TextUse>,
    /// The tokens shown in each scope with an open place of theirs.
    pub sums: BTreeMap<ScopeNo, i64>,
    /// Whether an open scope inherits messages: they may be shown there too.
    pub inherited: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BearingItem {
    pub row: ItemRow,
    pub places: Vec<OpenPlace>,
}

/// A turn with a rest: its text, how many blocks it has, and where the first one is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BearingTurn {
    pub turn: i64,
    pub shape: ContentNo,
    pub blocks: i64,
    pub places: Vec<OpenPlace>,
}

/// An open place of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenPlace {
    pub scope: ScopeNo,
    pub position: i64,
    pub tokens: i64,
}

/// A text's tokens, and how many items and turns bear it, counted no further than asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextUse {
    pub tokens: i64,
    pub uses: i64,
}

/// An object, as a command finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectState {
    pub row: ObjectRow,
    /// The scopes it belongs to that are not closed, in the order in which it joined them.
    pub places: Vec<ObjectPlace>,
    /// The text of its last version; none where that was forgotten.
    pub text: Option<ContentNo>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectPlace {
    pub scope: ScopeNo,
    pub position: i64,
}

/// A subagent that is named, or one that descends from it and has not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kin {
    pub actor: ActorRow,
    /// Who forked it, as it stands.
    pub parent: ActorRow,
    /// All it descends from, nearest first.
    pub ancestors: Vec<ActorNo>,
    /// When it ended, for one that did.
    pub ended_at: Option<Millis>,
    /// The scopes, beside its own, where it is active or waits for replies.
    pub elsewhere: Vec<ScopeNo>,
}

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

impl State {
    /// Whether the caller can be who it says: an actor that is registered, or a name for a new one.
    pub fn check_actor(&self, name: &str) -> Result<(), Refusal> {
        if self.actor.is_some() {
            return Ok(());
        }
        if name.starts_with("act_") {
            return Err(ActorRefusal::Missing { name: name.into() }.into());
        }
        let max = self.settings.get(ScopeNo::VAULT, Key::NameCharsMax);
        Ok(check_label("actor", name, max)?)
    }

    /// A scope by name or id, among those at hand.
    pub fn find_scope(&self, name: &str) -> Option<&ScopeRow> {
        let named = |row: &&ScopeRow| row.name.as_deref() == Some(name);
        let mut rows = self.scopes.values().map(|scope| &scope.row);
        if name.starts_with("scp_") {
            return rows.find(|row| row.id == name && row.name.is_some());
        }
        rows.find(named)
    }

    /// Like `find_scope`, with the error that people see.
    pub fn scope_named(&self, name: &str) -> Result<&ScopeRow, Refusal> {
        let missing = || ScopeRefusal::Missing { name: name.into() };
        Ok(self.find_scope(name).ok_or_else(missing)?)
    }

    /// A scope by name or id that is still open.
    pub fn open_scope(&self, name: &str) -> Result<&ScopeRow, Refusal> {
        let row = self.scope_named(name)?;
        match row.closed_seq {
            None => Ok(row),
            Some(_) => Err(ScopeRefusal::Closed { name: name.into() }.into()),
        }
    }

    /// The scope a command works in: the one `--scope` names, else the primary one. An actor that
    /// is not registered yet would have main.
    pub fn working_scope(&self, pin: Option<&str>) -> Result<&ScopeRow, Refusal> {
        if let Some(name) = pin {
            return self.scope_named(name);
        }
        let primary = match &self.actor {
            Some(actor) => actor.primary,
            None => Some(self.vault.main),
        };
        primary.and_then(|scope| self.scopes.get(&scope)).map(|scope| &scope.row).ok_or_else(|| {
            let ended = self.actor.as_ref().is_some_and(|actor| actor.fate.is_some());
            ScopeRefusal::NoPrimary { ended }.into()
        })
    }

    /// Active scopes, most recently entered first.
    pub fn active_scopes(&self) -> Vec<ScopeNo> {
        if self.actor.is_none() {
            return vec![self.vault.main];
        }
        let mut active: Vec<_> = self
            .presence
            .values()
            .filter_map(|presence| Some((presence.entered_seq?, presence.scope)))
            .collect();
        active.sort_by(|a, b| b.cmp(a));
        active.into_iter().map(|(_, scope)| scope).collect()
    }

    pub fn scope_name(&self, scope: ScopeNo) -> String {
        let row = self.scopes.get(&scope).map(|scope| &scope.row);
        row.and_then(|row| row.name.clone()).unwrap_or_default()
    }

    /// Where an actor's open batch begins in a scope, if it has one there.
    pub fn open_batch(&self, actor: ActorNo, scope: ScopeNo) -> Option<i64> {
        let own = |call: &&OpenCall| call.actor == actor && call.scope == scope;
        self.calls.iter().find(own).map(|call| call.anchor)
    }

    /// How an actor's epoch in a scope stands at a moment.
    pub fn epoch(&self, scope: ScopeNo, now: Millis) -> Epoch {
        let scope_boundary = self.scopes.get(&scope).map_or(0, |scope| scope.row.boundary);
        let shared = self.vault.boundary.max(scope_boundary);
        let Some(presence) = self.presence.get(&scope) else {
            return Epoch { boundary: shared, silent: false, fold: None, answered: None };
        };
        let idle_ms = self.settings.get(scope, Key::IdleSeconds) * 1000;
        let silent = presence.last_time.is_some_and(|last| now - last > idle_ms);
        let boundary = shared.max(presence.boundary);
        let valid = |position, seq| (!silent && seq > 0 && seq >= boundary).then_some(position);
        Epoch {
            boundary: if silent { self.vault.head_seq + 1 } else { boundary },
            silent,
            fold: valid(presence.fold, presence.fold_seq),
            answered: valid(presence.answered, presence.answered_seq),
        }
    }
}

/// A reader's epoch in a scope: between two boundaries, compositions only grow at their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// The event that began it, or would begin it now.
    pub boundary: i64,
    /// The reader has been silent here for longer than the idle limit.
    pub silent: bool,
    /// Where the first answered composition ended.
    pub fold: Option<i64>,
    /// Where the last answered composition ended.
    pub answered: Option<i64>,
}
