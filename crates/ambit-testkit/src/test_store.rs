//! A wrapper around a store. It injects a fault into decisions on request and, after every
//! transaction, compares the decided State with what the store reads.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ambit_core::{Answer, Ask, Decision, ItemKind, Logged, Millis, State, VaultState};
use ambit_store::{
    Decide, Finding, Garbage, Import, NameLock, Rebuilt, Result, Rows, Snapshot, Store, Sweep,
    VaultInfo,
};

use crate::fault::{Breaks, Fault};

/// How long a command that was acknowledged early waits before it is written.
const LATE: Duration = Duration::from_millis(20);

pub struct TestStore {
    inner: Arc<dyn Store>,
    fault: Option<Fault>,
    /// The first failure.
    found: Arc<Mutex<Option<String>>>,
}

impl TestStore {
    pub fn new(inner: Arc<dyn Store>, fault: Option<Fault>) -> Self {
        TestStore { inner, fault, found: Arc::default() }
    }

    /// Returns the rows of a vault as a snapshot reads them, and its log.
    pub fn rows_and_log(&self, vault: &str) -> std::result::Result<(Rows, Vec<Logged>), String> {
        let (mut rows, mut log) = (Rows::default(), Vec::new());
        let read = self.inner.read(vault, &mut |snapshot| {
            (rows, log) = (snapshot.rows()?, snapshot.events(0, i64::MAX)?);
            Ok(())
        });
        read.map_err(|error| error.to_string())?;
        if let Some(fault) = &self.fault {
            fault.rows(&mut rows);
        }
        let parsed = log.into_iter().map(|stored| {
            let seq = stored.seq;
            stored.parse().map_err(|error| format!("event {seq}: {error}"))
        });
        Ok((rows, parsed.collect::<std::result::Result<_, _>>()?))
    }

    /// Returns the first difference between an applied State and a State read from the store.
    pub fn difference(&self) -> Option<String> {
        self.found.lock().unwrap().take()
    }

    /// Compares the stored rows with those derived from the log. If they are equal and add up,
    /// returns the tokens of each turn and note, by sequence and by hash.
    pub fn rows(&self, vault: &str) -> std::result::Result<Tokens, String> {
        let (rows, log) = self.rows_and_log(vault)?;
        let mut rebuilt = Rows::default();
        log.iter().for_each(|logged| rebuilt.apply(logged));
        if rows != rebuilt {
            return Err(differing(&format!("{rows:#?}"), &format!("{rebuilt:#?}")));
        }
        adds_up(&rows)?;
        Ok(counts(&rows))
    }

    fn head(&self, vault: &str) -> Result<i64> {
        let all = self.inner.vaults()?;
        Ok(all.iter().find(|it| it.name == vault).map_or(0, |it| it.head_seq))
    }

    /// Answers a command when it is decided, and writes it later.
    fn acknowledge(&self, ask: Ask, mut decide: Decide) -> Result<Answer> {
        let (answers, first) = channel();
        let (inner, early) = (self.inner.clone(), answers.clone());
        let decide = move |state: &State| {
            let decision = decide(state);
            if let Decision::Done(done) = &decision {
                // The receiver is gone if the command was decided before.
                let _ = early.send(Ok(done.answer.clone()));
                std::thread::sleep(LATE);
            }
            decision
        };
        std::thread::spawn(move || {
            let _ = answers.send(inner.transact(ask, Box::new(decide)));
        });
        first.recv().unwrap()
    }

    fn compare(&self, ask: &Ask, applied: State) -> Result<()> {
        let mut needs = ask.needs.clone();
        needs.reach = applied.reach;
        needs.scopes.extend(applied.scopes.values().filter_map(|scope| scope.row.name.clone()));
        // What they bring in depends on the rows, which the command may have changed.
        needs.objects.clear();
        needs.subagent = None;
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

/// Returns the tokens of each turn and note, by its sequence and by its short hash.
pub type Tokens = HashMap<String, i64>;

fn counts(rows: &Rows) -> Tokens {
    let mut tokens = Tokens::new();
    // A carried turn has places in several scopes: use the open one, if any.
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

/// Recomputes sums and counts, which the rows take from events.
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

/// Returns the first lines in which two renderings differ.
fn differing(left: &str, right: &str) -> String {
    let lines = left.lines().zip(right.lines()).enumerate();
    let unequal: Vec<_> = lines.filter(|(_, (a, b))| a != b).take(4).collect();
    format!("{unequal:?}")
}

impl Store for TestStore {
    fn vaults(&self) -> Result<Vec<VaultInfo>> {
        self.inner.vaults()
    }

    fn create(&self, vault: &str, now: Millis, seed: [u8; 32]) -> Result<bool> {
        self.inner.create(vault, now, seed)
    }

    fn transact(&self, ask: Ask, mut decide: Decide) -> Result<Answer> {
        if matches!(self.fault, Some(Fault { breaks: Breaks::Acknowledged, .. })) {
            return self.acknowledge(ask, decide);
        }
        let (states, applied) = channel();
        let fault = self.fault;
        let watched = move |state: &State| {
            let mut decision = decide(state);
            if let Decision::Done(done) = &mut decision {
                if let Some(fault) = &fault {
                    fault.decided(state, done);
                }
                states.send(done.state.clone()).unwrap();
            }
            decision
        };
        let before = self.head(&ask.vault)?;
        let answer = self.inner.transact(ask.clone(), Box::new(watched))?;
        // A decision may have been discarded: a server's store writes optimistically first.
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
