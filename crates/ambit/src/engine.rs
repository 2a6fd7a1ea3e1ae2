//! The engine: what all verbs share. It brings time, seeds and token counts to the core, and the
//! core's decisions to the store. The verbs are its methods, in one module for each family.

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

/// Who calls, and under which conditions.
#[derive(Clone, Debug)]
pub struct Caller {
    pub vault: String,
    /// A name or an id.
    pub actor: String,
    /// What the actor becomes at its first change.
    pub kind: ActorKind,
    /// Through which interface it calls.
    pub via: Via,
    /// Counts as active and primary for this call alone.
    pub scope: Option<String>,
    /// Makes a repeated call safe.
    pub key: Option<String>,
    /// The head that the caller has seen, where it must not be overtaken.
    pub expect_head: Option<i64>,
}

impl Caller {
    /// An operator in the vault `default`.
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

/// An open store with everything that can be done to it.
#[derive(Clone)]
pub struct Engine {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) outside: Outside,
}

/// How much of a hash stands for a name that is held.
const HELD_DIGITS: usize = 16;

/// The longest idempotency key, in bytes.
const KEY_BYTES_MAX: usize = 256;

impl Engine {
    /// Opens a store that is there.
    pub fn open(location: &Location) -> Result<Engine> {
        Ok(Engine::over(location.open()?, Outside::real()))
    }

    /// Opens a store only to look at it, waiting for others but a moment. None where there is none,
    /// or it would have to be brought up to date first.
    pub fn peek(location: &Location) -> Result<Option<Engine>> {
        Ok(location.peek()?.map(|store| Engine::over(store, Outside::real())))
    }

    /// Opens a store, creating it where there is none. True where it was created.
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

    /// A store in memory with the vault `default`: for trying things out.
    pub fn memory() -> Result<Engine> {
        let engine = Engine::over(Arc::new(Memory::default()), Outside::real());
        engine.create_vault("default")?;
        Ok(engine)
    }

    /// An engine over any store, with time and seeds of the caller's choice.
    pub fn over(store: Arc<dyn Store>, outside: Outside) -> Engine {
        Engine { store, outside }
    }

    /// The same store with time and seeds of the caller's choice, for runs that must repeat.
    pub fn with_outside(self, outside: Outside) -> Engine {
        Engine { outside, ..self }
    }

    /// Whether a vault can have this name, so that nothing is begun for one that cannot.
    pub fn check_vault_name(name: &str) -> Result<()> {
        Ok(check_label("vault", name, 100).map_err(Refusal::from)?)
    }

    /// Creates a vault. False where it is there already.
    pub fn create_vault(&self, name: &str) -> Result<bool> {
        Engine::check_vault_name(name)?;
        Ok(self.store.create(name, self.outside.now(), self.outside.seed()?)?)
    }

    /// Holds a name in a vault for as long as what is given is kept, and at most as long as this
    /// process lives, so that two programs with one name are distinguished. None where
    /// somebody holds it.
    pub fn hold_name(&self, vault: &str, name: &str) -> Result<Option<ambit_store::Hold>> {
        let digest = Sha256::new().chain_update(vault).chain_update([0]).chain_update(name);
        let digest: [u8; 32] = digest.finalize().into();
        Ok(self.store.hold(&ambit_core::Hash(digest).to_hex()[..HELD_DIGITS])?)
    }

    pub fn vaults(&self) -> Result<Vec<String>> {
        Ok(self.store.vaults()?.into_iter().map(|vault| vault.name).collect())
    }

    /// Has a command that brings texts decided and kept, without the secrets in them. Most texts
    /// have none, so the vault is only asked what it redacts where there is one, or where it turns
    /// out to redact otherwise.
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
        // Each further turn takes another change of the vault's settings in between.
        loop {
            let (command, warnings) = match redacted {
                Some((command, warnings)) => (Arc::new(command), warnings),
                None => (given.clone(), Vec::new()),
            };
            let rejected = match self.decided(caller, redaction.clone(), command) {
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

    /// What a vault keeps out of its texts.
    fn redaction(&self, caller: &Caller) -> Result<Redaction> {
        let needs = Needs::of(&self.context(caller));
        self.read(caller, &mut |snapshot| Ok(snapshot.state(&needs)?.settings.redaction()))
    }

    /// Has a command decided and kept.
    pub(crate) fn run(&self, caller: &Caller, command: Command) -> Result<Answer> {
        self.decided(caller, Redaction::default(), Arc::new(command))
    }

    fn decided(
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
        self.tidy_now_and_then(caller, &answer);
        Ok(answer)
    }

    /// The answer that is kept under the caller's key, without doing anything.
    pub(crate) fn kept(&self, caller: &Caller, command: &Command) -> Result<Option<Answer>> {
        if caller.key.is_none() {
            return Ok(None);
        }
        let asked = Arc::new(AtomicBool::new(false));
        let told = asked.clone();
        let decline = move |_: &State| {
            told.store(true, Ordering::Relaxed);
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

    /// Reads one answer within one snapshot.
    pub(crate) fn read<T>(
        &self,
        caller: &Caller,
        reader: &mut dyn FnMut(&mut dyn Snapshot) -> Result<T>,
    ) -> Result<T> {
        let mut answer = None;
        self.store.read(&caller.vault, &mut |snapshot| match reader(snapshot) {
            // The store may read again after an error of its own.
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

/// The State for a read, by a caller who can be who it says.
pub(crate) fn read_state(snapshot: &mut dyn Snapshot, needs: &Needs) -> Result<State> {
    let state = snapshot.state(needs)?;
    state.check_actor(&needs.actor)?;
    Ok(state)
}

pub(crate) fn counted(text: &str) -> Counted {
    Counted::new(text, count(text))
}

/// The answer of another verb: a key whose row was tampered with.
pub(crate) fn unexpected(answer: &Answer) -> Error {
    Error::damaged(format!("an answer of another verb was kept: {answer:?}"))
}
