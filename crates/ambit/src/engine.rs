//! The engine: what all verbs share. It passes time, seeds and token counts to the core, and the
//! core's decisions to the store. The verbs are methods of `Engine`, one module per family.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ambit_core::{
    ActorKind, Answer, Ask, Command, Context, Counted, Decision, Fresh, Needs, Redaction, Refusal,
    State, Via, check_label, decide, needs,
};
use ambit_store::{Memory, Snapshot, Store};
use sha2::{Digest, Sha256};

use crate::conversation::messages::count;
use crate::{Error, InputRefusal, Location, Outside, Result};

/// The actor that calls, and the conditions of the call.
#[derive(Clone, Debug)]
pub struct Caller {
    pub vault: String,
    /// The actor's name or id.
    pub actor: String,
    /// The kind that the actor is registered with at its first change.
    pub kind: ActorKind,
    /// The interface of the call.
    pub via: Via,
    /// The scope that counts as active and primary for this call alone.
    pub scope: Option<String>,
    /// The idempotency key, which makes it safe to repeat the call.
    pub key: Option<String>,
    /// The head that the caller expects. If the head has moved, the call is refused.
    pub expect_head: Option<i64>,
}

impl Caller {
    /// Creates a caller: an operator in the vault `default`.
    pub fn new(actor: impl Into<String>) -> Self {
        Caller {
            vault: "default".into(),
            actor: actor.into(),
            kind: ActorKind::Operator,
            via: Via::Library,
            scope: None,
            key: None,
            expect_head: None,
        }
    }

    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    pub fn in_scope(mut self, scope: impl Into<String>) -> Self {
        self.scope = Some(scope.into());
        self
    }

    pub fn expecting(mut self, head: i64) -> Self {
        self.expect_head = Some(head);
        self
    }
}

/// An open store with the verbs that act on it.
#[derive(Clone)]
pub struct Engine {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) outside: Outside,
}

/// The length of the hash prefix that is used as a lock's name.
const LOCK_NAME_DIGITS: usize = 16;

/// The longest idempotency key, in bytes.
const KEY_BYTES_MAX: usize = 256;

impl Engine {
    /// Opens an existing store.
    pub fn open(location: &Location) -> Result<Engine> {
        Ok(Engine::over(location.open()?, Outside::real()))
    }

    /// Opens a store for a quick look and waits only briefly for other processes. Returns None if
    /// the store does not exist or needs a migration.
    pub fn peek(location: &Location) -> Result<Option<Engine>> {
        Ok(location.peek()?.map(|store| Engine::over(store, Outside::real())))
    }

    /// Opens a store, creating it if it does not exist. The flag is true if the store was created.
    ///
    /// ```
    /// # use ambit::{Caller, Engine, Location};
    /// let folder = tempfile::tempdir()?;
    /// let location = Location::within(folder.path());
    /// let (engine, created) = Engine::create(&location)?;
    /// engine.create_vault("default")?;
    /// assert!(created);
    /// let again = Engine::open(&location)?;
    /// assert_eq!(again.where_am_i(&Caller::new("ada"))?.primary_scope.as_deref(), Some("main"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create(location: &Location) -> Result<(Engine, bool)> {
        let (store, fresh) = location.create()?;
        Ok((Engine::over(store, Outside::real()), fresh))
    }

    /// Creates a store in memory with the vault `default`, for trying things out.
    pub fn memory() -> Result<Engine> {
        let engine = Engine::over(Arc::new(Memory::default()), Outside::real());
        engine.create_vault("default")?;
        Ok(engine)
    }

    /// Creates an engine for any store, with time and seeds of the caller's choice.
    pub fn over(store: Arc<dyn Store>, outside: Outside) -> Engine {
        Engine { store, outside }
    }

    /// Replaces the source of time and seeds, for reproducible runs.
    pub fn with_outside(self, outside: Outside) -> Engine {
        Engine { outside, ..self }
    }

    /// Checks that a vault can have this name, before anything is created for it.
    pub fn check_vault_name(name: &str) -> Result<()> {
        Ok(check_label("vault", name, 100).map_err(Refusal::from)?)
    }

    /// Creates a vault. Returns false if it already exists.
    pub fn create_vault(&self, name: &str) -> Result<bool> {
        Engine::check_vault_name(name)?;
        Ok(self.store.create(name, self.outside.now(), self.outside.seed()?)?)
    }

    /// Locks a name in a vault until the returned lock is dropped or the process ends. Two
    /// programs with the same name can thus be distinguished. Returns None if another process
    /// holds the lock.
    pub fn lock_name(&self, vault: &str, name: &str) -> Result<Option<ambit_store::NameLock>> {
        let digest = Sha256::new().chain_update(vault).chain_update([0]).chain_update(name);
        let digest: [u8; 32] = digest.finalize().into();
        Ok(self.store.lock_name(&ambit_core::Hash(digest).to_hex()[..LOCK_NAME_DIGITS])?)
    }

    pub fn vaults(&self) -> Result<Vec<String>> {
        Ok(self.store.vaults()?.into_iter().map(|vault| vault.name).collect())
    }

    /// Runs a command that contains texts, with secrets redacted. Most texts have no secrets, so
    /// the vault's redaction settings are read only if a text has one, or if the store reports
    /// that the settings differ.
    pub(crate) fn run_texts(
        &self,
        caller: &Caller,
        command: Command,
    ) -> Result<(Answer, Vec<String>)> {
        let given = Arc::new(command);
        let mut redaction = Redaction::default();
        let mut redacted = given.redacted(&redaction, &count);
        if redacted.is_some() {
            redaction = self.redaction(caller)?;
            redacted = given.redacted(&redaction, &count);
        }
        // Each further attempt means that the vault's settings changed in between.
        loop {
            let (command, warnings) = match redacted {
                Some((command, warnings)) => (Arc::new(command), warnings),
                None => (given.clone(), Vec::new()),
            };
            let rejected = match self.transact(caller, redaction.clone(), command) {
                Err(error @ Error::Store(ambit_store::Error::Refused(_))) => error,
                answer => return Ok((answer?, warnings)),
            };
            let held = self.redaction(caller)?;
            if held == redaction {
                return Err(rejected);
            }
            redacted = given.redacted(&held, &count);
            redaction = held;
        }
    }

    /// Returns the vault's redaction settings.
    fn redaction(&self, caller: &Caller) -> Result<Redaction> {
        let needs = Needs::of(&self.context(caller));
        self.read(caller, &mut |snapshot| Ok(snapshot.state(&needs)?.settings.redaction()))
    }

    /// Runs a command in a write transaction.
    pub(crate) fn run(&self, caller: &Caller, command: Command) -> Result<Answer> {
        self.transact(caller, Redaction::default(), Arc::new(command))
    }

    fn transact(
        &self,
        caller: &Caller,
        redaction: Redaction,
        command: Arc<Command>,
    ) -> Result<Answer> {
        let ask = self.ask(caller, redaction, &command)?;
        let (seed, context) = (ask.seed, ask.context.clone());
        let decide = move |state: &State| {
            decide(state, &context, &command, &mut Fresh::new(seed, context.now))
        };
        let answer = self.store.transact(ask, Box::new(decide))?;
        self.tidy_periodically(caller, &answer);
        Ok(answer)
    }

    /// Returns the answer stored under the caller's idempotency key, without running the command.
    pub(crate) fn stored_answer(
        &self,
        caller: &Caller,
        command: &Command,
    ) -> Result<Option<Answer>> {
        if caller.key.is_none() {
            return Ok(None);
        }
        let asked = Arc::new(AtomicBool::new(false));
        let flag = asked.clone();
        let decline = move |_: &State| {
            flag.store(true, Ordering::Relaxed);
            Decision::Refused(Refusal::KeyUnknown)
        };
        let ask = self.ask(caller, Redaction::default(), command)?;
        match self.store.transact(ask, Box::new(decline)) {
            Err(_) if asked.load(Ordering::Relaxed) => Ok(None),
            answer => Ok(Some(answer?)),
        }
    }

    fn ask(&self, caller: &Caller, redaction: Redaction, command: &Command) -> Result<Ask> {
        let context = Context { redaction, ..self.context(caller) };
        if let Some(key) = caller.key.as_ref()
            && (key.is_empty() || key.len() > KEY_BYTES_MAX || key.contains('\0'))
        {
            return Err(InputRefusal::Key { max: KEY_BYTES_MAX }.into());
        }
        Ok(Ask {
            vault: caller.vault.clone(),
            needs: needs(&context, command),
            key: caller.key.as_ref().map(|key| command.keyed(&context, key)),
            seed: self.outside.seed()?,
            context,
        })
    }

    /// Computes one answer within one snapshot.
    pub(crate) fn read<T>(
        &self,
        caller: &Caller,
        reader: &mut dyn FnMut(&mut dyn Snapshot) -> Result<T>,
    ) -> Result<T> {
        let mut answer = None;
        self.store.read(&caller.vault, &mut |snapshot| match reader(snapshot) {
            // The store may call this closure again after an error of its own.
            Err(Error::Store(error)) => Err(error),
            read => {
                answer = Some(read);
                Ok(())
            }
        })?;
        answer.unwrap_or_else(|| Err(Error::damaged("nothing was read")))
    }

    pub(crate) fn context(&self, caller: &Caller) -> Context {
        Context {
            actor: caller.actor.clone(),
            kind: caller.kind,
            via: caller.via,
            pin: caller.scope.clone(),
            expect_head: caller.expect_head,
            redaction: Redaction::default(),
            now: self.outside.now(),
        }
    }
}

/// Reads the State for a read, and checks that the caller can be the actor it claims to be.
pub(crate) fn read_state(snapshot: &mut dyn Snapshot, needs: &Needs) -> Result<State> {
    let state = snapshot.state(needs)?;
    state.check_actor(&needs.actor)?;
    Ok(state)
}

pub(crate) fn counted(text: &str) -> Counted {
    Counted::new(text, count(text))
}

/// Returns the error for an idempotency key whose stored answer belongs to another verb.
pub(crate) fn unexpected(answer: &Answer) -> Error {
    Error::damaged(format!("the stored answer belongs to another verb: {answer:?}"))
}
