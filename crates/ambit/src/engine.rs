//! The engine: verbs as methods. It brings time, seeds and token counts to the core, and the core's
//! decisions to the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ambit_core::compose::{Composition, Layout, Plan, compose, gather};
use ambit_core::{
    ActorKind, AddInsight, Answer, Append, AppendAnswer, Ask, ChangeSetting, Command, Context,
    Counted, Decision, Fresh, Goto, InsightAnswer, Needs, NoteAnswer, OpenScope, Reach, Redaction,
    Refusal, RetractInsight, Rewind, RewindAnswer, SetAnswer, Setting, State, SwitchAnswer, Via,
    WriteNote, check_label, decide, needs,
};
use ambit_store::{Memory, Snapshot, Store};
use sha2::{Digest, Sha256};

use crate::attention::{inherited_messages, mind_of_epoch};
use crate::inspect::insight_named;
use crate::messages::count;
use crate::{
    Error, Format, InputRefusal, Location, MessageSource, Outside, Result, Source, parse_messages,
};

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

/// What to compose. Whatever is None comes from the settings.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub budget: Option<i64>,
    pub layout: Option<Layout>,
    pub system: Option<String>,
    pub format: Option<Format>,
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
    /// process lives, so that two programs that would go by one name are told apart. None where
    /// somebody holds it.
    pub fn hold_name(&self, vault: &str, name: &str) -> Result<Option<ambit_store::Hold>> {
        let digest = Sha256::new().chain_update(vault).chain_update([0]).chain_update(name);
        let digest: [u8; 32] = digest.finalize().into();
        Ok(self.store.hold(&ambit_core::Hash(digest).to_hex()[..HELD_DIGITS])?)
    }

    pub fn vaults(&self) -> Result<Vec<String>> {
        Ok(self.store.vaults()?.into_iter().map(|vault| vault.name).collect())
    }

    /// Opens a new scope and goes there. The note stays in the origin and says why.
    ///
    /// ```
    /// # use ambit::{Caller, Engine};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// let went = engine.scope(&me, "step-1", "Investigating the timeout")?;
    /// assert_eq!((went.scope.as_str(), went.origin.as_str()), ("step-1", "main"));
    /// // What main keeps of it:
    /// let notes = engine.notes(&me, Some("main"))?.notes;
    /// assert_eq!(notes[0].message, "[→ step-1] Investigating the timeout");
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn scope(&self, caller: &Caller, name: &str, note: &str) -> Result<SwitchAnswer> {
        let command = Command::Scope(OpenScope { name: name.into(), note: counted(note) });
        match self.run_texts(caller, command)? {
            (Answer::Switched(answer), warnings) => Ok(SwitchAnswer { warnings, ..answer }),
            (other, _) => Err(unexpected(&other)),
        }
    }

    /// Goes to a scope that is there. The note is written on arrival and says what is brought.
    ///
    /// ```
    /// # use ambit::{Caller, Engine};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// engine.scope(&me, "step-1", "Investigating the timeout")?;
    /// let back = engine.goto(&me, "main", "Fixed the session's length")?;
    /// assert_eq!(back.origin, "step-1");
    /// let error = engine.goto(&me, "nowhere", "off").unwrap_err();
    /// assert_eq!(error.to_string(), "there is no scope named \"nowhere\"");
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn goto(&self, caller: &Caller, name: &str, note: &str) -> Result<SwitchAnswer> {
        let command = Command::Goto(Goto { name: name.into(), note: counted(note) });
        match self.run_texts(caller, command)? {
            (Answer::Switched(answer), warnings) => Ok(SwitchAnswer { warnings, ..answer }),
            (other, _) => Err(unexpected(&other)),
        }
    }

    /// Writes a note in the current scope.
    ///
    /// ```
    /// # use ambit::{Caller, Engine};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// // Under a key a call can be repeated: it is done once.
    /// let keyed = me.clone().with_key("finding-1");
    /// let first = engine.note(&keyed, "the session lasts 1 s")?;
    /// assert_eq!(engine.note(&keyed, "the session lasts 1 s")?, first);
    /// assert_eq!(engine.notes(&me, None)?.notes.len(), 1);
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn note(&self, caller: &Caller, message: &str) -> Result<NoteAnswer> {
        match self.run_texts(caller, Command::Note(WriteNote { message: counted(message) }))? {
            (Answer::Noted(answer), warnings) => Ok(NoteAnswer { warnings, ..answer }),
            (other, _) => Err(unexpected(&other)),
        }
    }

    /// Keeps an insight: a note of the whole vault, shown in every scope.
    ///
    /// ```
    /// # use ambit::{Caller, Engine, Request};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// let kept = engine.insight(&me, "The build needs the wasm target")?;
    /// engine.scope(&me, "step-1", "off")?;
    /// let shown = engine.compose(&me, &Request::default())?;
    /// assert!(shown.messages[0].get().contains("wasm target"));
    /// engine.retract(&me, &kept.hash)?;
    /// assert!(engine.insights(&me)?.insights.is_empty());
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn insight(&self, caller: &Caller, message: &str) -> Result<InsightAnswer> {
        match self.run_texts(caller, Command::Insight(AddInsight { message: counted(message) }))? {
            (Answer::Insight(answer), warnings) => Ok(InsightAnswer { warnings, ..answer }),
            (other, _) => Err(unexpected(&other)),
        }
    }

    /// Shows an insight no more, by its hash. Nothing is lost: it can still be read.
    pub fn retract(&self, caller: &Caller, hash: &str) -> Result<InsightAnswer> {
        let (item, hash) = self.read(caller, &mut |snapshot| insight_named(snapshot, hash))?;
        match self.run(caller, Command::Retract(RetractInsight { item, hash }))? {
            Answer::Insight(answer) => Ok(answer),
            other => Err(unexpected(&other)),
        }
    }

    /// Appends messages, all or none.
    pub fn append(&self, caller: &Caller, messages: MessageSource) -> Result<AppendAnswer> {
        let MessageSource { turns, mut warnings } = messages;
        match self.run_texts(caller, Command::Append(Append { messages: turns }))? {
            (Answer::Appended(answer), redacted) => {
                warnings.extend(redacted);
                Ok(AppendAnswer { warnings, ..answer })
            }
            (other, _) => Err(unexpected(&other)),
        }
    }

    /// Appends messages given as JSON lines or a JSON array.
    ///
    /// ```
    /// # use ambit::{Caller, Engine};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// let appended = engine.append_json(&me, r#"[
    ///     {"role": "user", "content": "why does login time out?"},
    ///     {"role": "assistant", "content": "Let me look."}
    /// ]"#)?;
    /// assert_eq!(appended.appended, 2);
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn append_json(&self, caller: &Caller, json: &str) -> Result<AppendAnswer> {
        self.append(caller, parse_messages(json.as_bytes(), Source::default(), &|_| {})?)
    }

    /// Appends one message that is just a role and a text.
    pub fn append_text(&self, caller: &Caller, role: &str, text: &str) -> Result<AppendAnswer> {
        let message = serde_json::json!({"role": role, "content": text});
        self.append_json(caller, &message.to_string())
    }

    /// Hides all messages after a turn.
    ///
    /// ```
    /// # use ambit::{Caller, Engine};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// let question = engine.append_text(&me, "user", "name a colour")?.head;
    /// engine.append_text(&me, "assistant", "blue")?;
    /// assert_eq!(engine.rewind(&me, question)?.messages, 1);
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn rewind(&self, caller: &Caller, to: i64) -> Result<RewindAnswer> {
        match self.run(caller, Command::Rewind(Rewind { to }))? {
            Answer::Rewound(answer) => Ok(answer),
            other => Err(unexpected(&other)),
        }
    }

    /// Changes a setting of the vault, or of the scope the caller names. None: the default.
    ///
    /// ```
    /// # use ambit::{Caller, Engine, Request};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// engine.set(&me, "budget", Some("8000"))?;
    /// assert_eq!(engine.compose(&me, &Request::default())?.budget, 8000);
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn set(&self, caller: &Caller, name: &str, value: Option<&str>) -> Result<SetAnswer> {
        let command =
            Command::Set(ChangeSetting { name: name.into(), value: value.map(str::to_string) });
        match self.run(caller, command)? {
            Answer::Set(answer) => Ok(answer),
            other => Err(unexpected(&other)),
        }
    }

    /// Composes what a model is shown. Writes nothing.
    ///
    /// ```
    /// # use ambit::{Caller, Engine, Request};
    /// # let (engine, me) = (Engine::memory()?, Caller::new("ada"));
    /// engine.append_text(&me, "user", "why does login time out?")?;
    /// let system = Some("Be brief.".into());
    /// let request = Request { budget: Some(8_000), system, ..Request::default() };
    /// let shown = engine.compose(&me, &request)?;
    /// assert_eq!(shown.messages[0].get(), r#"{"role":"system","content":"Be brief."}"#);
    /// assert!(shown.tokens < shown.budget && shown.left_out.is_empty());
    /// # Ok::<(), ambit::Error>(())
    /// ```
    pub fn compose(&self, caller: &Caller, request: &Request) -> Result<Composition> {
        let context = self.context(caller);
        if let Some(budget) = request.budget {
            Setting::find("budget")?.parse(&budget.to_string())?;
        }
        let asked = ambit_core::Request {
            budget: request.budget,
            layout: request.layout,
            system: request.system.as_deref().filter(|text| !text.is_empty()).map(counted),
            format: request.format,
        };
        self.read(caller, &mut |snapshot| {
            let reach = Reach { insights: true, ..Reach::default() };
            let state = read_state(snapshot, &Needs { reach, ..Needs::of(&context) })?;
            let plan = Plan::new(&state, context.pin.as_deref(), &asked, context.now)?;
            let mut items = gather(snapshot, &state, &plan)?;
            if plan.caps.mind.is_some() {
                items.mind = mind_of_epoch(snapshot, &state, &plan)?;
            }
            items.inherited_messages = inherited_messages(snapshot, &state, &plan)?;
            Ok(compose(&state, &plan, &items, context.expect_head, &count)?)
        })
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
