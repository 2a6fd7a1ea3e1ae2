//! Reading: the State for a command, what a composition shows, and whole tables to verify.

use std::collections::{BTreeMap, BTreeSet};

use ambit_core::compose::{Author, NoteRange, NoteShown, Places, Shown};
use ambit_core::{
    ActorKind, ActorNo, ActorRow, BatchSize, Content, ContentNo, ItemNo, Needs, ScopeNo, ScopeRow,
    ScopeState, Setting, SettingRow, Settings, State, Stored, TurnPlace, VaultState, digest,
};

use super::{At, map};
use crate::{Error, Result, Rows, Snapshot};

/// A snapshot of one vault.
pub(super) struct Reader<'a> {
    pub at: At<'a>,
    pub vault: VaultState,
}

impl At<'_> {
    pub(super) fn read_state(&self, vault: VaultState, needs: &Needs) -> Result<State> {
        let mut state = State { reach: needs.reach, vault, ..State::default() };
        state.actor = self.actor(&needs.actor)?;
        if let Some(actor) = &state.actor {
            let active =
                self.many("presence_active", (self.vault, actor.actor.0), map::presence)?;
            state.presence = active.into_iter().map(|row| (row.scope, row)).collect();
        }
        self.read_scopes(needs, &mut state)?;
        self.read_settings(&mut state)?;
        self.read_frames(needs, &mut state)?;
        self.read_calls(needs, &mut state)?;
        self.read_chain(needs, &mut state)?;
        self.read_turn(needs, &mut state)?;
        self.read_texts(needs, &mut state)?;
        Ok(state)
    }

    pub(super) fn actor(&self, name: &str) -> Result<Option<ActorRow>> {
        let by = if name.starts_with("act_") { "actor_by_id" } else { "actor_by_name" };
        self.one(by, (self.vault, name), map::actor)
    }

    /// Main, the primary and the active scopes, those named, and the actor's standing in them.
    fn read_scopes(&self, needs: &Needs, state: &mut State) -> Result<()> {
        let mut rows: Vec<ScopeRow> = Vec::new();
        if needs.all_scopes {
            rows = self.many("scopes", [self.vault], map::scope)?;
        }
        for name in needs.scopes.iter().chain(&needs.pin) {
            let by = if name.starts_with("scp_") { "scope_by_id" } else { "scope_by_name" };
            rows.extend(self.one(by, (self.vault, name), map::scope)?);
        }
        let primary = state.actor.as_ref().and_then(|actor| actor.primary);
        let own = state.presence.keys().copied();
        let at_hand: BTreeSet<_> = own.chain(primary).chain([state.vault.main]).collect();
        for scope in at_hand {
            if !rows.iter().any(|row| row.scope == scope) {
                rows.extend(self.one("scope", (self.vault, scope.0), map::scope)?);
            }
        }
        for row in rows {
            let head_hash = match needs.reach.head_hashes {
                true => self.one("event_hash", (self.vault, row.head), |row| map::hash(row, 0))?,
                false => None,
            };
            if let Some(actor) = &state.actor
                && !state.presence.contains_key(&row.scope)
            {
                let key = (self.vault, actor.actor.0, row.scope.0);
                let found = self.one("presence", key, map::presence)?;
                state.presence.extend(found.map(|found| (row.scope, found)));
            }
            state.scopes.insert(row.scope, ScopeState { row, head_hash });
        }
        Ok(())
    }

    fn read_settings(&self, state: &mut State) -> Result<()> {
        let scopes: Vec<_> = state.scopes.keys().copied().collect();
        for scope in scopes.into_iter().chain([Settings::VAULT]) {
            for row in self.many("settings", (self.vault, scope.0), map::setting)? {
                let SettingRow { scope, name, value } = row;
                if let Ok(setting) = Setting::find(&name)
                    && let Ok(value) = setting.parse(&value)
                {
                    state.settings.0.insert((scope, setting.key), value);
                }
            }
        }
        Ok(())
    }

    fn read_frames(&self, needs: &Needs, state: &mut State) -> Result<()> {
        let home = state.actor.as_ref().map(|actor| actor.home);
        let frames: Vec<_> = state.scopes.keys().copied().chain(home).collect();
        for frame in frames {
            if needs.reach.frames {
                let containers = self.many("frame", (self.vault, frame.0), map::container)?;
                state.frames.insert(frame, containers);
            }
            if needs.reach.streams {
                let last = self.one("stream_last", (self.vault, frame.0), |row| {
                    Ok(ambit_core::ViewNo(row.get(0)?))
                })?;
                state.streams.insert(frame, last);
            }
        }
        Ok(())
    }

    fn read_calls(&self, needs: &Needs, state: &mut State) -> Result<()> {
        for scope in state.scopes.keys() {
            let calls = match (&state.actor, needs.reach.calls_of_all) {
                (_, true) => self.many("calls_of_all", (self.vault, scope.0), map::call)?,
                (Some(actor), false) => {
                    self.many("calls", (self.vault, scope.0, actor.actor.0), map::call)?
                }
                (None, false) => Vec::new(),
            };
            for call in calls {
                let batch = (call.scope, call.anchor);
                if needs.reach.calls_of_all && !state.batches.contains_key(&batch) {
                    let size = self.batch_size(call.scope, call.anchor)?;
                    state.batches.insert(batch, size);
                }
                state.calls.push(call);
            }
        }
        Ok(())
    }

    fn batch_size(&self, scope: ScopeNo, anchor: i64) -> Result<BatchSize> {
        let chain = self.many("chain", (self.vault, scope.0, anchor), map::chain_item)?;
        Ok(BatchSize {
            turns: chain.iter().filter(|item| item.first).count() as i64,
            tokens: chain.iter().map(|item| item.tokens).sum(),
        })
    }

    fn read_chain(&self, needs: &Needs, state: &mut State) -> Result<()> {
        let Ok(scope) = state.working_scope(needs.pin.as_deref()).map(|row| row.scope) else {
            return Ok(());
        };
        let actor = state.actor.as_ref().filter(|_| needs.reach.chain);
        if let Some(anchor) = actor.and_then(|actor| state.open_batch(actor.actor, scope)) {
            let key = (self.vault, scope.0, anchor);
            state.chain = Some(self.many("chain", key, map::chain_item)?);
        }
        Ok(())
    }

    fn read_turn(&self, needs: &Needs, state: &mut State) -> Result<()> {
        let scope = state.working_scope(needs.pin.as_deref()).map(|row| row.scope);
        let (Some(turn), Ok(scope)) = (needs.turn, scope) else {
            return Ok(());
        };
        let mut last = None;
        for item in self.items_of(turn)? {
            let key = (self.vault, item.0, scope.0);
            last = self.one("turn_position", key, |row| row.get::<_, i64>(0))?.max(last);
        }
        let Some(after) = last else {
            return Ok(());
        };
        let hidden = self.one("hidden_after", (self.vault, scope.0, after), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let (hidden_turns, hidden_tokens) = hidden.unwrap_or_default();
        state.turn = Some(TurnPlace { turn, last_position: after, hidden_turns, hidden_tokens });
        Ok(())
    }

    /// The message blocks that an event made: none for an event that made none.
    fn items_of(&self, turn: i64) -> Result<Vec<ItemNo>> {
        let found = self.many("events", (self.vault, turn.saturating_sub(1), 1), map::stored)?;
        match found.into_iter().next().filter(|event| event.seq == turn) {
            Some(event) => event
                .parse()
                .map(|logged| logged.items())
                .map_err(|error| Error::Damaged(format!("event {turn}: {error}"))),
            None => Ok(Vec::new()),
        }
    }

    fn read_texts(&self, needs: &Needs, state: &mut State) -> Result<()> {
        for text in &needs.texts {
            if state.texts.contains_key(text) {
                continue;
            }
            let key = (self.vault, digest(text.as_bytes()), text.as_bytes());
            if let Some(found) = self.one("content_equal", key, map::content_ref)? {
                state.texts.insert(text.clone(), found);
            }
        }
        Ok(())
    }

    pub(super) fn sum_before(&self, scope: ScopeNo, position: i64) -> Result<i64> {
        let key = (self.vault, scope.0, position);
        Ok(self.one("sum_before", key, |row| row.get(0))?.unwrap_or(0))
    }
}

impl Snapshot for Reader<'_> {
    fn state(&mut self, needs: &Needs) -> Result<State> {
        self.at.read_state(self.vault.clone(), needs)
    }

    fn blocks(&mut self, turn: i64) -> Result<Vec<Shown>> {
        let items = self.at.items_of(turn)?;
        let found = items.iter().map(|item| {
            let row = self.at.one("item", (self.at.vault, item.0), map::shown)?;
            row.ok_or_else(|| Error::Damaged(format!("item {item} of event {turn} is missing")))
        });
        found.collect()
    }

    fn notes_by_hash(&mut self, prefix: &str) -> Result<Vec<NoteShown>> {
        // As a hash is shown: anything else names no note.
        let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if prefix.len() > 64 || !prefix.bytes().all(digit) {
            return Ok(Vec::new());
        }
        let bound = |fill: &str| {
            let digits: String = prefix.chars().chain(fill.repeat(64).chars()).take(64).collect();
            ambit_core::unhex(&digits).unwrap_or_default()
        };
        let range = (self.at.vault, bound("0"), bound("f"));
        self.at.many("notes_by_hash", range, map::note_shown)
    }

    fn events(&mut self, after: i64, limit: i64) -> Result<Vec<Stored>> {
        // To SQLite a negative limit is none at all.
        self.at.many("events", (self.at.vault, after, limit.max(0)), map::stored)
    }

    fn messages_at(&mut self, scope: ScopeNo, seq: i64) -> Result<Vec<Shown>> {
        self.at.many("messages_at", (self.at.vault, scope.0, seq), map::shown)
    }

    fn contents(&mut self, after: ContentNo, limit: i64) -> Result<Vec<Content>> {
        self.at.many("all_contents", (self.at.vault, after.0, limit.max(0)), map::content)
    }

    fn items_in(&mut self, _: ScopeNo) -> Result<BTreeSet<ItemNo>> {
        Err(Error::Damaged("later".into()))
    }

    fn rows(&mut self) -> Result<Rows> {
        let (at, vault) = (&self.at, [self.at.vault]);
        fn by<K: Ord, T>(rows: Vec<T>, key: fn(&T) -> K) -> BTreeMap<K, T> {
            rows.into_iter().map(|row| (key(&row), row)).collect()
        }
        let settings = at.many("all_settings", vault, map::setting)?;
        Ok(Rows {
            vault: self.vault.clone(),
            scopes: by(at.many("all_scopes", vault, map::scope)?, |row| row.scope),
            actors: by(at.many("all_actors", vault, map::actor)?, |row| row.actor),
            presences: by(at.many("all_presences", vault, map::presence)?, |row| {
                (row.actor, row.scope)
            }),
            items: by(at.many("all_items", vault, map::item)?, |row| row.item),
            places: by(at.many("all_places", vault, map::place)?, |row| (row.scope, row.position)),
            turns: by(at.many("all_turns", vault, map::turn)?, |row| row.turn),
            notes: by(at.many("all_notes", vault, map::note)?, |row| (row.scope, row.position)),
            visits: by(at.many("all_visits", vault, map::visit)?, |row| (row.item, row.seq)),
            views: by(at.many("all_views", vault, map::view)?, |row| row.view),
            streams: by(at.many("all_streams", vault, map::stream)?, |row| {
                (row.frame, row.position)
            }),
            frames: by(at.many("all_frames", vault, map::frame)?, |row| (row.scope, row.item)),
            calls: by(at.many("all_calls", vault, map::call)?, |row| (row.scope, row.item)),
            settings: settings.into_iter().map(|it| ((it.scope, it.name), it.value)).collect(),
        })
    }
}

impl Places for Reader<'_> {
    type Error = Error;

    fn sum_before(&mut self, scope: ScopeNo, position: i64) -> Result<i64> {
        self.at.sum_before(scope, position)
    }

    fn place_at(&mut self, scope: ScopeNo, tokens: i64) -> Result<Option<i64>> {
        self.at.one("place_at", (self.at.vault, scope.0, tokens), |row| row.get(0))
    }

    fn messages(&mut self, scope: ScopeNo, from: i64, to: i64) -> Result<Vec<Shown>> {
        self.at.many("messages", (self.at.vault, scope.0, from, to, i64::MAX), map::shown)
    }

    fn leading(&mut self, scope: ScopeNo, limit: i64) -> Result<Vec<Shown>> {
        self.at.many("messages", (self.at.vault, scope.0, 0, i64::MAX, limit), map::shown)
    }

    fn notes(&mut self, scope: ScopeNo, range: NoteRange, limit: i64) -> Result<Vec<NoteShown>> {
        let vault = self.at.vault;
        let mut notes = match range {
            NoteRange::Places { from, to } => {
                let key = (vault, scope.0, from, to, limit);
                self.at.many("notes", key, map::note_shown)?
            }
            NoteRange::Before { seq } => {
                let key = (vault, scope.0, seq, limit);
                self.at.many("notes_before", key, map::note_shown)?
            }
        };
        notes.reverse();
        Ok(notes)
    }

    fn authors(&mut self, actors: &BTreeSet<ActorNo>) -> Result<BTreeMap<ActorNo, Author>> {
        let mut authors = BTreeMap::new();
        for actor in actors {
            let found = self.at.one("author", (self.at.vault, actor.0), |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
            })?;
            if let Some((name, kind)) = found {
                let kind = ActorKind::parse(&kind)
                    .ok_or_else(|| Error::Damaged(format!("actor {actor} is a {kind:?}")))?;
                authors.insert(*actor, Author { name, kind });
            }
        }
        Ok(authors)
    }
}
