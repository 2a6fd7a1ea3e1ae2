//! One writer per vault in a process. Commands that come while it is busy wait, and the next to
//! write takes all of them into one transaction: one durable commit serves them all.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use ambit_core::{Answer, Ask};

use super::{Job, Outcome, Recent};
use crate::{Decide, Error, Result};

/// How many commands one transaction holds at most: more would keep the first ones waiting.
pub(super) const GROUP_MAX: usize = 64;

/// Vaults whose writer is remembered while nobody waits for it.
const IDLE_MAX: usize = 256;

/// The writers of a store, by vault.
#[derive(Default)]
pub(crate) struct Writers {
    by_vault: Mutex<HashMap<String, Arc<Writer>>>,
}

#[derive(Default)]
struct Writer {
    queue: Mutex<Queue>,
    /// What the vault looked like after the last commit. Only who writes takes it.
    recent: Mutex<Recent>,
}

#[derive(Default)]
struct Queue {
    /// Somebody writes, or has been told to.
    busy: bool,
    waiting: Vec<Waiting>,
}

struct Waiting {
    job: Job,
    caller: SyncSender<Told>,
}

/// What a caller that waits is told.
enum Told {
    /// Your turn to write for all who wait, yourself among them.
    Write,
    Done(Outcome),
}

impl Writers {
    /// Has a command kept, together with those that wait beside it. `write` is given commands of
    /// one vault and answers each of them once what they changed is durable.
    pub fn submit(
        &self,
        ask: Ask,
        decide: Decide,
        write: impl Fn(&mut Recent, &mut [Job]) -> Result<Vec<Outcome>>,
    ) -> Result<Answer> {
        let writer = self.writer(&ask.vault);
        let (caller, told) = sync_channel(1);
        let first = {
            let mut queue = writer.queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.waiting.push(Waiting { job: Job { ask, decide }, caller });
            !std::mem::replace(&mut queue.busy, true)
        };
        if first {
            writer.lead(&write);
        }
        loop {
            match told.recv() {
                Ok(Told::Write) => writer.lead(&write),
                Ok(Told::Done(Outcome::Answered(answer))) => return answer,
                Ok(Told::Done(Outcome::Panicked(cause))) => resume_unwind(cause),
                // Who wrote for us is gone without a word: nothing was acknowledged.
                Err(_) => return Err(Error::Damaged("a write was broken off".into())),
            }
        }
    }

    fn writer(&self, vault: &str) -> Arc<Writer> {
        let mut by_vault = self.by_vault.lock().unwrap_or_else(PoisonError::into_inner);
        if by_vault.len() >= IDLE_MAX && !by_vault.contains_key(vault) {
            // Whoever is in use is held by somebody else, too.
            by_vault.retain(|_, writer| Arc::strong_count(writer) > 1);
        }
        by_vault.entry(vault.to_string()).or_default().clone()
    }
}

impl Writer {
    /// Writes for those who wait, then hands on to the first of those who came meanwhile.
    fn lead(&self, write: &impl Fn(&mut Recent, &mut [Job]) -> Result<Vec<Outcome>>) {
        let group: Vec<Waiting> = {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            let count = queue.waiting.len().min(GROUP_MAX);
            queue.waiting.drain(..count).collect()
        };
        let (mut jobs, callers): (Vec<_>, Vec<_>) =
            group.into_iter().map(|waiting| (waiting.job, waiting.caller)).unzip();
        let written = catch_unwind(AssertUnwindSafe(|| {
            let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
            write_all(&mut recent, &mut jobs, write)
        }));
        let (outcomes, panic) = match written {
            Ok(outcomes) => (outcomes, None),
            Err(cause) => (Vec::new(), Some(cause)),
        };
        for (caller, outcome) in callers.iter().zip(outcomes) {
            // A caller that is gone wants no answer.
            let _ = caller.send(Told::Done(outcome));
        }
        // Without a word to those who wait, they see that it was broken off.
        drop(callers);
        self.hand_on();
        if let Some(cause) = panic {
            self.recent.lock().unwrap_or_else(PoisonError::into_inner).forget();
            resume_unwind(cause);
        }
    }

    fn hand_on(&self) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        match queue.waiting.first() {
            Some(next) => drop(next.caller.send(Told::Write)),
            None => queue.busy = false,
        }
    }
}

/// One transaction for all; where it fails, one for each, so that none takes another with it.
fn write_all(
    recent: &mut Recent,
    jobs: &mut [Job],
    write: &impl Fn(&mut Recent, &mut [Job]) -> Result<Vec<Outcome>>,
) -> Vec<Outcome> {
    match write(recent, jobs) {
        Ok(outcomes) => outcomes,
        Err(Error::Moved) if recent.vault.is_some() => {
            recent.forget();
            write_all(recent, jobs, write)
        }
        Err(error) if jobs.len() == 1 || !error.may_be_one_commands() => {
            recent.forget();
            jobs.iter().map(|_| Outcome::Answered(Err(error.clone()))).collect()
        }
        Err(_) => {
            recent.forget();
            let one = |job: &mut Job| write_all(recent, std::slice::from_mut(job), write);
            jobs.iter_mut().flat_map(one).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    //! The mechanics alone; what it does to a database is in the contract suite.
    use super::*;

    #[test]
    fn writers_of_idle_vaults_are_dropped() {
        let writers = Writers::default();
        let kept = writers.writer("kept");
        for number in 0..IDLE_MAX * 2 {
            drop(writers.writer(&number.to_string()));
        }
        let count = writers.by_vault.lock().map_or(0, |it| it.len());
        assert!(count <= IDLE_MAX, "{count}");
        assert!(Arc::ptr_eq(&kept, &writers.writer("kept")));
    }
}
