//! A store around another one that compares, after every transaction, the State that `decide` left
//! with what the store then reads.

use std::sync::{Arc, Mutex};

use ambit_core::{Answer, Ask, Decision, Millis, State};
use ambit_store::{Result, Rows, Snapshot, Store, VaultInfo};

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

    /// The stored rows against those that the log implies.
    pub fn rebuilt_differs(&self, vault: &str) -> Option<String> {
        let mut found = None;
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
            Ok(())
        });
        found.or_else(|| read.err().map(|error| error.to_string()))
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

    fn transact(&self, ask: &Ask, decide: &mut dyn FnMut(&State) -> Decision) -> Result<Answer> {
        let mut applied = None;
        let answer = self.inner.transact(ask, &mut |state| {
            let decision = decide(state);
            if let Decision::Done(done) = &decision {
                applied = Some(done.state.clone());
            }
            decision
        })?;
        if let Some(applied) = applied {
            self.compare(ask, applied)?;
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
}
