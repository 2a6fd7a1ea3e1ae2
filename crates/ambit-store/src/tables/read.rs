//! Reads the State for a command, the blocks of a composition, and whole tables to verify.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::compose::{Author, NoteRange, NoteShown, Places, Shown};
use ambit_core::search::{Bearer, Index, Sought};
use ambit_core::{
    ActorNo, ActorRow, Appended, BatchSize, Content, ContentNo, ContentRef, ItemNo, Logged, Needs,
    OpenCallRow, PresenceRow, ScopeNo, ScopeRow, ScopeState, Setting, SettingRow, State, Stored,
    TurnPlace, VaultState, ViewNo, What, digest,
};

use super::{At, Got, Link, Row, Step, actor_by, map, values};
use crate::rows::Table;
use crate::{Error, Result, Rows, Snapshot};

/// The purpose of a row that is read for the State.
#[derive(Clone, Copy)]
enum Part {
    Actor,
    Active,
    Scope,
    Setting,
    Text(usize),
    Presence,
    Head(ScopeNo),
    Frame(ScopeNo),
    Stream(ScopeNo),
    Call,
}

impl At<'_> {
    /// Reads in three steps: the actor, its scopes, and the rows of those scopes.
    pub(super) fn read_state(&mut self, vault: VaultState, needs: &Needs) -> Result<State> {
        let mut state = State { reach: needs.reach, vault, ..State::default() };
        self.read_actor(needs, &mut state)?;
        self.read_named(needs, &mut state)?;
        self.read_standing(&mut state)?;
        self.read_around(needs, &mut state)?;
        self.read_batches(needs, &mut state)?;
        self.read_chain(needs, &mut state)?;
        self.read_turn(needs, &mut state)?;
        state.selected = self.forgettable(&needs.selected)?;
        Ok(state)
    }

    /// Reads the actor, main and the named scopes, the vault's settings, and equal texts.
    fn read_actor(&mut self, needs: &Needs, state: &mut State) -> Result<()> {
        let (vault, main) = (self.vault, state.vault.main);
        let mut step = Step::new();
        step.ask(Part::Actor, actor_by(&needs.actor), values![vault, &needs.actor]);
        step.ask(Part::Scope, "scope", values![vault, main.0]);
        if needs.reach.insights {
            step.ask(Part::Scope, "scope", values![vault, ScopeNo::VAULT.0]);
        }
        if needs.all_scopes {
            step.ask(Part::Scope, "scopes", values![vault]);
        }
        for name in needs.scopes.iter().chain(&needs.pin) {
            let by = if name.starts_with("scp_") { "scope_by_id" } else { "scope_by_name" };
            step.ask(Part::Scope, by, values![vault, name]);
        }
        step.ask(Part::Setting, "settings", values![vault, ScopeNo::VAULT.0]);
        for (index, text) in needs.texts.iter().enumerate() {
            let values = values![vault, digest(text.as_bytes()), text.as_bytes()];
            step.ask(Part::Text(index), "content_equal", values);
        }
        step.send(self.link, |part, row| keep(state, needs, part, row))
    }

    /// Reads the actor's active and focused scopes, and its presence in the active ones.
    fn read_standing(&mut self, state: &mut State) -> Result<()> {
        let Some(actor) = &state.actor else {
            return Ok(());
        };
        let (vault, number) = (self.vault, actor.actor.0);
        let mut step = Step::new();
        step.ask(Part::Active, "presence_active", values![vault, number]);
        step.ask(Part::Scope, "scopes_active", values![vault, number]);
        if let Some(primary) = actor.primary.filter(|scope| !state.scopes.contains_key(scope)) {
            step.ask(Part::Scope, "scope", values![vault, primary.0]);
        }
        step.send(self.link, |part, row| keep(state, &Needs::default(), part, row))
    }

    /// Reads, for every scope of the State, the actor's presence and the settings, and on request
    /// the head's hash, the frame, the stream and the open calls.
    fn read_around(&mut self, needs: &Needs, state: &mut State) -> Result<()> {
        let vault = self.vault;
        let actor = state.actor.as_ref().map(|actor| actor.actor.0);
        let mut step = Step::new();
        for (scope, at) in &state.scopes {
            if needs.reach.head_hashes {
                step.ask(Part::Head(*scope), "event_hash", values![vault, at.row.head]);
            }
            // The vault's own scope has no actors and no calls, and its settings are read already.
            if *scope == ScopeNo::VAULT {
                continue;
            }
            if let Some(actor) = actor.filter(|_| !state.presence.contains_key(scope)) {
                step.ask(Part::Presence, "presence", values![vault, actor, scope.0]);
            }
            step.ask(Part::Setting, "settings", values![vault, scope.0]);
            if needs.reach.calls_of_all {
                step.ask(Part::Call, "calls_of_all", values![vault, scope.0]);
            } else if let Some(actor) = actor {
                step.ask(Part::Call, "calls", values![vault, scope.0, actor]);
            }
        }
        let home = state.actor.as_ref().map(|actor| actor.home);
        let frames: Vec<_> = state.scopes.keys().copied().chain(home).collect();
        for frame in frames {
            if needs.reach.frames {
                state.frames.insert(frame, Vec::new());
                step.ask(Part::Frame(frame), "frame", values![vault, frame.0]);
            }
            if needs.reach.streams {
                state.streams.insert(frame, None);
                step.ask(Part::Stream(frame), "stream_last", values![vault, frame.0]);
            }
        }
        step.send(self.link, |part, row| keep(state, needs, part, row))
    }

    fn read_batches(&mut self, needs: &Needs, state: &mut State) -> Result<()> {
        if needs.reach.calls_of_all {
            let batches: BTreeSet<_> = state.calls.iter().map(|it| (it.scope, it.anchor)).collect();
            for (scope, anchor) in batches {
                let size = self.batch_size(scope, anchor)?;
                state.batches.insert((scope, anchor), size);
            }
        }
        Ok(())
    }

    fn batch_size(&mut self, scope: ScopeNo, anchor: i64) -> Result<BatchSize> {
        let chain = self.many("chain", values![self.vault, scope.0, anchor], map::chain_item)?;
        Ok(BatchSize {
            turns: chain.iter().filter(|item| item.first).count() as i64,
            tokens: chain.iter().map(|item| item.tokens).sum(),
        })
    }

    fn read_chain(&mut self, needs: &Needs, state: &mut State) -> Result<()> {
        let Ok(scope) = state.working_scope(needs.pin.as_deref()).map(|row| row.scope) else {
            return Ok(());
        };
        let actor = state.actor.as_ref().filter(|_| needs.reach.chain);
        if let Some(anchor) = actor.and_then(|actor| state.open_batch(actor.actor, scope)) {
            let key = values![self.vault, scope.0, anchor];
            state.chain = Some(self.many("chain", key, map::chain_item)?);
        }
        Ok(())
    }

    fn read_turn(&mut self, needs: &Needs, state: &mut State) -> Result<()> {
        let scope = state.working_scope(needs.pin.as_deref()).map(|row| row.scope);
        let (Some(turn), Ok(scope)) = (needs.turn, scope) else {
            return Ok(());
        };
        let mut last = None;
        for item in self.items_of(turn)? {
            let key = values![self.vault, item.0, scope.0];
            last = self.one("turn_position", key, map::number)?.max(last);
        }
        let Some(after) = last else {
            return Ok(());
        };
        let hidden = self.one("hidden_after", values![self.vault, scope.0, after], map::pair)?;
        let (hidden_turns, hidden_tokens) = hidden.unwrap_or_default();
        state.turn = Some(TurnPlace { turn, last_position: after, hidden_turns, hidden_tokens });
        Ok(())
    }

    /// Returns the message blocks that an event created.
    pub(super) fn items_of(&mut self, turn: i64) -> Result<Vec<ItemNo>> {
        Ok(self.event(turn)?.map(|logged| logged.event.body.what.items()).unwrap_or_default())
    }

    /// Returns an event by its sequence.
    fn event(&mut self, seq: i64) -> Result<Option<Logged>> {
        let found =
            self.many("events", values![self.vault, seq.saturating_sub(1), 1], map::stored)?;
        let event = found.into_iter().next().filter(|event| event.seq == seq);
        let damaged = |error| Error::Damaged(format!("event {seq}: {error}"));
        event.map(|event| event.parse().map_err(damaged)).transpose()
    }

    pub(crate) fn sum_before(&mut self, scope: ScopeNo, position: i64) -> Result<i64> {
        let key = values![self.vault, scope.0, position];
        Ok(self.one("sum_before", key, map::number)?.unwrap_or(0))
    }
}

/// Stores a row in the State.
fn keep(state: &mut State, needs: &Needs, part: Part, row: &dyn Row) -> Got<()> {
    match part {
        Part::Actor => state.actor = Some(ActorRow::read(row)?),
        Part::Active | Part::Presence => {
            let presence = PresenceRow::read(row)?;
            state.presence.insert(presence.scope, presence);
        }
        Part::Scope => {
            let row: ScopeRow = ScopeRow::read(row)?;
            state.scopes.insert(row.scope, ScopeState { row, head_hash: None });
        }
        Part::Setting => keep_setting(state, SettingRow::read(row)?),
        Part::Text(index) => {
            let found: ContentRef = map::content_ref(row)?;
            state.texts.entry(needs.texts[index].clone()).or_insert(found);
        }
        Part::Head(scope) => {
            let hash = map::first_hash(row)?;
            if let Some(scope) = state.scopes.get_mut(&scope) {
                scope.head_hash = Some(hash);
            }
        }
        Part::Frame(frame) => {
            state.frames.entry(frame).or_default().push(map::container(row)?);
        }
        Part::Stream(frame) => {
            state.streams.insert(frame, Some(ViewNo(map::number(row)?)));
        }
        Part::Call => state.calls.push(OpenCallRow::read(row)?),
    }
    Ok(())
}

fn keep_setting(state: &mut State, row: SettingRow) {
    if let Ok(setting) = Setting::find(&row.name)
        && let Ok(value) = setting.parse(&row.value)
    {
        state.settings.0.insert((row.scope, setting.key), value);
    }
}

/// A snapshot of one vault.
pub(crate) struct Reader<'a> {
    pub(super) at: At<'a>,
    pub(crate) vault: VaultState,
}

impl<'a> Reader<'a> {
    pub fn new(link: &'a mut dyn Link, vault: &str) -> Result<Self> {
        let (at, found) = At::read(link, vault)?;
        Ok(Reader { at, vault: found.state })
    }

    /// Reads a whole table by its key. Invalid rows are left out and listed in `unreadable`.
    pub(crate) fn all<T: Table<Key: Ord>>(
        &mut self,
        unreadable: &mut Vec<String>,
    ) -> Result<BTreeMap<T::Key, T>> {
        let mut rows = BTreeMap::new();
        self.at.link.fetch(&[(T::ALL, values![self.at.vault].to_vec())], &mut |_, row| {
            match T::read(row) {
                Ok(row) => drop(rows.insert(row.key(), row)),
                Err(unfit) => unreadable.push(unfit.describe(T::ALL)),
            }
            Ok(())
        })?;
        Ok(rows)
    }
}

impl Snapshot for Reader<'_> {
    fn vault(&self) -> &VaultState {
        &self.vault
    }

    fn state(&mut self, needs: &Needs) -> Result<State> {
        self.at.read_state(self.vault.clone(), needs)
    }

    fn blocks(&mut self, turn: i64) -> Result<Vec<Shown>> {
        let Some(logged) = self.at.event(turn)? else {
            return Ok(Vec::new());
        };
        let items = logged.event.body.what.items();
        // Most messages have no shape, and then there is no row to read.
        let shaped =
            matches!(&logged.event.body.what, What::Appended(Appended { shape: Some(_), .. }));
        let statement = if shaped { "item" } else { "item_alone" };
        let mut step = Step::new();
        for item in &items {
            step.ask((), statement, values![self.at.vault, item.0]);
        }
        let mut blocks = Vec::with_capacity(items.len());
        step.send(self.at.link, |(), row| {
            blocks.push(map::shown(row)?);
            Ok(())
        })?;
        if blocks.len() < items.len() {
            return Err(Error::Damaged(format!("an item of event {turn} is missing")));
        }
        Ok(blocks)
    }

    fn notes_by_hash(&mut self, prefix: &str) -> Result<Vec<NoteShown>> {
        // Hashes are shown in lower case: any other text matches no note.
        let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if prefix.len() > 64 || !prefix.bytes().all(digit) {
            return Ok(Vec::new());
        }
        let bound = |fill: &str| {
            let digits: String = prefix.chars().chain(fill.repeat(64).chars()).take(64).collect();
            ambit_core::unhex(&digits).unwrap_or_default()
        };
        let (low, high) = (bound("0"), bound("f"));
        let range = values![self.at.vault, &low, &high];
        self.at.many("notes_by_hash", range, map::note_shown)
    }

    fn events(&mut self, after: i64, limit: i64) -> Result<Vec<Stored>> {
        // SQLite treats a negative limit as no limit.
        self.at.many("events", values![self.at.vault, after, limit.max(0)], map::stored)
    }

    fn messages_at(&mut self, scope: ScopeNo, seq: i64, before: i64) -> Result<Vec<Shown>> {
        self.at.many("messages_at", values![self.at.vault, scope.0, seq, before], map::shown)
    }

    fn contents(&mut self, after: ContentNo, limit: i64) -> Result<Vec<Content>> {
        self.at.many("all_contents", values![self.at.vault, after.0, limit.max(0)], map::content)
    }

    fn items_in(&mut self, scope: ScopeNo) -> Result<BTreeSet<ItemNo>> {
        let items = self.at.many("items_in", values![self.at.vault, scope.0], map::number)?;
        Ok(items.into_iter().map(ItemNo).collect())
    }

    fn index(&mut self, parts: &BTreeSet<i64>) -> Result<Index> {
        self.at.index(parts)
    }

    fn index_faults(&mut self) -> Result<i64> {
        self.at.compare_index(false)
    }

    fn bearers(&mut self, sought: &[Sought]) -> Result<Vec<Bearer>> {
        self.at.bearers(sought)
    }

    fn rows(&mut self) -> Result<Rows> {
        Rows::read(self)
    }
}

impl Places for Reader<'_> {
    type Error = Error;

    fn sum_before(&mut self, scope: ScopeNo, position: i64) -> Result<i64> {
        self.at.sum_before(scope, position)
    }

    fn place_at(&mut self, scope: ScopeNo, tokens: i64) -> Result<Option<i64>> {
        self.at.one("place_at", values![self.at.vault, scope.0, tokens], map::number)
    }

    fn messages(&mut self, scope: ScopeNo, from: i64, to: i64) -> Result<Vec<Shown>> {
        self.at.many("messages", values![self.at.vault, scope.0, from, to, i64::MAX], map::shown)
    }

    fn leading(&mut self, scope: ScopeNo, limit: i64) -> Result<Vec<Shown>> {
        self.at.many("messages", values![self.at.vault, scope.0, 0, i64::MAX, limit], map::shown)
    }

    fn notes(&mut self, scope: ScopeNo, range: NoteRange, limit: i64) -> Result<Vec<NoteShown>> {
        let vault = self.at.vault;
        let mut notes = match range {
            NoteRange::Places { from, to } => {
                let key = values![vault, scope.0, from, to, limit];
                self.at.many("notes", key, map::note_shown)?
            }
            NoteRange::Before { seq } => {
                let key = values![vault, scope.0, seq, limit];
                self.at.many("notes_before", key, map::note_shown)?
            }
        };
        notes.reverse();
        Ok(notes)
    }

    fn authors(&mut self, actors: &BTreeSet<ActorNo>) -> Result<BTreeMap<ActorNo, Author>> {
        let mut step = Step::new();
        for actor in actors {
            step.ask((), "author", values![self.at.vault, actor.0]);
        }
        let mut authors = BTreeMap::new();
        step.send(self.at.link, |(), row| {
            let (actor, name, kind) = map::author(row)?;
            authors.insert(actor, Author { name, kind });
            Ok(())
        })?;
        Ok(authors)
    }

    fn scope_row(&mut self, scope: ScopeNo) -> Result<Option<ScopeRow>> {
        self.at.one("scope", values![self.at.vault, scope.0], ScopeRow::read)
    }
}
