//! Commands decided inside one write transaction, each on what the ones before it brought about.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ambit_core::{
    Answer, Ask, ContentRef, Decision, Done, Fresh, Logged, Millis, Needs, State, VaultState,
    create_vault, digest,
};

use super::{At, Link, Recent, Step, VaultFound, first_answer, map, one, values};
use crate::{Decide, Error, KEY_LIFE_MS, NEEDS_MAX, Result};

/// A command that waits to be decided.
pub(crate) struct Job {
    pub ask: Ask,
    pub decide: Decide,
}

/// What became of a command, to be told once the transaction is durable.
pub(crate) enum Outcome {
    Answered(Result<Answer>),
    /// Deciding it ended in a panic, which is for its own caller.
    Panicked(Box<dyn Any + Send>),
}

/// Texts that are stored already.
type Texts = HashMap<Arc<str>, ContentRef>;

/// What the first step reads for all commands at once.
#[derive(Clone, Copy)]
enum First {
    Vault,
    /// A text of a command: the job's place, the text's place in it.
    Text(usize, usize),
    /// The answer kept under a command's key.
    Key(usize),
}

/// Creates a vault. False where there is one of that name.
pub(crate) fn create(
    link: &mut dyn Link,
    vault: &str,
    now: Millis,
    seed: [u8; 32],
) -> Result<bool> {
    if one(link, "vault_name", values![vault], map::number)?.is_some() {
        return At::find(link, "vault", vault).map(|_| false);
    }
    let mut at = At::fresh(link)?;
    let first = create_vault(now, &mut Fresh::new(seed, now));
    let mut state = VaultState::default();
    state.follow(&first);
    at.insert_vault(vault, &state)?;
    at.write_event(&first)?;
    Ok(true)
}

/// Decides commands of one vault, in order. Nothing is durable, and nobody may be told, before the
/// caller has committed.
pub(crate) fn run(
    link: &mut dyn Link,
    recent: &mut Recent,
    jobs: &mut [Job],
) -> Result<Vec<Outcome>> {
    let Some(name) = jobs.first().map(|job| job.ask.vault.clone()) else {
        return Ok(Vec::new());
    };
    let mut group = Group::begin(link, recent, &name, jobs)?;
    let mut outcomes = Vec::with_capacity(jobs.len());
    for (index, job) in jobs.iter_mut().enumerate() {
        outcomes.push(match group.decide(recent, index, job) {
            Ok(outcome) => outcome,
            Err(Error::Rejected(rejection)) => Outcome::Answered(Err(rejection.into())),
            Err(error) => return Err(error),
        });
    }
    group.end()?;
    Ok(outcomes)
}

/// A transaction under way.
struct Group<'a> {
    at: At<'a>,
    vault: VaultState,
    /// Whether the vault's row must be written.
    changed: bool,
    texts: Texts,
    /// Answers kept under the commands' keys, where their actors were known beforehand.
    keys: HashMap<usize, Option<(ambit_core::Hash, String)>>,
}

impl<'a> Group<'a> {
    /// Locks the vault, and in the same step looks up what is known to be wanted: texts that may be
    /// stored already, and keys.
    fn begin(
        link: &'a mut dyn Link,
        recent: &mut Recent,
        name: &str,
        jobs: &[Job],
    ) -> Result<Group<'a>> {
        let Some(vault) = recent.vault else {
            let (at, found) = At::find(link, "vault_locked", name)?;
            recent.check(&found);
            let mut group = Group::new(at, found.state);
            let mut step = Step::new();
            ask_texts(&mut step, group.at.vault, jobs);
            group.send(step, jobs)?;
            return Ok(group);
        };
        let mut step = Step::new();
        step.ask(First::Vault, "vault_locked", values![name]);
        ask_texts(&mut step, vault, jobs);
        let mut group = Group::new(At { link, vault }, VaultState::default());
        for (index, job) in jobs.iter().enumerate() {
            // A key that comes twice is looked up when its turn comes: the first may keep it.
            let known = recent.actor(&job.ask.context.actor);
            let twice = jobs[..index].iter().any(|it| same_key(&it.ask, &job.ask));
            if let (Some((key, _)), Some(actor), false) = (&job.ask.key, known, twice) {
                let since = job.ask.context.now - KEY_LIFE_MS;
                step.ask(First::Key(index), "key", values![vault, actor, key, since]);
                group.keys.insert(index, None);
            }
        }
        let found = group.send(step, jobs)?;
        match found {
            None => Err(Error::NoVault(name.to_string())),
            Some(found) if found.vault == vault => {
                recent.check(&found);
                group.vault = found.state;
                Ok(group)
            }
            // It was removed, and made anew under another number: what was read is another's.
            Some(_) => Err(Error::Moved),
        }
    }

    fn new(at: At<'a>, vault: VaultState) -> Group<'a> {
        Group { at, vault, changed: false, texts: Texts::new(), keys: HashMap::new() }
    }

    /// Sends the first step; answers with the vault's row, where it was asked for and found.
    fn send(&mut self, step: Step<'_, First>, jobs: &[Job]) -> Result<Option<VaultFound>> {
        let mut found = None;
        let Group { at, texts, keys, .. } = self;
        step.send(at.link, |part, row| {
            match part {
                First::Vault => found = Some(map::vault(row)?),
                First::Text(job, text) => {
                    let text = jobs[job].ask.needs.texts[text].clone();
                    texts.entry(text).or_insert(map::content_ref(row)?);
                }
                First::Key(job) => drop(keys.insert(job, Some(map::key(row)?))),
            }
            Ok(())
        })?;
        if let Some(found) = &found {
            found.usable()?;
        }
        Ok(found)
    }

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
            // Nothing of it is written yet, so a panic is nobody else's trouble.
            match catch_unwind(AssertUnwindSafe(|| (job.decide)(&state))) {
                Err(cause) => return Ok(Outcome::Panicked(cause)),
                Ok(Decision::Rejected(rejection)) => return Err(rejection.into()),
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
            (Some(found), Some((key, digest))) => first_answer(found, key, digest),
            _ => self.at.repeated(ask),
        }
    }

    /// Writes what a command brought about.
    fn keep(&mut self, recent: &mut Recent, ask: &Ask, done: Done) -> Result<Answer> {
        self.at.write(&done)?;
        self.at.remember_key(ask, &done)?;
        let Done { events, contents, answer, state } = done;
        let gone: HashSet<_> = events.iter().flat_map(Logged::forgets).collect();
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
        }
        Ok(())
    }
}

fn same_key(a: &Ask, b: &Ask) -> bool {
    let key = |ask: &Ask| ask.key.as_ref().map(|(key, _)| key.clone());
    key(a) == key(b)
}

fn ask_texts<'q>(step: &mut Step<'q, First>, vault: i64, jobs: &'q [Job]) {
    for (index, job) in jobs.iter().enumerate() {
        for (place, text) in job.ask.needs.texts.iter().enumerate() {
            let values = values![vault, digest(text.as_bytes()), text.as_bytes()];
            step.ask(First::Text(index, place), "content_equal", values);
        }
    }
}
