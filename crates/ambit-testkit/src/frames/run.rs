//! Runs a script on a store beside the model, and checks rows, log and answers after every step.

use std::collections::BTreeMap;
use std::sync::Arc;

use ambit::{Caller, Engine, Error, GetRequest, PutRequest, ViewsRequest};
use ambit_core::{Logged, Rejoined, Tidied, What};
use ambit_store::Rows;

use super::compare::compare;
use super::histories::histories;
use super::invariants::{INVARIANTS, Look};
use super::model::{Frame, Model, Thing};
use super::scripts::{Op, Script, Step, kind_of, script};
use super::walk::Walk;
use crate::harness::{self, Setup, Subject};
use crate::stores::{Clock, On, Place, fresh_vault};
use crate::test_store::TestStore;

/// The checks after every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Replaying the log gives the store's rows.
    Fold,
    /// `State::apply` equals what the store reads.
    Apply,
    /// Refusals, rows, captures and answers equal the model's.
    Model,
    /// One of the invariants, by its name.
    Invariant(&'static str),
}

pub type Failure = harness::Failure<Check>;

pub struct World {
    number: u64,
    vault: String,
    place: Place,
    /// `None` while the store is closed.
    opened: Option<(Engine, Arc<TestStore>)>,
    clock: Clock,
    model: Model,
    /// The rows, and everything else, derived from the log so far.
    folded: Rows,
    walk: Walk,
    rows: Rows,
    setup: Setup<Check>,
    step: usize,
    ran: Ran,
}

/// Coverage of scripts: how often each thing happened.
#[derive(Default)]
pub struct Ran {
    pub steps: usize,
    pub accepted: usize,
    pub happened: BTreeMap<String, usize>,
}

impl Ran {
    fn count(&mut self, what: impl Into<String>, times: usize) {
        *self.happened.entry(what.into()).or_default() += times;
    }

    pub fn add(&mut self, other: Ran) {
        self.steps += other.steps;
        self.accepted += other.accepted;
        other.happened.into_iter().for_each(|(what, times)| self.count(what, times));
    }

    /// Counts the events of one step by type, and the rare cases among them.
    fn events(&mut self, step: &Step, new: &[(Walk, Logged)]) {
        let mut merges = 0;
        for (before, logged) in new {
            let what = &logged.event.body.what;
            self.count(what.word(), 1);
            match what {
                What::Rejoined(Rejoined { child, merge, .. }) => {
                    merges += 1;
                    let by = logged.event.actor;
                    let stranger = by != *child && by != merge.parent;
                    self.count("rejoined by another than child or parent", usize::from(stranger));
                }
                What::Tidied(Tidied { ended, frames, fossils }) => {
                    self.count("idle views ended", ended.len());
                    self.count("frames cleared away", frames.len());
                    self.count("views summarised", fossils.len());
                }
                What::Forked(_) => {
                    let nested = before.who(logged.event.actor).parent.is_some();
                    self.count("forked within a fork", usize::from(nested));
                }
                _ => {}
            }
        }
        self.count("rejoined deeply", usize::from(merges > 1));
        let pinned = step.pin.is_some() && !new.is_empty();
        self.count("pinned", usize::from(pinned));
        self.count("clock went back", usize::from(step.wait_ms < 0 && !new.is_empty()));
        self.count("restarted", usize::from(step.op == Op::Restart));
    }
}

const START_MS: i64 = 1_800_000_000_000;
pub const STEPS: usize = 40;

impl World {
    fn new(setup: Setup<Check>) -> World {
        let (number, vault) = fresh_vault();
        let mut world = World {
            number,
            vault,
            place: Place::new(setup.on),
            opened: None,
            clock: Clock::starting_at(START_MS),
            model: Model::new(START_MS),
            folded: Rows::default(),
            walk: Walk::default(),
            rows: Rows::default(),
            setup,
            step: 0,
            ran: Ran::default(),
        };
        world.open();
        world.engine().create_vault(&world.vault).unwrap();
        let (rows, log) = world.read();
        log.iter().for_each(|logged| {
            world.folded.apply(logged);
            world.walk.event(&logged.event);
        });
        world.rows = rows;
        world
    }

    fn open(&mut self) {
        let store = Arc::new(TestStore::new(self.place.open(), self.setup.fault));
        self.opened = Some((Engine::over(store.clone(), self.clock.outside()), store));
    }

    fn restart(&mut self) {
        self.opened = None;
        self.open();
    }

    fn caller(&self, actor: &str) -> Caller {
        Caller { vault: self.vault.clone(), ..Caller::new(actor) }
    }

    fn engine(&self) -> &Engine {
        &self.opened.as_ref().unwrap().0
    }

    fn store(&self) -> &TestStore {
        &self.opened.as_ref().unwrap().1
    }

    fn read(&self) -> (Rows, Vec<Logged>) {
        self.store().rows_and_log(&self.vault).unwrap()
    }

    fn asked(&self, check: Check) -> bool {
        self.setup.asks(check)
    }

    fn fail(&self, check: Check, found: Result<(), String>) -> Result<(), Failure> {
        match found {
            Err(text) if self.asked(check) => Err(Failure { check, step: self.step, text }),
            _ => Ok(()),
        }
    }

    fn take(&mut self, step: &Step) -> Result<(), Failure> {
        let now = self.clock.wait(step.wait_ms);
        (self.model.clock, self.model.now) = (now, now.max(self.model.last));
        let mut step = step.clone();
        let known =
            |name: &String| self.rows.scopes.values().any(|row| row.name.as_ref() == Some(name));
        let looks_for = matches!(step.op, Op::Note { .. } | Op::Append { .. });
        step.pin = step.pin.filter(|pin| looks_for || known(pin));
        let modelled = self.asked(Check::Model);
        let why = if modelled { self.model.refusals(&step) } else { Vec::new() };
        let answer = self.give(&step);
        let accepted = answer.is_ok();
        self.ran.steps += 1;
        self.ran.accepted += usize::from(accepted);
        if let Err(error) = &answer {
            self.ran.count(format!("refused as {:?}", error.kind()), 1);
        }
        if modelled {
            let foreseen = match &answer {
                Ok(_) if why.is_empty() => Ok(()),
                Ok(_) => Err(format!("{step:?} went well, where {why:?} was foreseen")),
                Err(error) if why.contains(&error.kind()) => Ok(()),
                Err(error) => Err(format!("{step:?}: {error}, where {why:?} was foreseen")),
            };
            self.fail(Check::Model, foreseen)?;
            if accepted {
                self.model.follow(&step);
            }
        }
        self.look(&step, accepted)?;
        if modelled {
            let found = self.answers(&step, answer.ok().flatten());
            self.fail(Check::Model, found)?;
        }
        Ok(())
    }

    /// Checks the store after a step.
    fn look(&mut self, step: &Step, accepted: bool) -> Result<(), Failure> {
        let (rows, log) = self.read();
        let mut new = Vec::new();
        for logged in &log[self.folded.vault.head_seq as usize..] {
            self.folded.apply(logged);
            new.push((self.walk.clone(), logged.clone()));
            self.walk.event(&logged.event);
        }
        self.ran.events(step, &new);
        let folded = match self.folded == rows {
            true => Ok(()),
            false => Err("folding the log gives other rows".to_string()),
        };
        self.fail(Check::Fold, folded)?;
        let traceless = match accepted || new.is_empty() {
            true => Ok(()),
            false => Err(format!("{step:?} was refused, and left {} events", new.len())),
        };
        self.fail(Check::Model, traceless)?;
        let applied = self.store().difference().map_or(Ok(()), Err);
        self.fail(Check::Apply, applied)?;
        let before = std::mem::replace(&mut self.rows, rows);
        let look = Look {
            step,
            accepted,
            before: &before,
            rows: &self.rows,
            log: &log,
            new: &new,
            walk: &self.walk,
        };
        for (name, invariant) in INVARIANTS {
            let check = Check::Invariant(name);
            if self.asked(check) {
                self.fail(check, invariant(&look))?;
            }
        }
        match self.asked(Check::Model) {
            true => self.fail(Check::Model, compare(&self.rows, &log, &self.model)),
            false => Ok(()),
        }
    }

    /// Compares the engine's answers about the actor, and about a merge, with the model.
    fn answers(&self, step: &Step, merge: Option<String>) -> Result<(), String> {
        let (engine, caller) = (self.engine(), self.caller(&step.actor));
        let here = engine.where_am_i(&caller).unwrap();
        let primary = match self.model.actor(&step.actor) {
            Some(actor) => actor.primary.clone(),
            None => Some("main".to_string()),
        };
        let found = (here.active_scopes, here.primary_scope);
        let expected = (self.model.active(&step.actor), primary);
        if found != expected {
            return Err(format!("{} is in {found:?}, not {expected:?}", step.actor));
        }
        let frame = Frame::Actor(step.actor.clone());
        let held = self.model.mind(&frame).iter().take(self.model.size_of(&frame));
        let name = |thing: &Thing| match thing {
            Thing::Object(name) => name.clone(),
            Thing::Note(index) => self.model.notes[*index].clone(),
        };
        let expected: Vec<_> = held.map(|held| name(&held.thing)).collect();
        let things = engine.context_of(&caller, None, None).unwrap().things;
        let found: Vec<_> = things.into_iter().map(|thing| thing.name).collect();
        if found != expected {
            return Err(format!("{} has {found:?} in mind, not {expected:?}", step.actor));
        }
        merge.map_or(Ok(()), |id| self.merged(&caller, id))
    }

    /// Proves S0-33: a merge names all views of the stream that it ends.
    fn merged(&self, caller: &Caller, id: String) -> Result<(), String> {
        let request = ViewsRequest { id: Some(id), ..ViewsRequest::default() };
        let view = self.engine().views(caller, &request).unwrap().views.remove(0);
        let Some(merge) = view.merge else {
            return Err(format!("{} is no merge", view.id));
        };
        let frame = Frame::Actor(merge.child.clone());
        let rows = self.rows.views.values().zip(&self.model.views);
        let of_child = rows.filter(|(_, it)| it.streams.iter().any(|(own, _)| *own == frame));
        let ids = of_child.map(|(row, _)| row.id.clone());
        let expected: Vec<_> = ids.filter(|it| *it != view.id).collect();
        match merge.merged_views == expected {
            true => Ok(()),
            false => Err(format!("merged: {:?}, not {expected:?}", merge.merged_views)),
        }
    }

    /// Gives a step to the engine, and returns the id of the merge, if any.
    fn give(&mut self, step: &Step) -> Result<Option<String>, Error> {
        if step.op == Op::Restart {
            self.restart();
            return Ok(None);
        }
        let mut caller = self.caller(&step.actor);
        (caller.kind, caller.scope) = (kind_of(&step.actor), step.pin.clone());
        let (engine, caller) = (self.engine(), &caller);
        match &step.op {
            Op::Put { name, kind, text, into } => {
                let (object, text) = (name.clone(), text.clone());
                let (of_type, into) = (kind.clone(), into.clone());
                engine.put(caller, &PutRequest { object, of_type, text, into }).map(drop)
            }
            Op::Get { name, no_visit } => self.get(caller, name.clone(), *no_visit),
            Op::GetNote { pick, no_visit } => {
                let mut notes: Vec<_> = self.rows.notes.values().collect();
                notes.sort_by_key(|row| row.seq);
                let note = notes.get(pick % notes.len().max(1));
                let named = note.map_or("no-note".to_string(), |row| row.hash.to_hex());
                self.get(caller, named, *no_visit)
            }
            Op::Place { name, scope, out } => engine.place(caller, name, scope, *out).map(drop),
            Op::Note { text } => engine.note(caller, text).map(drop),
            Op::Enter { scope } => engine.enter(caller, scope).map(drop),
            Op::Leave { scope } => engine.leave(caller, scope).map(drop),
            Op::Focus { scope } => engine.focus(caller, scope).map(drop),
            Op::Scope { name, note } => engine.scope(caller, name, note).map(drop),
            Op::Goto { name, note } => engine.goto(caller, name, note).map(drop),
            Op::Break => engine.context_break(caller).map(drop),
            Op::Fork { name, task, inherit } => engine.fork(caller, name, task, *inherit).map(drop),
            Op::Rejoin { child, note, deep } => {
                return engine
                    .rejoin(caller, child.as_deref(), note.as_deref(), *deep)
                    .map(|answer| answer.view);
            }
            Op::Abandon { child, deep } => engine.abandon(caller, child, *deep).map(drop),
            Op::Tidy => engine.tidy(caller).map(drop),
            Op::Append { text } => engine.append_text(caller, "user", text).map(drop),
            Op::Size { value } => {
                let value = value.map(|value| value.to_string());
                engine.set(caller, "frame_size", value.as_deref()).map(drop)
            }
            Op::Restart => Ok(()),
        }
        .map(|()| None)
    }

    /// Checks that the log can be imported elsewhere.
    fn moves(&self) -> Result<(), String> {
        let (me, mut file) = (self.caller("ada"), Vec::new());
        self.engine().export(&me, &mut file, &|_, _| {}).map_err(|it| it.to_string())?;
        let mut file = std::io::Cursor::new(file);
        let checked = ambit::check_export(&mut file, &|_| {}).map_err(|it| it.to_string())?;
        file.set_position(0);
        let other = Engine::memory().map_err(|it| it.to_string())?;
        let moved = other.import("moved", &checked, &mut file, &|_| {});
        moved.map(drop).map_err(|error| format!("import: {error}"))
    }

    /// Checks all histories, in pages of varying length. On a server this takes long, so only one
    /// script in eight is checked there.
    fn histories(&self) -> Result<(), String> {
        if self.setup.on == On::Postgres && !self.number.is_multiple_of(8) {
            return Ok(());
        }
        let (rows, log) = self.read();
        let page = 1 + self.number as i64 % 7;
        histories(self.engine(), &self.caller("ada"), &rows, &log, page)
    }

    fn get(&self, caller: &Caller, named: String, no_visit: bool) -> Result<(), Error> {
        let request = GetRequest { named, no_visit, ..GetRequest::default() };
        self.engine().get(caller, &request).map(drop)
    }
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
        let mut world = World::new(setup);
        for (index, step) in script.steps.iter().enumerate() {
            world.step = index;
            world.take(step)?;
        }
        let verified = world.engine().verify(&world.caller("ada"), &|_| {});
        let good = match &verified {
            Ok(answer) if answer.ok => Ok(()),
            _ => Err(format!("verify: {verified:?}")),
        };
        world.fail(Check::Fold, good)?;
        if world.asked(Check::Model) {
            world.fail(Check::Model, world.moves())?;
            world.fail(Check::Model, world.histories())?;
        }
        Ok(world.ran)
    }
}
