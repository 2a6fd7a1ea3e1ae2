//! Runs a script against a store and the model side by side, and checks both after every step.

use std::collections::HashMap;
use std::sync::Arc;

use ambit::{Caller, Engine, Error, Kind, ReadAnswer, Selection};
use ambit_store::Store;
use serde_json::Value;

use super::look::Kept;
use super::model::{Key, Model};
use super::scripts::{Op, Script, Seen, Step, script};
use super::views;
use crate::harness::{self, Setup, Subject};
use crate::stores::{Clock, Place, fresh_vault};
use crate::test_store::{TestStore, Tokens};

pub type Failure = harness::Failure<Check>;

/// The checks after every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Rebuilding from the log gives equal rows.
    Rows,
    /// `State::apply` equals what the store reads.
    Apply,
    /// Every composition is valid.
    Valid,
    /// Every composition is within its budget.
    Budget,
    /// Inside an epoch a composition extends the one before; and the tokens reported as shared.
    Prefix,
    /// Views, streams, frames and captures follow S0.
    Views,
    /// Answers, listings and compositions equal the model's.
    Model,
}

pub struct World {
    pub engine: Engine,
    pub model: Model,
    pub vault: String,
    pub store: Arc<TestStore>,
    pub clock: Clock,
    pub actors: Vec<Caller>,
    /// The last compositions of each reader, scope and Request, one of each epoch.
    pub kept: HashMap<(usize, usize, usize), Vec<Kept>>,
    /// The composition that the reader's last assistant turn answered.
    pub answered: HashMap<(usize, usize, usize), Kept>,
    /// The epoch last seen by each reader in each scope: as reported, and as modelled.
    pub epochs: HashMap<(usize, usize), (i64, u64)>,
    /// The first answer to each actor's key.
    answers: HashMap<(usize, String), String>,
    /// The tokens of each turn and note, by sequence and short hash.
    pub tokens: Tokens,
    pub setup: Setup<Check>,
    pub step: usize,
    /// Everything answered, to compare stores.
    pub transcript: Vec<String>,
    /// How many compositions were checked.
    pub compositions: usize,
    /// Holds the store's folder.
    _place: Place,
}

/// An answer to a step that changed something.
struct Changed {
    head: i64,
    hash: String,
    text: String,
    carried: i64,
}

const STEPS: usize = 45;
const START_MS: i64 = 1_794_700_800_000;

impl World {
    pub fn new(script: &Script, setup: Setup<Check>) -> World {
        let place = Place::new(setup.on);
        let store = Arc::new(TestStore::new(place.open(), setup.fault));
        let clock = Clock::starting_at(START_MS);
        let engine = Engine::over(store.clone(), clock.outside());
        let (_, vault) = fresh_vault();
        engine.create_vault(&vault).unwrap();
        let caller = |(name, kind): &(String, ambit::ActorKind)| Caller {
            vault: vault.clone(),
            kind: *kind,
            ..Caller::new(name.clone())
        };
        World {
            engine,
            model: Model::new(&script.actors, START_MS),
            actors: script.actors.iter().map(caller).collect(),
            vault,
            store,
            clock,
            kept: HashMap::new(),
            answered: HashMap::new(),
            epochs: HashMap::new(),
            answers: HashMap::new(),
            tokens: Tokens::new(),
            setup,
            step: 0,
            transcript: Vec::new(),
            compositions: 0,
            _place: place,
        }
    }

    /// Fails a check, unless only another one is active.
    pub fn check(
        &self,
        check: Check,
        holds: bool,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if holds || !self.setup.asks(check) {
            return Ok(());
        }
        Err(Failure { check, step: self.step, text: text() })
    }

    fn run(&mut self, script: &Script) -> Result<(), Failure> {
        for (index, step) in script.steps.iter().enumerate() {
            self.step = index;
            let now = self.clock.wait(step.wait_ms);
            // A clock that goes back does not move the log's time back.
            self.model.now = now.max(self.model.last);
            if let Op::Compose { request } = &step.op {
                self.look(step, *request)?;
                continue;
            }
            let answers = self.before_answer(step)?;
            let changed = self.take(step)?;
            if changed {
                self.after_answer(step, answers);
            }
            self.check_rows()?;
            self.check_listing(step.actor)?;
            self.look_around(index)?;
        }
        let verified = self.engine.verify(&self.actors[0], &|_| {});
        let good = verified.as_ref().is_ok_and(|answer| answer.ok);
        self.check(Check::Rows, good, || format!("verify: {verified:?}"))?;
        let checked = self.store.rows_and_log(&self.vault);
        let checked = checked.and_then(|(rows, log)| views::check(&log, &rows));
        self.check(Check::Views, checked.is_ok(), || format!("{checked:?}"))?;
        self.check_snapshots()
    }

    /// Checks that a note's snapshot, read at the end, is what its scope showed before its command.
    fn check_snapshots(&self) -> Result<(), Failure> {
        for (hash, expected) in &self.model.snapshots {
            let found = match self.engine.read_snapshot(&self.actors[0], hash) {
                Ok(ReadAnswer::Snapshot(it)) => it.messages,
                other => {
                    self.check(Check::Model, false, || format!("snapshot {hash}: {other:?}"))?;
                    continue;
                }
            };
            let found: Vec<Value> =
                found.iter().map(|it| serde_json::from_str(it.get()).unwrap()).collect();
            let messages = expected.iter().map(|turn| self.model.turns[*turn].message.clone());
            let expected: Vec<_> = messages.collect();
            let text = || format!("the snapshot of {hash} is {found:?}, not {expected:?}");
            self.check(Check::Model, found == expected, text)?;
        }
        Ok(())
    }

    /// Gives the step to the engine and to the model. Returns true if it changed something.
    fn take(&mut self, step: &Step) -> Result<bool, Failure> {
        let to = self.rewind_to(step);
        let command = match &step.op {
            Op::Rewind { .. } => format!("{:?} rewind {to}", step.pin),
            Op::Forget { pick } => {
                format!("{:?} forget {}", step.pin, self.model.forget_name(*pick))
            }
            Op::Retract { pick } => {
                format!("{:?} retract {}", step.pin, self.model.retract_name(*pick))
            }
            op => format!("{:?} {op:?}", step.pin),
        };
        let key = self.model.key(step, &command);
        let why = match key {
            Key::New => self.model.refusals(step, to),
            Key::Clash => vec![Kind::Conflict],
            Key::Repeated => Vec::new(),
        };
        let caller = self.caller(step);
        let head = self.head();
        let answer = self.give(&caller, &step.op, to);
        if answer.is_err() || key == Key::Repeated {
            let same = head == self.head();
            self.check(Check::Model, same, || format!("{step:?}: wrote something"))?;
        }
        match answer {
            Err(error) => {
                self.transcript.push(format!("{error}"));
                let foreseen = why.contains(&error.kind());
                let text = || format!("{step:?}: {error}, where {why:?} was foreseen");
                self.check(Check::Model, foreseen, text)?;
                Ok(false)
            }
            Ok(changed) => {
                let text = || format!("{step:?}: went well, where {why:?} was foreseen");
                self.check(Check::Model, why.is_empty(), text)?;
                self.transcript.push(changed.text.clone());
                let kept = step.key.clone().map(|key| (step.actor, key));
                if key == Key::Repeated || !why.is_empty() {
                    let first = kept.and_then(|key| self.answers.get(&key));
                    let same = first.is_none_or(|first| *first == changed.text);
                    let text = || format!("{first:?} was answered, then {:?}", changed.text);
                    self.check(Check::Model, same, text)?;
                    return Ok(false);
                }
                let carried = self.model.follow(step, to, changed.head, &changed.hash);
                let text = || format!("{} turns were carried, not {carried}", changed.carried);
                self.check(Check::Model, changed.carried == carried as i64, text)?;
                if let Some(kept) = kept {
                    self.model.actors[step.actor].keys.insert(kept.1.clone(), command);
                    self.answers.insert(kept, changed.text);
                }
                Ok(true)
            }
        }
    }

    /// Returns the vault's last event.
    fn head(&self) -> i64 {
        let all = self.store.vaults().unwrap();
        all.iter().find(|it| it.name == self.vault).map_or(0, |it| it.head_seq)
    }

    fn give(&self, caller: &Caller, op: &Op, to: i64) -> Result<Changed, Error> {
        let engine = &self.engine;
        let changed = |head, hash: String, text: String| Changed { head, hash, text, carried: 0 };
        Ok(match op {
            Op::Scope { name, note } => {
                let it = engine.scope(caller, name, note)?;
                let changed = changed(it.head, it.note.hash.clone(), format!("{it:?}"));
                Changed { carried: it.carried, ..changed }
            }
            Op::Goto { name, note } => {
                let it = engine.goto(caller, name, note)?;
                let changed = changed(it.head, it.note.hash.clone(), format!("{it:?}"));
                Changed { carried: it.carried, ..changed }
            }
            Op::Note { text } => {
                let it = engine.note(caller, text)?;
                changed(it.head, it.hash.clone(), format!("{it:?}"))
            }
            Op::Insight { text } => {
                let it = engine.insight(caller, text)?;
                changed(it.event, it.hash.clone(), format!("{it:?}"))
            }
            Op::Retract { pick } => {
                let it = engine.retract(caller, &self.model.retract_name(*pick))?;
                changed(it.event, it.hash.clone(), format!("{it:?}"))
            }
            Op::Append { messages } => {
                let it = engine.append_json(caller, &serde_json::to_string(messages).unwrap())?;
                assert_eq!(it.appended, messages.len() as i64);
                changed(it.head, String::new(), format!("{it:?}"))
            }
            Op::Rewind { .. } => {
                let it = engine.rewind(caller, to)?;
                changed(it.head, String::new(), format!("{it:?}"))
            }
            Op::Set { name, value } => {
                let it = engine.set(caller, name, value.as_deref())?;
                changed(0, String::new(), format!("{it:?}"))
            }
            Op::Forget { pick } => {
                let names = vec![self.model.forget_name(*pick)];
                let selection = Selection { names, ..Selection::default() };
                // A key keeps how much was forgotten, and nothing else.
                let it = engine.forget(caller, &selection, &|_| {})?;
                let text = (it.blocks, it.notes, it.shapes, it.texts, it.head);
                changed(0, String::new(), format!("{text:?}"))
            }
            Op::Compose { .. } => changed(0, String::new(), String::new()),
        })
    }

    /// The caller of a step, with the conditions it sets.
    pub fn caller(&self, step: &Step) -> Caller {
        let mut caller = self.actors[step.actor].clone();
        caller.scope = step.pin.clone();
        caller.key = step.key.clone();
        let head = || self.engine.where_am_i(&caller).ok().and_then(|it| it.head);
        caller.expect_head = match step.seen {
            Seen::Any => None,
            Seen::Right => head(),
            Seen::Stale => head().map(|head| head - 1),
        };
        caller
    }

    fn rewind_to(&self, step: &Step) -> i64 {
        match step.op {
            // One of them is no turn at all.
            Op::Rewind { pick } => {
                let pick = pick % (self.model.turns.len() + 1);
                self.model.turns.get(pick).map_or(1, |turn| turn.seq)
            }
            _ => 0,
        }
    }

    fn check_rows(&mut self) -> Result<(), Failure> {
        match self.store.rows(&self.vault) {
            Ok(tokens) => self.tokens = tokens,
            Err(found) => self.check(Check::Rows, false, || format!("rows: {found}"))?,
        }
        let applied = self.store.difference();
        self.check(Check::Apply, applied.is_none(), || format!("applied, read: {applied:?}"))
    }

    /// Scopes with their counts, the current one, and their notes.
    fn check_listing(&mut self, actor: usize) -> Result<(), Failure> {
        let caller = &self.actors[actor];
        let listed = self.engine.scopes(caller).unwrap().scopes;
        let found: Vec<_> = listed
            .iter()
            .map(|it| (it.name.clone(), it.current, it.messages as usize, it.notes as usize))
            .collect();
        let model = &self.model;
        let scope = |(index, scope): (usize, &super::model::Scope)| {
            let notes = model.own_notes(index).len();
            let current = model.actors[actor].primary == index;
            (scope.name.clone(), current, model.messages(index), notes)
        };
        let expected: Vec<_> = model.scopes.iter().enumerate().map(scope).collect();
        let text = || format!("scopes are {found:?}, not {expected:?}");
        self.check(Check::Model, found == expected, text)?;
        let here = self.engine.where_am_i(caller).unwrap();
        let open = self.model.open_count(actor, self.model.actors[actor].primary);
        let text = || format!("{} calls are open, not {open}", here.open_calls);
        self.check(Check::Model, here.open_calls == open as i64, text)?;
        for (index, scope) in self.model.scopes.iter().enumerate() {
            let notes = self.engine.notes(caller, Some(&scope.name)).unwrap().notes;
            // As in a layer, where a note is one line.
            let line = |text: &str| text.replace('\n', " ");
            let found =
                notes.iter().map(|it| format!("- [{}] {}", &it.hash[..7], line(&it.message)));
            let found: Vec<_> = found.collect();
            let own = self.model.own_notes(index);
            let expected: Vec<_> = scope.inherited.iter().cloned().chain(own).collect();
            let text = || format!("{}'s notes are {found:?}, not {expected:?}", scope.name);
            self.check(Check::Model, found == expected, text)?;
        }
        Ok(())
    }
}

/// The result of a script.
pub struct Ran {
    pub transcript: Vec<String>,
    pub compositions: usize,
}

impl Subject for World {
    type Script = Script;
    type Step = Step;
    type Check = Check;
    type Ran = Ran;

    fn script(seed: u64) -> Script {
        script(seed, STEPS)
    }

    fn steps(script: &mut Script) -> &mut Vec<Step> {
        &mut script.steps
    }

    fn run(script: &Script, setup: Setup<Check>) -> Result<Ran, Failure> {
        let mut world = World::new(script, setup);
        world.run(script)?;
        Ok(Ran { transcript: world.transcript, compositions: world.compositions })
    }
}
