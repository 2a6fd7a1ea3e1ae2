//! The reference store: keeps everything in memory, simple on purpose.

mod history;
mod keep;
mod search;
mod shown;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ambit_core::compose::{Author, NoteRange, NoteShown, Places, Shown};
use ambit_core::search::{Bearer, Index, Sought};
use ambit_core::{
    ActorNo, ActorRow, Answer, Ask, BatchSize, ChainItem, Container, Content, ContentNo,
    ContentRef, Decision, Event, Fresh, Hash, ItemNo, Logged, Millis, Needs, NoteRow, OpenCall,
    Refusal, ScopeNo, ScopeRow, ScopeState, Setting, State, Stored, TurnPlace, VaultState, ViewNo,
    create_vault,
};

use crate::{
    Decide, Error, Finding, Garbage, Import, KEY_LIFE_MS, NEEDS_MAX, Rebuilt, Result, Rows,
    Snapshot, Store, Sweep, VaultInfo,
};
use keep::at;

/// A store without a file.
#[derive(Default)]
pub struct Memory {
    vaults: Mutex<BTreeMap<String, Vault>>,
}

#[derive(Default)]
struct Vault {
    log: Vec<Logged>,
    rows: Rows,
    contents: BTreeMap<ContentNo, Content>,
    keys: BTreeMap<(ActorNo, String), (Millis, Hash, Answer)>,
    /// The source of the import, while the vault is being imported.
    importing: Option<Hash>,
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Vault>> {
        // A panic elsewhere cannot leave a vault half changed: only `keep` changes it.
        self.vaults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn vaults(&self) -> Result<Vec<VaultInfo>> {
        let info = |(name, vault): (&String, &Vault)| VaultInfo {
            name: name.clone(),
            head_seq: vault.rows.vault.head_seq,
            time: vault.rows.vault.time,
        };
        let vaults = self.lock();
        let whole = vaults.iter().filter(|(_, vault)| vault.importing.is_none());
        Ok(whole.map(info).collect())
    }

    fn create(&self, vault: &str, now: Millis, seed: [u8; 32]) -> Result<bool> {
        let mut vaults = self.lock();
        if vaults.contains_key(vault) {
            return at(&mut vaults, vault).map(|_| false);
        }
        let mut new = Vault::default();
        new.keep(create_vault(now, &mut Fresh::new(seed, now)));
        vaults.insert(vault.to_string(), new);
        Ok(true)
    }

    fn transact(&self, ask: Ask, mut decide: Decide) -> Result<Answer> {
        let mut vaults = self.lock();
        let vault = at(&mut vaults, &ask.vault)?;
        if let Some(answer) = vault.repeated(&ask)? {
            return Ok(answer);
        }
        let mut needs = ask.needs.clone();
        for _ in 0..NEEDS_MAX {
            let state = vault.state(&needs)?;
            match decide(&state) {
                Decision::Refused(refusal) => return Err(refusal.into()),
                Decision::Damaged(what) => return Err(Error::Damaged(what)),
                Decision::Need(more) => needs.reach = needs.reach.and(more),
                Decision::Done(done) => {
                    let contents = done.contents.into_iter().map(|it| (it.content, it));
                    vault.contents.extend(contents);
                    done.events.into_iter().for_each(|logged| vault.keep(logged));
                    vault.remember_key(&ask, done.state.actor.map(|it| it.actor), &done.answer);
                    return Ok(done.answer);
                }
            }
        }
        Err(Error::Damaged("a command could not be decided".into()))
    }

    fn read(
        &self,
        vault: &str,
        reader: &mut dyn FnMut(&mut dyn Snapshot) -> Result<()>,
    ) -> Result<()> {
        let mut vaults = self.lock();
        reader(at(&mut vaults, vault)?)
    }

    fn import(&self, vault: &str, step: Import) -> Result<VaultState> {
        keep::import(&mut self.lock(), vault, step)
    }

    fn scrub(&self) -> Result<bool> {
        Ok(true)
    }

    fn cannot_scrub(&self) -> &'static [&'static str] {
        &[]
    }

    fn rebuild(&self, vault: &str, _progress: &dyn Fn(i64, i64)) -> Result<Rebuilt> {
        let mut vaults = self.lock();
        let vault = at(&mut vaults, vault)?;
        vault.rows = Rows::default();
        vault.log.iter().for_each(|logged| vault.rows.apply(logged));
        Ok(Rebuilt { events: vault.rows.vault.head_seq, rows: vault.rows.count() })
    }

    fn collect(
        &self,
        vault: &str,
        now: Millis,
        sweep: Sweep,
        _progress: &dyn Fn(i64),
    ) -> Result<Garbage> {
        let mut vaults = self.lock();
        let vault = at(&mut vaults, vault)?;
        // A text is stored with the event that references it, so there is no garbage.
        let expired = |time: Millis| time < now - KEY_LIFE_MS;
        let keys = vault.keys.values().filter(|(time, ..)| expired(*time)).count() as i64;
        if sweep != Sweep::Look {
            vault.keys.retain(|_, (time, ..)| !expired(*time));
        }
        Ok(Garbage { keys, ..Garbage::default() })
    }

    fn backup(&self, _to: &Path, _progress: &dyn Fn(u64, u64)) -> Result<i64> {
        Err(Error::MemoryBackup)
    }

    fn health(&self) -> Result<Vec<Finding>> {
        Ok(vec![Finding::ok("kind", "in memory: lost when the program ends")])
    }
}

impl Vault {
    fn keep(&mut self, logged: Logged) {
        self.rows.apply(&logged);
        logged
            .event
            .body
            .what
            .forgets()
            .iter()
            .for_each(|content| drop(self.contents.remove(content)));
        self.log.push(logged);
    }

    fn actor(&self, name: &str) -> Option<&ActorRow> {
        self.rows.actors.values().find(|row| row.name == name || row.id == name)
    }

    fn repeated(&self, ask: &Ask) -> Result<Option<Answer>> {
        let (Some((key, digest)), Some(actor)) = (&ask.key, self.actor(&ask.context.actor)) else {
            return Ok(None);
        };
        let since = ask.context.now - KEY_LIFE_MS;
        let kept = self.keys.get(&(actor.actor, key.clone()));
        match kept.filter(|(time, ..)| *time >= since) {
            Some((_, first, answer)) if first == digest => Ok(Some(answer.clone())),
            Some(_) => Err(Refusal::KeyReused.into()),
            None => Ok(None),
        }
    }

    fn remember_key(&mut self, ask: &Ask, actor: Option<ActorNo>, answer: &Answer) {
        if let (Some((key, digest)), Some(actor)) = (&ask.key, actor) {
            let now = ask.context.now;
            self.keys.retain(|_, (time, ..)| *time >= now - KEY_LIFE_MS);
            self.keys.insert((actor, key.clone()), (now, *digest, answer.clone()));
        }
    }

    fn scopes_at_hand(&self, needs: &Needs, state: &State) -> BTreeSet<ScopeNo> {
        let named = |name: &String| {
            let mut rows = self.rows.scopes.values().filter(|row| row.name.is_some());
            rows.find(|row| row.name.as_ref() == Some(name) || row.id == *name).map(|row| row.scope)
        };
        let mut at_hand: BTreeSet<ScopeNo> = [state.vault.main].into();
        at_hand.extend(needs.scopes.iter().chain(&needs.pin).filter_map(named));
        at_hand.extend(state.actor.iter().filter_map(|actor| actor.primary));
        at_hand.extend(state.active_scopes());
        if needs.reach.insights && self.rows.scopes.contains_key(&ScopeNo::VAULT) {
            at_hand.insert(ScopeNo::VAULT);
        }
        if needs.all_scopes {
            let listed = self.rows.scopes.values().filter(|row| row.name.is_some());
            at_hand.extend(listed.map(|row| row.scope));
        }
        at_hand
    }

    fn working(&self, needs: &Needs, state: &State) -> Option<ScopeNo> {
        state.working_scope(needs.pin.as_deref()).ok().map(|row| row.scope)
    }

    fn read_frames(&self, frames: &BTreeSet<ScopeNo>, needs: &Needs, state: &mut State) {
        for frame in frames {
            if needs.reach.frames {
                let rows = self.rows.frames.values().filter(|row| row.scope == *frame);
                let mut containers: Vec<_> = rows
                    .map(|row| Container {
                        item: row.item,
                        last_seq: row.last_seq,
                        visits: row.visits,
                    })
                    .collect();
                containers.sort_by_key(|container| std::cmp::Reverse(container.last_seq));
                state.frames.insert(*frame, containers);
            }
            if needs.reach.streams {
                let streams = &self.rows.streams;
                let range = streams.range((*frame, 0, ViewNo(0))..=(*frame, i64::MAX, ViewNo(0)));
                state.streams.insert(*frame, range.last().map(|(_, row)| row.view));
            }
        }
    }

    fn read_calls(&self, needs: &Needs, state: &mut State) {
        let actor = state.actor.as_ref().map(|actor| actor.actor);
        let wanted = |row: &&OpenCall| {
            state.scopes.contains_key(&row.scope)
                && (needs.reach.calls_of_all || Some(row.actor) == actor)
        };
        let calls: Vec<OpenCall> = self.rows.calls.values().filter(wanted).cloned().collect();
        if needs.reach.calls_of_all {
            for call in &calls {
                let size = || self.batch_size(call.scope, call.anchor);
                state.batches.entry((call.scope, call.anchor)).or_insert_with(size);
            }
        }
        state.calls = calls;
    }

    fn batch_size(&self, scope: ScopeNo, anchor: i64) -> BatchSize {
        let rows = self.rows.open_places(scope).filter(|row| row.anchor == anchor);
        let mut size = BatchSize::default();
        for row in rows {
            size.turns += i64::from(row.first);
            size.tokens += row.tokens;
        }
        size
    }

    fn read_chain(&self, needs: &Needs, state: &mut State) {
        let (Some(scope), Some(actor)) = (self.working(needs, state), &state.actor) else {
            return;
        };
        let Some(anchor) = state.open_batch(actor.actor, scope).filter(|_| needs.reach.chain)
        else {
            return;
        };
        let rows = self.rows.open_places(scope).filter(|row| row.anchor == anchor);
        let item = |row: &ambit_core::PlaceRow| ChainItem {
            item: row.item,
            position: row.position,
            tokens: row.tokens,
            first: row.first,
        };
        state.chain = Some(rows.map(item).collect());
    }

    fn read_turn(&self, needs: &Needs, state: &mut State) {
        let (Some(turn), Some(scope)) = (needs.turn, self.working(needs, state)) else {
            return;
        };
        let of_turn = |row: &&ambit_core::PlaceRow| {
            row.kind.in_window()
                && self.rows.items.get(&row.item).is_some_and(|item| item.turn == turn)
        };
        let Some(last) = self.rows.open_places(scope).rfind(of_turn) else {
            return;
        };
        let after = last.position;
        let hidden = self
            .rows
            .open_places(scope)
            .filter(|row| row.position > after && row.anchor > after && row.kind.in_window());
        let (mut hidden_turns, mut hidden_tokens) = (0, 0);
        for row in hidden {
            hidden_turns += i64::from(row.first);
            hidden_tokens += row.tokens;
        }
        state.turn = Some(TurnPlace { turn, last_position: after, hidden_turns, hidden_tokens });
    }
}

impl Snapshot for Vault {
    fn vault(&self) -> &VaultState {
        &self.rows.vault
    }

    fn state(&mut self, needs: &Needs) -> Result<State> {
        let mut state = State { reach: needs.reach, ..State::default() };
        state.vault = self.rows.vault.clone();
        state.actor = self.actor(&needs.actor).cloned();
        if let Some(actor) = &state.actor {
            let own = self.rows.presences.values().filter(|row| row.actor == actor.actor);
            let active = own.filter(|row| row.entered_seq.is_some());
            state.presence = active.map(|row| (row.scope, row.clone())).collect();
        }
        let mut at_hand = self.scopes_at_hand(needs, &state);
        at_hand.extend(self.read_named(needs, &mut state)?);
        for scope in &at_hand {
            let Some(row) = self.rows.scopes.get(scope).cloned() else {
                continue;
            };
            let head_hash = needs.reach.head_hashes.then(|| self.log[row.head as usize - 1].hash);
            state.scopes.insert(*scope, ScopeState { row, head_hash });
            let own = state.actor.as_ref().map(|actor| (actor.actor, *scope));
            if let Some(row) = own.and_then(|key| self.rows.presences.get(&key)) {
                state.presence.insert(*scope, row.clone());
            }
        }
        for row in self.rows.settings.values() {
            if (row.scope == ScopeNo::VAULT || at_hand.contains(&row.scope))
                && let Ok(setting) = Setting::find(&row.name)
                && let Ok(value) = setting.parse(&row.value)
            {
                state.settings.0.insert((row.scope, setting.key), value);
            }
        }
        let mut frames = at_hand;
        frames.extend(state.actor.iter().map(|actor| actor.home));
        self.read_frames(&frames, needs, &mut state);
        self.read_calls(needs, &mut state);
        self.read_chain(needs, &mut state);
        self.read_turn(needs, &mut state);
        state.selected = self.forgettable(&needs.selected);
        for text in &needs.texts {
            let equal = |content: &&Content| content.text == text.as_bytes();
            if let Some(found) = self.contents.values().find(equal) {
                let Content { content, key, tokens, .. } = *found;
                state.texts.insert(text.clone(), ContentRef { content, key, tokens });
            }
        }
        Ok(state)
    }

    fn blocks(&mut self, turn: i64) -> Result<Vec<Shown>> {
        let rows = self.rows.items.values().filter(|row| row.turn == turn);
        Ok(rows.filter_map(|row| self.shown(0, 0, 0, row.item)).collect())
    }

    fn notes_by_hash(&mut self, prefix: &str) -> Result<Vec<NoteShown>> {
        let mut rows: Vec<_> =
            self.rows.notes.values().filter(|row| row.hash.to_hex().starts_with(prefix)).collect();
        rows.sort_by_key(|row| row.hash);
        Ok(rows.into_iter().take(2).filter_map(|row| self.note(row)).collect())
    }

    fn events(&mut self, after: i64, limit: i64) -> Result<Vec<Stored>> {
        let after = usize::try_from(after).unwrap_or(0);
        let limit = usize::try_from(limit).unwrap_or(0);
        let stored = |logged: &Logged| {
            let Event { seq, time, actor, view, .. } = logged.event;
            let (body, hash) = (logged.text.clone().into_bytes(), logged.hash.0.to_vec());
            Stored { seq, time, actor, view, body, hash }
        };
        Ok(self.log.iter().skip(after).take(limit).map(stored).collect())
    }

    fn messages_at(&mut self, scope: ScopeNo, seq: i64, before: i64) -> Result<Vec<Shown>> {
        let rows = self.rows.places.range((scope, 0)..(scope, before)).map(|(_, row)| row);
        let rows = rows.filter(|row| {
            row.kind.in_window() && row.from_seq <= seq && row.to_seq.is_none_or(|to| to > seq)
        });
        Ok(rows
            .filter_map(|row| self.shown(row.position, row.anchor, row.tokens, row.item))
            .collect())
    }

    fn contents(&mut self, after: ContentNo, limit: i64) -> Result<Vec<Content>> {
        let limit = usize::try_from(limit).unwrap_or(0);
        let later = self.contents.range((Bound::Excluded(after), Bound::Unbounded));
        Ok(later.take(limit).map(|(_, content)| content.clone()).collect())
    }

    fn items_in(&mut self, scope: ScopeNo) -> Result<BTreeSet<ItemNo>> {
        let places = self.rows.places.range((scope, 0)..=(scope, i64::MAX));
        Ok(places.map(|(_, row)| row.item).collect())
    }

    fn index(&mut self, _parts: &BTreeSet<i64>) -> Result<Index> {
        Ok(self.bags())
    }

    fn index_faults(&mut self) -> Result<i64> {
        Ok(0)
    }

    fn bearers(&mut self, sought: &[Sought]) -> Result<Vec<Bearer>> {
        Ok(self.bearers_of(sought))
    }

    fn rows(&mut self) -> Result<Rows> {
        Ok(self.rows.clone())
    }
}

impl Places for Vault {
    type Error = Error;

    fn sum_before(&mut self, scope: ScopeNo, position: i64) -> Result<i64> {
        let before = self.rows.open_places(scope).filter(|row| row.position < position);
        Ok(before.map(|row| row.sum).next_back().unwrap_or(0))
    }

    fn place_at(&mut self, scope: ScopeNo, tokens: i64) -> Result<Option<i64>> {
        Ok(self.rows.open_places(scope).find(|row| row.sum > tokens).map(|row| row.position))
    }

    fn messages(&mut self, scope: ScopeNo, from: i64, to: i64) -> Result<Vec<Shown>> {
        let rows = self
            .rows
            .open_places(scope)
            .filter(|row| row.kind.in_window() && (from..to).contains(&row.position));
        Ok(rows
            .filter_map(|row| self.shown(row.position, row.anchor, row.tokens, row.item))
            .collect())
    }

    fn leading(&mut self, scope: ScopeNo, limit: i64) -> Result<Vec<Shown>> {
        let mut rows = self.messages(scope, 0, i64::MAX)?;
        rows.truncate(usize::try_from(limit).unwrap_or(0));
        Ok(rows)
    }

    fn notes(&mut self, scope: ScopeNo, range: NoteRange, limit: i64) -> Result<Vec<NoteShown>> {
        let places = &self.rows.places;
        let to_seq = |row: &NoteRow| {
            places.get(&(row.scope, row.position)).map_or(Some(0), |place| place.to_seq)
        };
        let rows = self.rows.notes.values().filter(|row| {
            row.scope == scope
                && match range {
                    NoteRange::Places { from, to } => {
                        to_seq(row).is_none() && (from..to).contains(&row.position)
                    }
                    NoteRange::Before { seq } => {
                        row.seq < seq && to_seq(row).is_none_or(|to_seq| to_seq >= seq)
                    }
                }
        });
        let mut notes: Vec<_> = rows.filter_map(|row| self.note(row)).collect();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        notes.drain(..notes.len().saturating_sub(limit));
        Ok(notes)
    }

    fn authors(&mut self, actors: &BTreeSet<ActorNo>) -> Result<BTreeMap<ActorNo, Author>> {
        let rows = actors.iter().filter_map(|actor| self.rows.actors.get(actor));
        Ok(rows.map(|row| (row.actor, Author { name: row.name.clone(), kind: row.kind })).collect())
    }

    fn scope_row(&mut self, scope: ScopeNo) -> Result<Option<ScopeRow>> {
        Ok(self.rows.scopes.get(&scope).cloned())
    }
}
