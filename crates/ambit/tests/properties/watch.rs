//! A store around another one that compares, after every transaction, the State that `decide` left
//! with what the store then reads.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use crate::attention;
use ambit_core::{Answer, Ask, Decision, ItemKind, Millis, State, VaultState};
use ambit_store::{
    Decide, Finding, Garbage, Import, NameLock, Rebuilt, Result, Rows, Snapshot, Store, Sweep,
    VaultInfo,
};

pub struct Watch {
    inner: Box<dyn Store>,
    /// What was found first.
    found: Arc<Mutex<Option<String>>>,
}

impl Watch {
    pub fn new(inner: Box<dyn Store>) -> Self {
        Watch { inner, found: Arc::default() }
    }

    /// The first difference between a State applied and a State read.
    pub fn difference(&self) -> Option<String> {
        self.found.lock().unwrap().take()
    }

    /// The stored rows against those that the log implies. Where they are equal and add up: the
    /// tokens of each turn and note, by sequence and by hash.
    pub fn rows(&self, vault: &str) -> std::result::Result<Tokens, String> {
        let (mut found, mut tokens) = (None, Tokens::new());
        let read = self.inner.read(vault, &mut |snapshot| {
            let mut rebuilt = Rows::default();
            for stored in snapshot.events(0, i64::MAX)? {
                let seq = stored.seq;
                match stored.parse() {
                    Ok(logged) => rebuilt.apply(&logged),
                    Err(error) => found = Some(format!("event {seq}: {error}")),
                }
            }
            let rows = snapshot.rows()?;
            if rows != rebuilt && found.is_none() {
                found = Some(differing(&format!("{rows:#?}"), &format!("{rebuilt:#?}")));
            }
            found = found.take().or_else(|| adds_up(&rows).err());
            tokens = counts(&rows);
            Ok(())
        });
        match found.or_else(|| read.err().map(|error| error.to_string())) {
            Some(found) => Err(found),
            None => Ok(tokens),
        }
    }

    /// The log's views and frames.
    pub fn attention(&self, vault: &str) -> std::result::Result<(), String> {
        let (mut log, mut rows) = (Vec::new(), Rows::default());
        let read = self.inner.read(vault, &mut |snapshot| {
            (log, rows) = (snapshot.events(0, i64::MAX)?, snapshot.rows()?);
            Ok(())
        });
        read.map_err(|error| error.to_string())?;
        let parsed = log.into_iter().map(|stored| stored.parse().map_err(|it| it.to_string()));
        attention::check(&parsed.collect::<std::result::Result<Vec<_>, _>>()?, &rows)
    }

    fn head(&self, vault: &str) -> Result<i64> {
        let all = self.inner.vaults()?;
        Ok(all.iter().find(|it| it.name == vault).map_or(0, |it| it.head_seq))
    }

    fn compare(&self, ask: &Ask, applied: State) -> Result<()> {
        let mut needs = ask.needs.clone();
        needs.reach = applied.reach;
        needs.scopes.extend(applied.scopes.values().filter_map(|scope| scope.row.name.clone()));
        let applied = applied.settled();
        self.inner.read(&ask.vault, &mut |snapshot| {
            let read = snapshot.state(&needs)?.settled();
            if read != applied {
                let text = differing(&format!("{applied:#?}"), &format!("{read:#?}"));
                self.found.lock().unwrap().get_or_insert(text);
            }
            Ok(())
        })
    }
}

/// What each turn and note counts, by its sequence and by its short hash.
pub type Tokens = HashMap<String, i64>;

fn counts(rows: &Rows) -> Tokens {
    let mut tokens = Tokens::new();
    // A carried turn has places in several scopes: the open one holds, where there is one.
    let (open, closed): (Vec<_>, Vec<_>) =
        rows.places.values().partition(|place| place.to_seq.is_none());
    for place in closed.into_iter().chain(open) {
        let turn = rows.items.get(&place.item).map_or(0, |item| item.turn);
        let note = rows.notes.get(&(place.scope, place.position));
        let name = note.map_or_else(|| turn.to_string(), |note| note.hash.short());
        let block = rows.items.get(&place.item).map_or(0, |item| item.block);
        tokens.insert(format!("{name}.{block}"), place.tokens);
    }
    let mut turns = Tokens::new();
    for (name, count) in tokens {
        let turn = name.split('.').next().unwrap_or_default().to_string();
        *turns.entry(turn).or_default() += count;
    }
    turns
}

/// Sums and counts are taken over from events: here they are added up anew.
fn adds_up(rows: &Rows) -> std::result::Result<(), String> {
    for scope in rows.scopes.values() {
        let (mut sum, mut notes, mut messages) = (0, (0, 0), 0);
        for place in rows.open_places(scope.scope) {
            sum += place.tokens;
            if place.sum != sum {
                return Err(format!("a sum of {} at {place:?}", place.sum));
            }
            match place.kind {
                ItemKind::Object => {}
                ItemKind::Note | ItemKind::Insight => notes = (notes.0 + 1, notes.1 + place.tokens),
                ItemKind::Message => messages += i64::from(place.first),
            }
        }
        let kept = (scope.sum, (scope.notes, scope.note_tokens), scope.messages);
        if kept != (sum, notes, messages) {
            return Err(format!("{scope:?} does not add up to {:?}", (sum, notes, messages)));
        }
    }
    Ok(())
}

/// The first lines in which two renderings differ.
fn differing(left: &str, right: &str) -> String {
    let lines = left.lines().zip(right.lines()).enumerate();
    let unequal: Vec<_> = lines.filter(|(_, (a, b))| a != b).take(4).collect();
    format!("{unequal:?}")
}

impl Store for Watch {
    fn vaults(&self) -> Result<Vec<VaultInfo>> {
        self.inner.vaults()
    }

    fn create(&self, vault: &str, now: Millis, seed: [u8; 32]) -> Result<bool> {
        self.inner.create(vault, now, seed)
    }

    fn transact(&self, ask: Ask, mut decide: Decide) -> Result<Answer> {
        let (states, applied) = channel();
        let watched = move |state: &State| {
            let decision = decide(state);
            if let Decision::Done(done) = &decision {
                states.send(done.state.clone()).unwrap();
            }
            decision
        };
        let before = self.head(&ask.vault)?;
        let answer = self.inner.transact(ask.clone(), Box::new(watched))?;
        // What was decided may not have been kept: a server's store decides on a guess first.
        let kept = self.head(&ask.vault)? > before;
        if let Some(applied) = applied.try_iter().last().filter(|_| kept) {
            self.compare(&ask, applied)?;
        }
        Ok(answer)
    }

    fn read(
        &self,
        vault: &str,
        reader: &mut dyn FnMut(&mut dyn Snapshot) -> Result<()>,
    ) -> Result<()> {
        self.inner.read(vault, reader)
    }

    fn import(&self, vault: &str, step: Import) -> Result<VaultState> {
        self.inner.import(vault, step)
    }

    fn scrub(&self) -> Result<bool> {
        self.inner.scrub()
    }

    fn cannot_scrub(&self) -> &'static [&'static str] {
        self.inner.cannot_scrub()
    }

    fn rebuild(&self, vault: &str, progress: &dyn Fn(i64, i64)) -> Result<Rebuilt> {
        self.inner.rebuild(vault, progress)
    }

    fn collect(
        &self,
        vault: &str,
        now: Millis,
        sweep: Sweep,
        progress: &dyn Fn(i64),
    ) -> Result<Garbage> {
        self.inner.collect(vault, now, sweep, progress)
    }

    fn backup(&self, to: &Path, progress: &dyn Fn(u64, u64)) -> Result<i64> {
        self.inner.backup(to, progress)
    }

    fn lock_name(&self, name: &str) -> Result<Option<NameLock>> {
        self.inner.lock_name(name)
    }

    fn health(&self) -> Result<Vec<Finding>> {
        self.inner.health()
    }
}
