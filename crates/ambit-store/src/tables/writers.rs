//! Group commit. A process has one writer per vault. Commands that arrive while the writers are
//! busy wait in a queue; the next writer takes all of them, of one or several vaults, into one
//! transaction with one durable commit.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ambit_core::{Answer, Ask};

use super::{Batch, Job, Outcome, Outcomes, Recent};
use crate::{Decide, Error, Result};

/// The largest number of commands in a transaction: more would delay the first ones.
pub(super) const GROUP_MAX: usize = 64;

/// How many vaults stay cached while nobody writes to them.
const REMEMBERED_MAX: usize = 256;

/// The writers of a store.
pub(crate) struct Writers {
    /// The largest number of concurrent writers.
    most: usize,
    shared: Mutex<Shared>,
}

#[derive(Default)]
struct Shared {
    /// How many callers write, or were called to write.
    writing: usize,
    waiting: Vec<Waiting>,
    /// The vaults that are being written to.
    busy: HashSet<String>,
    /// The cached states of vaults after their last commit.
    recent: HashMap<String, Recent>,
}

struct Waiting {
    job: Job,
    caller: Sender<Reply>,
    /// Whether the caller was called to write and has not started.
    called: bool,
}

/// The message that a waiting caller receives.
enum Reply {
    /// The receiver writes for the whole queue, including itself.
    Write,
    /// The receiver writes this part in a separate transaction; it waits for a command in it.
    WriteAlone(Box<Part>),
    Done(Box<Outcome>),
}

/// One vault's part of a group.
struct Part {
    vault: String,
    batch: Batch,
    callers: Vec<Sender<Reply>>,
}

impl Part {
    /// Sends the outcomes to the waiting callers. A caller without an outcome sees that the write
    /// was aborted.
    fn report(&mut self, outcomes: Vec<Outcome>) {
        for (caller, outcome) in self.callers.drain(..).zip(outcomes) {
            // A caller that is gone needs no answer.
            let _ = caller.send(Reply::Done(Box::new(outcome)));
        }
    }
}

impl Writers {
    pub fn new(most: usize) -> Writers {
        Writers { most, shared: Mutex::default() }
    }

    /// Runs a command, together with the others in the queue. `write` receives the commands by
    /// vault, and whether to wait for the vaults' locks; it returns the outcomes once they are
    /// durable.
    pub fn submit(
        &self,
        ask: Ask,
        decide: Decide,
        write: impl Fn(&mut [Batch], bool) -> Result<Outcomes>,
    ) -> Result<Answer> {
        let (caller, heard) = channel();
        let first = {
            let mut shared = self.shared();
            let first = shared.writing < self.most && !shared.busy.contains(&ask.vault);
            shared.writing += usize::from(first);
            shared.waiting.push(Waiting { job: Job { ask, decide }, caller, called: false });
            first
        };
        if first {
            self.lead(&write);
        }
        loop {
            match heard.recv() {
                Ok(Reply::Write) => self.lead(&write),
                Ok(Reply::WriteAlone(part)) => self.write_alone(*part, &write),
                Ok(Reply::Done(outcome)) => match *outcome {
                    Outcome::Answered(answer) => return answer,
                    Outcome::Panicked(cause) => resume_unwind(cause),
                },
                // The writing caller ended without an answer: nothing was acknowledged.
                Err(_) => return Err(Error::Damaged("a write was aborted".into())),
            }
        }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes for the queue, then hands over to the first caller that arrived meanwhile. A part
    /// that needs a separate transaction goes to one of its own callers: nobody waits for the lock
    /// of another vault.
    fn lead(&self, write: &impl Fn(&mut [Batch], bool) -> Result<Outcomes>) {
        let parts = self.shared().take();
        let (vaults, mut batches): (Vec<_>, Vec<_>) =
            parts.into_iter().map(|part| ((part.vault, part.callers), part.batch)).unzip();
        let written = catch_unwind(AssertUnwindSafe(|| write_together(&mut batches, write)));
        let (outcomes, panic) = match written {
            Ok(outcomes) => (outcomes, None),
            Err(cause) => {
                batches.iter_mut().for_each(|batch| batch.recent.forget());
                (batches.iter().map(|_| Some(Vec::new())).collect(), Some(cause))
            }
        };
        let parts = vaults.into_iter().zip(batches);
        let parts = parts.map(|((vault, callers), batch)| Part { vault, batch, callers });
        for (mut part, outcomes) in parts.zip(outcomes) {
            match (outcomes, part.callers.first().cloned()) {
                (None, Some(first)) => {
                    // The caller waits for an answer, so it receives this.
                    let _ = first.send(Reply::WriteAlone(Box::new(part)));
                }
                (outcomes, _) => {
                    part.report(outcomes.unwrap_or_default());
                    self.shared().release(part);
                }
            }
        }
        self.shared().hand_on(self.most);
        if let Some(cause) = panic {
            resume_unwind(cause);
        }
    }

    /// Writes one vault's part, and waits for the vault's lock.
    fn write_alone(&self, mut part: Part, write: &impl Fn(&mut [Batch], bool) -> Result<Outcomes>) {
        let written = catch_unwind(AssertUnwindSafe(|| write_one(&mut part.batch, write)));
        let (outcomes, panic) = match written {
            Ok(outcomes) => (outcomes, None),
            Err(cause) => {
                part.batch.recent.forget();
                (Vec::new(), Some(cause))
            }
        };
        part.report(outcomes);
        let mut shared = self.shared();
        shared.release(part);
        shared.call(self.most);
        drop(shared);
        if let Some(cause) = panic {
            resume_unwind(cause);
        }
    }
}

impl Shared {
    /// Takes the waiting commands of vaults that are not being written to, grouped by vault, in the
    /// order in which rows are locked.
    fn take(&mut self) -> Vec<Part> {
        let mut taken: BTreeMap<String, (Vec<Job>, Vec<Sender<Reply>>)> = BTreeMap::new();
        let mut count = 0;
        for waiting in std::mem::take(&mut self.waiting) {
            if count == GROUP_MAX || self.busy.contains(&waiting.job.ask.vault) {
                // The caller may be the one that was called to write. A second call is harmless.
                self.waiting.push(Waiting { called: false, ..waiting });
                continue;
            }
            let (jobs, callers) = taken.entry(waiting.job.ask.vault.clone()).or_default();
            jobs.push(waiting.job);
            callers.push(waiting.caller);
            count += 1;
        }
        let mut parts = Vec::with_capacity(taken.len());
        for (vault, (jobs, callers)) in taken {
            let recent = self.recent.remove(&vault).unwrap_or_default();
            self.busy.insert(vault.clone());
            parts.push(Part { vault, batch: Batch { recent, jobs }, callers });
        }
        parts
    }

    /// Releases a vault for other writers.
    fn release(&mut self, part: Part) {
        self.busy.remove(&part.vault);
        if self.recent.len() >= REMEMBERED_MAX {
            self.recent.clear();
        }
        self.recent.insert(part.vault, part.batch.recent);
    }

    fn hand_on(&mut self, most: usize) {
        self.writing -= 1;
        self.call(most);
    }

    /// Calls a waiting caller to write, unless the maximum of writers is reached.
    fn call(&mut self, most: usize) {
        let Shared { waiting, busy, writing, .. } = self;
        let free = |it: &&mut Waiting| !it.called && !busy.contains(&it.job.ask.vault);
        let next = waiting.iter_mut().find(free).filter(|_| *writing < most);
        if let Some(next) = next {
            next.called = true;
            *writing += 1;
            let _ = next.caller.send(Reply::Write);
        }
    }
}

/// Writes all batches in one transaction, except those that need a separate one. If the transaction
/// fails, every batch gets a separate one: an error of one batch must not affect the others.
fn write_together(
    batches: &mut [Batch],
    write: &impl Fn(&mut [Batch], bool) -> Result<Outcomes>,
) -> Outcomes {
    if batches.iter().all(|batch| batch.recent.vault.is_none()) {
        return batches.iter().map(|_| None).collect();
    }
    write(batches, false).unwrap_or_else(|error| {
        batches.iter_mut().for_each(|batch| batch.recent.forget());
        // A single command has failed by itself.
        let commands: usize = batches.iter().map(|batch| batch.jobs.len()).sum();
        let alone = error.may_be_one_commands() && commands > 1;
        let failed = |batch: &Batch| (!alone).then(|| all_failed(batch, &error));
        batches.iter().map(failed).collect()
    })
}

/// Writes a vault's commands in one transaction or, if that fails, each in its own.
fn write_one(
    batch: &mut Batch,
    write: &impl Fn(&mut [Batch], bool) -> Result<Outcomes>,
) -> Vec<Outcome> {
    let known = batch.recent.vault.is_some();
    let written = write(std::slice::from_mut(batch), true);
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
