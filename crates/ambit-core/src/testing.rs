//! Helpers for the tests of the nouns: a vault as plain data, without a store. A test gives the
//! commands that came before, one command, and the events that must follow.

use std::collections::BTreeSet;

use crate::{
    ActorKind, ActorNo, Append, Body, Change, Command, Context, Counted, Decision, Event, Form,
    Fresh, Goto, Millis, OpenScope, Put, Reach, Redaction, Refusal, Role, State, Via, ViewNo, What,
    WriteNote, changes, create_vault, decide, needs, view,
};
use crate::{CountedBlock, CountedTurn};

/// Everything that a State can reach without a lookup.
const ALL: Reach = Reach {
    frames: true,
    streams: true,
    calls_of_all: true,
    chain: false,
    head_hashes: true,
    insights: true,
};

/// A vault, as the one actor `ada` sees it.
pub(crate) struct World {
    pub state: State,
    pub now: Millis,
    pub pin: Option<String>,
    commands: u8,
    /// The names that accepted commands have asked about, and so have taken.
    names: BTreeSet<(&'static str, String)>,
}

impl World {
    pub fn new() -> World {
        let mut state = State { reach: ALL, ..State::default() };
        state.apply(&create_vault(1_000, &mut Fresh::new([0; 32], 1_000)));
        World { state, now: 1_000, pin: None, commands: 0, names: BTreeSet::new() }
    }

    /// A vault in which these commands were decided.
    pub fn given(commands: &[Command]) -> World {
        let mut world = World::new();
        for command in commands {
            let decided = world.decide(command);
            assert!(decided.is_ok(), "{command:?}: {decided:?}");
        }
        world
    }

    /// Decides a command, applies its events, and returns their names. Asserts that applying the
    /// events gives the State that deciding has left.
    pub fn decide(&mut self, command: &Command) -> Result<Vec<&'static str>, Refusal> {
        self.commands += 1;
        let context = self.context();
        let fresh = &mut Fresh::new([self.commands; 32], self.now);
        let asked = needs(&context, command).names;
        let taken = asked.iter().map(|name| (name.clone(), self.names.contains(name)));
        self.state.names = taken.collect();
        match decide(&self.state, &context, command, fresh) {
            Decision::Done(done) => {
                let mut replayed = self.state.clone();
                done.events.iter().for_each(|logged| replayed.apply(logged));
                replayed.texts = done.state.texts.clone();
                assert_eq!(replayed.clone().settled(), done.state.settled());
                self.state = replayed.settled();
                self.names.extend(asked);
                Ok(done.events.iter().map(|logged| logged.event.body.what.word()).collect())
            }
            Decision::Refused(refusal) => Err(refusal),
            other => panic!("{command:?}: {other:?}"),
        }
    }

    fn context(&self) -> Context {
        Context {
            actor: "ada".into(),
            kind: ActorKind::Operator,
            via: Via::Library,
            pin: self.pin.clone(),
            expect_head: None,
            redaction: Redaction::default(),
            now: self.now,
        }
    }

    /// Decides a command and returns the changes of its events, without applying them.
    pub fn changes(&self, command: &Command) -> Vec<Change> {
        let fresh = &mut Fresh::new([9; 32], self.now);
        match decide(&self.state, &self.context(), command, fresh) {
            Decision::Done(done) => done.events.iter().flat_map(|it| changes(&it.event)).collect(),
            other => panic!("{command:?}: {other:?}"),
        }
    }
}

/// Asserts which events follow from a command after others.
pub(crate) fn check(given: &[Command], command: &Command, events: &[&str]) -> World {
    let mut world = World::given(given);
    assert_eq!(world.decide(command).unwrap(), events, "{command:?}");
    world
}

/// Asserts that a command is refused after others.
pub(crate) fn refuses(given: &[Command], command: &Command, refusal: impl Into<Refusal>) {
    let mut world = World::given(given);
    assert_eq!(world.decide(command), Err(refusal.into()), "{command:?}");
}

pub(crate) fn text(text: &str) -> Counted {
    Counted::new(text, text.split_whitespace().count() as i64)
}

pub(crate) fn block(form: Form, said: &str) -> CountedBlock {
    CountedBlock { form, text: text(said), call_id: None, reply_to: None }
}

pub(crate) fn turn(role: Role, blocks: Vec<CountedBlock>) -> Command {
    let messages = vec![CountedTurn { role, blocks, shape: None, bytes: 1 }];
    Command::Append(Append { messages })
}

pub(crate) fn say(role: Role, said: &str) -> Command {
    turn(role, vec![block(Form::Text, said)])
}

/// An assistant's turn that calls a tool.
pub(crate) fn call(id: i64) -> Command {
    let call = CountedBlock { call_id: Some(id), ..block(Form::Call, "run") };
    turn(Role::Assistant, vec![call])
}

pub(crate) fn reply(id: i64) -> Command {
    let reply = CountedBlock { reply_to: Some(id), ..block(Form::Reply, "done") };
    turn(Role::Tool, vec![reply])
}

pub(crate) fn note(said: &str) -> Command {
    Command::Note(WriteNote { message: text(said) })
}

pub(crate) fn open(name: &str) -> Command {
    Command::Scope(OpenScope { name: name.into(), note: text("off we go") })
}

pub(crate) fn goto(name: &str) -> Command {
    Command::Goto(Goto { name: name.into(), note: text("back again") })
}

pub(crate) fn put(object: &str, said: &str) -> Command {
    let (object, kind, scope) = (object.to_string(), None, None);
    Command::Put(Put { object, kind, text: text(said), scope })
}

/// An event of actor 2 with sequence 9, in view 3.
pub(crate) fn event(what: What) -> Event {
    let (here, told_in) = (Vec::new(), Vec::new());
    let body = Body { what, opens: None, ends_view: false, here, told_in, via: None };
    Event { seq: 9, time: 5, actor: ActorNo(2), view: Some(ViewNo(3)), body }
}

/// The changes of an event, but for those that every event of a view comes with.
pub(crate) fn changes_of(what: What) -> Vec<Change> {
    let mut all = changes(&event(what));
    all.retain(|change| !matches!(change, Change::View(view::Change::Current(_))));
    all
}
