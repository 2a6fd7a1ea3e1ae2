//! Decides the commands of one write transaction, each on the state that the previous ones left.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ambit_core::{
    Answer, Ask, ContentRef, Decision, Done, Fresh, Millis, Needs, State, VaultState, create_vault,
    digest,
};

use super::{At, Link, Recent, Step, VaultFound, first_answer, map, one, values};
use crate::{Decide, Error, KEY_LIFE_MS, NEEDS_MAX, Result};

/// A command in the queue.
pub(crate) struct Job {
    pub ask: Ask,
    pub decide: Decide,
}

/// The commands of one vault, in order, with the cached state of the vault.
pub(crate) struct Batch {
    pub recent: Recent,
    pub jobs: Vec<Job>,
}

impl Batch {
    /// Returns the vault, which is the same for all commands.
    fn vault(&self) -> &str {
        self.jobs.first().map_or("", |job| job.ask.vault.as_str())
    }
}

/// The result of a command, to be reported once the transaction is durable.
pub(crate) enum Outcome {
    Answered(Result<Answer>),
    /// The decision panicked; the panic resumes in the caller of that command.
    Panicked(Box<dyn Any + Send>),
}

/// Texts that are stored already.
type Texts = HashMap<Arc<str>, ContentRef>;

/// The purpose of a row that the first step reads, for all commands at once.
#[derive(Clone, Copy)]
enum First {
    Vault,
    /// A text of a command: the index of the job, and of the text within it.
    Text(usize, usize),
    /// The stored answer for a command's idempotency key.
    Key(usize),
}

/// Creates a vault. Returns false if the name is taken.
pub(crate) fn create(
    link: &mut dyn Link,
    vault: &str,
    now: Millis,
    seed: [u8; 32],
) -> Result<bool> {
    if one(link, "vault_number", values![vault], map::number)?.is_some() {
        return At::read(link, vault).map(|_| false);
    }
    let mut at = At::fresh(link)?;
    let first = create_vault(now, &mut Fresh::new(seed, now));
    let mut state = VaultState::default();
    state.follow(&first);
    at.insert_vault(vault, &state)?;
    at.write_event(&first)?;
    Ok(true)
}

/// The outcomes of each batch; `None` for a batch that was skipped.
pub(crate) type Outcomes = Vec<Option<Vec<Outcome>>>;

/// Decides commands, batch by batch. Nothing is durable, and nothing may be reported, before the
/// caller has committed. A batch whose vault is unknown, or locked by another process, is skipped:
/// the caller submits it again in a separate transaction and waits for the lock.
pub(crate) fn run(link: &mut dyn Link, batches: &mut [Batch], wait: bool) -> Result<Outcomes> {
    if let ([batch], true) = (&mut *batches, wait) {
        let known = alone(link, batch)?;
        return Ok(vec![Some(decide_all(link, batch, known)?)]);
    }
    let known = look_up(link, batches, "vault_if_free")?;
    let mut all = Vec::with_capacity(batches.len());
    for (batch, mut known) in batches.iter_mut().zip(known) {
        let found = known.vault.take().filter(|found| found.name == batch.vault());
        let Some(found) = found.filter(|found| found.usable().is_ok()) else {
            batch.recent.forget();
            all.push(None);
            continue;
        };
        batch.recent.check(&found);
        known.vault = Some(found);
        all.push(Some(decide_all(link, batch, known)?));
    }
    Ok(all)
}

/// The rows that the first step found for a batch.
#[derive(Default)]
struct Known {
    vault: Option<VaultFound>,
    texts: Texts,
    /// The stored answers for the commands' keys, if the actors were cached.
    keys: HashMap<usize, Option<(ambit_core::Hash, String)>>,
}

/// Waits for a vault's lock, and looks up the texts and keys of the batch.
fn alone(link: &mut dyn Link, batch: &mut Batch) -> Result<Known> {
    if batch.recent.vault.is_none() {
        let (_, found) = At::lock(link, batch.vault())?;
        batch.recent.check(&found);
        let mut step = Step::new();
        ask_texts(&mut step, 0, found.vault, &batch.jobs);
        let known = send(link, step, std::slice::from_ref(batch))?.pop().unwrap_or_default();
        return Ok(Known { vault: Some(found), ..known });
    }
    let known = look_up(link, std::slice::from_ref(batch), "vault_locked")?.pop();
    let known = known.unwrap_or_default();
    match &known.vault {
        Some(found) if found.name == batch.vault() => {
            found.usable()?;
            batch.recent.check(found);
            Ok(known)
        }
        // The vault was removed, and perhaps created again under another number.
        _ => Err(Error::Moved),
    }
}

/// Locks cached vaults, and in the same step looks up keys, and texts that may be stored already.
fn look_up(link: &mut dyn Link, batches: &[Batch], lock: &'static str) -> Result<Vec<Known>> {
    let mut step = Step::new();
    for (at, batch) in batches.iter().enumerate() {
        let Some(vault) = batch.recent.vault else {
            continue;
        };
        step.ask((at, First::Vault), lock, values![vault]);
        ask_texts(&mut step, at, vault, &batch.jobs);
        ask_keys(&mut step, at, vault, batch);
    }
    send(link, step, batches)
}

fn send(
    link: &mut dyn Link,
    step: Step<'_, (usize, First)>,
    batches: &[Batch],
) -> Result<Vec<Known>> {
    let mut all: Vec<Known> = batches.iter().map(|_| Known::default()).collect();
    for (at, first) in step.parts() {
        if let First::Key(job) = first {
            all[*at].keys.insert(*job, None);
        }
    }
    step.send(link, |(at, part), row| {
        let known = &mut all[at];
        match part {
            First::Vault => known.vault = Some(map::vault(row)?),
            First::Text(job, text) => {
                let text = batches[at].jobs[job].ask.needs.texts[text].clone();
                known.texts.entry(text).or_insert(map::content_ref(row)?);
            }
            First::Key(job) => drop(known.keys.insert(job, Some(map::key(row)?))),
        }
        Ok(())
    })?;
    Ok(all)
}

fn ask_texts<'q>(step: &mut Step<'q, (usize, First)>, at: usize, vault: i64, jobs: &'q [Job]) {
    for (index, job) in jobs.iter().enumerate() {
        for (place, text) in job.ask.needs.texts.iter().enumerate() {
            let values = values![vault, digest(text.as_bytes()), text.as_bytes()];
            step.ask((at, First::Text(index, place)), "content_equal", values);
        }
    }
}

fn ask_keys<'q>(step: &mut Step<'q, (usize, First)>, at: usize, vault: i64, batch: &'q Batch) {
    let jobs = &batch.jobs;
    for (index, job) in jobs.iter().enumerate() {
        // A key that occurs twice is looked up later: the first command may store it.
        let known = batch.recent.actor(&job.ask.context.actor);
        let twice = jobs[..index].iter().any(|it| same_key(&it.ask, &job.ask));
        if let (Some((key, _)), Some(actor), false) = (&job.ask.key, known, twice) {
            let since = job.ask.context.now - KEY_LIFE_MS;
            step.ask((at, First::Key(index)), "key", values![vault, actor, key, since]);
        }
    }
}

fn decide_all(link: &mut dyn Link, batch: &mut Batch, known: Known) -> Result<Vec<Outcome>> {
    let Batch { recent, jobs } = batch;
    let Known { vault, texts, keys } = known;
    let Some(VaultFound { vault, state, .. }) = vault else {
        return Err(Error::Damaged("a vault was not looked up".into()));
    };
    let found = state.clone();
    let at = At { link, vault };
    let mut group = Group { at, found, vault: state, changed: false, texts, keys };
    let mut outcomes = Vec::with_capacity(jobs.len());
    for (index, job) in jobs.iter_mut().enumerate() {
        outcomes.push(match group.decide(recent, index, job) {
            Ok(outcome) => outcome,
            Err(Error::Refused(refusal)) => Outcome::Answered(Err(refusal.into())),
            Err(error) => return Err(error),
        });
    }
    group.end()?;
    Ok(outcomes)
}

/// One vault's part of an open transaction.
struct Group<'a> {
    at: At<'a>,
    /// The vault's row as it was read, and as it is now.
    found: VaultState,
    vault: VaultState,
    /// Whether the vault's row must be written.
    changed: bool,
    texts: Texts,
    keys: HashMap<usize, Option<(ambit_core::Hash, String)>>,
}

impl Group<'_> {
    fn decide(&mut self, recent: &mut Recent, index: usize, job: &mut Job) -> Result<Outcome> {
        if let Some(answer) = self.repeated(index, &job.ask)? {
            return Ok(Outcome::Answered(Ok(answer)));
        }
        let mut needs = Needs { texts: Vec::new(), ..job.ask.needs.clone() };
        for _ in 0..NEEDS_MAX {
            let mut state = match recent.state(&needs) {
                Some(state) => state,
                None => self.at.read_state(self.vault.clone(), &needs)?,
            };
            self.lend_texts(&job.ask.needs, &mut state);
            // Nothing is written yet, so a panic does not affect other commands.
            match catch_unwind(AssertUnwindSafe(|| (job.decide)(&state))) {
                Err(cause) => return Ok(Outcome::Panicked(cause)),
                Ok(Decision::Refused(refusal)) => return Err(refusal.into()),
                Ok(Decision::Damaged(what)) => return Err(Error::Damaged(what)),
                Ok(Decision::Need(more)) => needs.reach = needs.reach.and(more),
                Ok(Decision::Done(done)) => {
                    let answer = self.keep(recent, &job.ask, *done)?;
                    return Ok(Outcome::Answered(Ok(answer)));
                }
            }
        }
        Err(Error::Damaged("a command could not be decided".into()))
    }

    fn lend_texts(&self, needs: &Needs, state: &mut State) {
        for text in &needs.texts {
            if let Some(found) = self.texts.get(text) {
                state.texts.insert(text.clone(), found.clone());
            }
        }
    }

    fn repeated(&mut self, index: usize, ask: &Ask) -> Result<Option<Answer>> {
        match (self.keys.remove(&index), &ask.key) {
            (Some(found), Some((_, digest))) => first_answer(found, digest),
            _ => self.at.repeated(ask),
        }
    }

    /// Writes the events and rows of a command.
    fn keep(&mut self, recent: &mut Recent, ask: &Ask, done: Done) -> Result<Answer> {
        self.at.write(&done)?;
        self.at.remember_key(ask, &done)?;
        let Done { events, contents, answer, state, .. } = done;
        let gone: HashSet<_> = events.iter().flat_map(|it| it.event.body.what.forgets()).collect();
        if !gone.is_empty() {
            self.texts.retain(|_, it| !gone.contains(&it.content));
        }
        for content in contents {
            if let Ok(text) = String::from_utf8(content.text) {
                let (content, key, tokens) = (content.content, content.key, content.tokens);
                self.texts.insert(text.into(), ContentRef { content, key, tokens });
            }
        }
        self.vault = state.vault.clone();
        self.changed |= !events.is_empty();
        recent.keep(&ask.needs, state, &events);
        Ok(answer)
    }

    fn end(mut self) -> Result<()> {
        if self.changed {
            self.at.update_vault(&self.vault)?;
            self.at.invert_completed(&self.found, &self.vault)?;
        }
        Ok(())
    }
}

fn same_key(a: &Ask, b: &Ask) -> bool {
    let key = |ask: &Ask| ask.key.as_ref().map(|(key, _)| key.clone());
    key(a) == key(b)
}
