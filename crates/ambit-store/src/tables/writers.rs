//! One writer per vault in a process. Commands that come while writers are busy wait, and the next
//! to write takes all of them into one transaction, also those of several vaults: one durable
//! commit serves them all.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ambit_core::{Answer, Ask};

use super::{Batch, Job, Outcome, Recent};
use crate::{Decide, Error, Result};

/// How many commands one transaction holds at most: more would keep the first ones waiting.
pub(super) const GROUP_MAX: usize = 64;

/// How many vaults are remembered while nobody writes to them.
const REMEMBERED_MAX: usize = 256;

/// The writers of a store.
pub(crate) struct Writers {
    /// How many may write at once.
    most: usize,
    shared: Mutex<Shared>,
}

#[derive(Default)]
struct Shared {
    /// How many write, or have been told to.
    writing: usize,
    waiting: Vec<Waiting>,
    /// Vaults that somebody writes to.
    busy: HashSet<String>,
    /// What vaults looked like after their last commit.
    recent: HashMap<String, Recent>,
}

struct Waiting {
    job: Job,
    caller: Sender<Told>,
    /// Told to write, and not come to it yet.
    told: bool,
}

/// What a caller that waits is told.
enum Told {
    /// Your turn to write for all who wait, yourself among them.
    Write,
    Done(Outcome),
}

/// What is written together: by vault, in the order in which their rows are locked.
struct Group {
    vaults: Vec<String>,
    batches: Vec<Batch>,
    callers: Vec<Vec<Sender<Told>>>,
}

impl Writers {
    pub fn new(most: usize) -> Writers {
        Writers { most, shared: Mutex::default() }
    }

    /// Has a command kept, together with those that wait beside it. `write` is given commands by
    /// vault and answers each of them once what they changed is durable; of several vaults, it may
    /// leave some alone.
    pub fn submit(
        &self,
        ask: Ask,
        decide: Decide,
        write: impl Fn(&mut [Batch]) -> Result<Vec<Option<Vec<Outcome>>>>,
    ) -> Result<Answer> {
        let (caller, heard) = channel();
        let first = {
            let mut shared = self.shared();
            let first = shared.writing < self.most && !shared.busy.contains(&ask.vault);
            shared.writing += usize::from(first);
            shared.waiting.push(Waiting { job: Job { ask, decide }, caller, told: false });
            first
        };
        if first {
            self.lead(&write);
        }
        loop {
            match heard.recv() {
                Ok(Told::Write) => self.lead(&write),
                Ok(Told::Done(Outcome::Answered(answer))) => return answer,
                Ok(Told::Done(Outcome::Panicked(cause))) => resume_unwind(cause),
                // Who wrote for us is gone without a word: nothing was acknowledged.
                Err(_) => return Err(Error::Damaged("a write was broken off".into())),
            }
        }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes for those who wait, then hands on to the first of those who came meanwhile.
    fn lead(&self, write: &impl Fn(&mut [Batch]) -> Result<Vec<Option<Vec<Outcome>>>>) {
        let Group { vaults, mut batches, callers } = self.shared().take();
        let written = catch_unwind(AssertUnwindSafe(|| match batches.is_empty() {
            true => Vec::new(),
            false => write_all(&mut batches, write),
        }));
        let (outcomes, panic) = match written {
            Ok(outcomes) => (outcomes, None),
            Err(cause) => {
                batches.iter_mut().for_each(|batch| batch.recent.forget());
                (Vec::new(), Some(cause))
            }
        };
        let pairs = callers.iter().zip(outcomes).flat_map(|(callers, all)| callers.iter().zip(all));
        for (caller, outcome) in pairs {
            // A caller that is gone wants no answer.
            let _ = caller.send(Told::Done(outcome));
        }
        // Without a word to those who wait, they see that it was broken off.
        drop(callers);
        let mut shared = self.shared();
        for (vault, batch) in vaults.into_iter().zip(batches) {
            shared.busy.remove(&vault);
            shared.recent.insert(vault, batch.recent);
        }
        shared.hand_on();
        drop(shared);
        if let Some(cause) = panic {
            resume_unwind(cause);
        }
    }
}

impl Shared {
    /// Takes those who wait and whose vault nobody writes to.
    fn take(&mut self) -> Group {
        let mut taken: BTreeMap<String, (Vec<Job>, Vec<Sender<Told>>)> = BTreeMap::new();
        let mut count = 0;
        for waiting in std::mem::take(&mut self.waiting) {
            if count == GROUP_MAX || self.busy.contains(&waiting.job.ask.vault) {
                // Who takes may be the one who was told. To be told twice does no harm.
                self.waiting.push(Waiting { told: false, ..waiting });
                continue;
            }
            let (jobs, callers) = taken.entry(waiting.job.ask.vault.clone()).or_default();
            jobs.push(waiting.job);
            callers.push(waiting.caller);
            count += 1;
        }
        let mut group = Group { vaults: Vec::new(), batches: Vec::new(), callers: Vec::new() };
        for (vault, (jobs, callers)) in taken {
            let recent = self.recent.remove(&vault).unwrap_or_default();
            self.busy.insert(vault.clone());
            group.vaults.push(vault);
            group.batches.push(Batch { recent, jobs });
            group.callers.push(callers);
        }
        group
    }

    fn hand_on(&mut self) {
        if self.recent.len() > REMEMBERED_MAX {
            self.recent.clear();
        }
        let Shared { waiting, busy, .. } = self;
        let free = |it: &&mut Waiting| !it.told && !busy.contains(&it.job.ask.vault);
        match waiting.iter_mut().find(free) {
            Some(next) => {
                next.told = true;
                let _ = next.caller.send(Told::Write);
            }
            None => self.writing -= 1,
        }
    }
}

/// One transaction for all; then one for each vault that was left alone. Where it fails, one for
/// each, so that none takes another with it.
fn write_all(
    batches: &mut [Batch],
    write: &impl Fn(&mut [Batch]) -> Result<Vec<Option<Vec<Outcome>>>>,
) -> Vec<Vec<Outcome>> {
    let written = match batches {
        [batch] => return vec![write_one(batch, write)],
        _ => write(batches),
    };
    match written {
        Ok(outcomes) => {
            let each = batches.iter_mut().zip(outcomes);
            each.map(|(batch, done)| done.unwrap_or_else(|| write_one(batch, write))).collect()
        }
        Err(error) => {
            batches.iter_mut().for_each(|batch| batch.recent.forget());
            let each = batches.iter_mut();
            match error.may_be_one_commands() {
                true => each.map(|batch| write_one(batch, write)).collect(),
                false => each.map(|batch| all_failed(batch, &error)).collect(),
            }
        }
    }
}

/// One transaction for a vault; where it fails, one for each command.
fn write_one(
    batch: &mut Batch,
    write: &impl Fn(&mut [Batch]) -> Result<Vec<Option<Vec<Outcome>>>>,
) -> Vec<Outcome> {
    let known = batch.recent.vault.is_some();
    let written = write(std::slice::from_mut(batch));
    let written = written.map(|mut all| all.pop().flatten().unwrap_or_default());
    let error = match written {
        Ok(outcomes) => return outcomes,
        Err(error) => error,
    };
    batch.recent.forget();
    match error {
        Error::Moved if known => write_one(batch, write),
        error if batch.jobs.len() == 1 || !error.may_be_one_commands() => all_failed(batch, &error),
        _ => {
            let mut outcomes = Vec::new();
            for job in std::mem::take(&mut batch.jobs) {
                let recent = std::mem::take(&mut batch.recent);
                let mut one = Batch { recent, jobs: vec![job] };
                outcomes.append(&mut write_one(&mut one, write));
                batch.recent = one.recent;
            }
            outcomes
        }
    }
}

fn all_failed(batch: &Batch, error: &Error) -> Vec<Outcome> {
    batch.jobs.iter().map(|_| Outcome::Answered(Err(error.clone()))).collect()
}
