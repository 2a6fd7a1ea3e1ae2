//! Gives commands to a store as an engine does, and checks the invariants after each: the decided
//! State equals the State that is read, the rows follow from the log, sums equal a recount, the
//! hash chain is intact, and a refusal leaves no trace.

use std::collections::BTreeSet;
use std::sync::mpsc::channel;

use ambit_core::{
    ActorKind, Answer, Append, Ask, ChangeSetting, Code, Command, ContentNo, Context, Counted,
    CountedTurn, Decision, Forget, ForgetAnswer, ForgetSelection, Fresh, Goto, Hash, ItemKind,
    ItemNo, Logged, Millis, Needs, OpenScope, Put, Redaction, State, Stored, Via, WriteNote, chain,
    decide, needs,
};
use ambit_store::{Decide, Error, Result, Rows, Snapshot, Store};
use ambit_wire::json::Json;
use ambit_wire::openai;

pub const VAULT: &str = "default";
pub const START: Millis = 1_800_000_000_000;
pub const MINUTE: Millis = 60_000;

pub struct Driver<'a> {
    pub store: &'a dyn Store,
    pub vault: String,
    pub actor: String,
    pub pin: Option<String>,
    pub key: Option<String>,
    pub expect_head: Option<i64>,
    pub now: Millis,
    pub seed: u64,
}

impl<'a> Driver<'a> {
    /// Creates a driver for `ada` in a new vault.
    pub fn new(store: &'a dyn Store) -> Self {
        Driver::of(store, VAULT)
    }

    pub fn of(store: &'a dyn Store, vault: &str) -> Self {
        assert!(store.create(vault, START, seed_of(0)).unwrap());
        Driver {
            store,
            vault: vault.to_string(),
            actor: "ada".to_string(),
            pin: None,
            key: None,
            expect_head: None,
            now: START,
            seed: 0,
        }
    }

    pub fn by(&mut self, actor: &str) -> &mut Self {
        self.actor = actor.to_string();
        self
    }

    pub fn after(&mut self, ms: Millis) -> &mut Self {
        self.now += ms;
        self
    }

    /// Gives a command and checks the invariants.
    pub fn give(&mut self, command: &Command) -> Result<Answer> {
        let before = (self.log(), self.rows());
        let ask = self.ask(command);
        let mut needs = ask.needs.clone();
        let (states, decided) = channel();
        let mut decide = deciding(&ask, command.clone());
        let watched = move |state: &State| {
            let decision = decide(state);
            if let Decision::Done(done) = &decision {
                states.send(done.state.clone()).unwrap();
            }
            decision
        };
        let answer = self.store.transact(ask, Box::new(watched));
        // A decision may have been discarded: a server's store writes optimistically first.
        let moved = before.0.len() < self.log().len();
        match (&answer, decided.try_iter().last()) {
            (Ok(_), Some(state)) if moved => self.check_state(&mut needs, state),
            _ => assert_eq!(before, (self.log(), self.rows()), "nothing changed: {answer:?}"),
        }
        self.check();
        answer
    }

    pub fn must(&mut self, command: &Command) -> Answer {
        self.give(command).unwrap_or_else(|error| panic!("{command:?}: {error}"))
    }

    /// Gives a command that must be refused, and returns the code.
    pub fn fails(&mut self, command: &Command) -> Code {
        match self.give(command) {
            Err(Error::Refused(refusal)) => {
                assert!(!refusal.to_string().is_empty());
                refusal.code()
            }
            other => panic!("{command:?} gave {other:?}"),
        }
    }

    pub fn ask(&mut self, command: &Command) -> Ask {
        self.seed += 1;
        let context = self.context();
        Ask {
            vault: self.vault.clone(),
            needs: needs(&context, command),
            key: self.key.clone().map(|key| (key, command.digest(&context))),
            seed: seed_of(self.seed),
            context,
        }
    }

    pub fn context(&self) -> Context {
        Context {
            actor: self.actor.clone(),
            kind: if self.actor == "bot" { ActorKind::Agent } else { ActorKind::Operator },
            via: Via::Library,
            pin: self.pin.clone(),
            expect_head: self.expect_head,
            redaction: Redaction::default(),
            now: self.now,
        }
    }

    pub fn read<T>(&self, mut reader: impl FnMut(&mut dyn Snapshot) -> Result<T>) -> T {
        read(self.store, &self.vault, &mut reader)
    }

    pub fn rows(&self) -> Rows {
        self.read(|snapshot| snapshot.rows())
    }

    pub fn log(&self) -> Vec<Stored> {
        self.read(|snapshot| snapshot.events(0, i64::MAX))
    }

    pub fn events(&self) -> Vec<Logged> {
        self.log().into_iter().map(|stored| stored.parse().unwrap()).collect()
    }

    /// Asserts that the decided State equals what the store reads, for the scopes in the State: a
    /// scope that was just left is read only if it is named.
    fn check_state(&self, needs: &mut Needs, decided: State) {
        needs.reach = decided.reach;
        needs.scopes.extend(decided.scopes.values().map(|scope| scope.row.id.clone()));
        let read = self.read(|snapshot| snapshot.state(needs));
        assert_eq!(read.settled(), decided.settled());
    }

    fn check(&self) {
        let (log, rows) = (self.log(), self.rows());
        let (mut rebuilt, mut previous, mut time) = (Rows::default(), Hash::default(), 0);
        for (index, stored) in log.into_iter().enumerate() {
            let Stored { seq, time: at, actor, view, ref body, ref hash } = stored;
            assert_eq!(seq, index as i64 + 1, "the sequence has no gap");
            let expected = chain(&previous, seq, at, actor, view, body);
            assert_eq!(*hash, expected.0, "event {seq}");
            assert!(at >= time, "event {seq} is earlier than its predecessor");
            (previous, time) = (expected, at);
            rebuilt.apply(&stored.parse().unwrap());
        }
        assert_eq!(rows, rebuilt, "the rows follow from the log");
        recount(&rows);
        self.check_texts(&rows);
    }

    /// Asserts that the store holds exactly the texts that an item or a turn references.
    fn check_texts(&self, rows: &Rows) {
        let items = rows.items.values().map(|row| row.content);
        let used = items.chain(rows.turns.values().map(|row| row.shape));
        let used: BTreeSet<_> = used.filter(|it| it.forgotten_by().is_none()).collect();
        let kept = self.read(|it| it.contents(ContentNo(i64::MIN), i64::MAX));
        assert_eq!(kept.iter().map(|it| it.content).collect::<BTreeSet<_>>(), used);
    }
}

/// Returns a decision function as an engine does.
pub fn deciding(ask: &Ask, command: Command) -> Decide {
    let (seed, context) = (ask.seed, ask.context.clone());
    Box::new(move |state| decide(state, &context, &command, &mut Fresh::new(seed, context.now)))
}

/// Recomputes the sums and counts of every scope from its places, and compares them.
pub fn recount(rows: &Rows) {
    for scope in rows.scopes.values() {
        let (mut sum, mut turns, mut notes, mut note_tokens) = (0, 0, 0, 0);
        for place in rows.open_places(scope.scope) {
            sum += place.tokens;
            assert_eq!(place.sum, sum, "the sum at {place:?}");
            match place.kind {
                ItemKind::Object => {}
                ItemKind::Message => turns += i64::from(place.first),
                ItemKind::Note | ItemKind::Insight => {
                    notes += 1;
                    note_tokens += place.tokens;
                }
            }
        }
        let counted = (sum, turns, notes, note_tokens);
        assert_eq!((scope.sum, scope.messages, scope.notes, scope.note_tokens), counted);
    }
}

pub fn read<T>(
    store: &dyn Store,
    vault: &str,
    reader: &mut dyn FnMut(&mut dyn Snapshot) -> Result<T>,
) -> T {
    let mut found = None;
    store
        .read(vault, &mut |snapshot| {
            found = Some(reader(snapshot)?);
            Ok(())
        })
        .unwrap();
    found.unwrap()
}

pub fn seed_of(number: u64) -> [u8; 32] {
    let mut seed = [7; 32];
    seed[..8].copy_from_slice(&number.to_be_bytes());
    seed
}

/// Counts tokens for tests: any deterministic rule works.
fn tokens(text: &str) -> i64 {
    text.len() as i64 / 4 + 1
}

pub fn counted(text: &str) -> Counted {
    Counted::new(text, tokens(text))
}

pub fn note(message: &str) -> Command {
    Command::Note(WriteNote { message: counted(message) })
}

pub fn put(name: &str, text: &str) -> Command {
    let (object, text) = (name.to_string(), counted(text));
    Command::Put(Put { object, kind: None, text, scope: None })
}

pub fn scope(name: &str, why: &str) -> Command {
    Command::Scope(OpenScope { name: name.to_string(), note: counted(why) })
}

pub fn goto(name: &str, what: &str) -> Command {
    Command::Goto(Goto { name: name.to_string(), note: counted(what) })
}

pub fn set(name: &str, value: Option<&str>) -> Command {
    Command::Set(ChangeSetting { name: name.to_string(), value: value.map(str::to_string) })
}

pub fn forget(items: &[ItemNo], shapes: &[i64]) -> Command {
    let what = ForgetSelection {
        items: items.iter().copied().collect(),
        shapes: shapes.iter().copied().collect(),
        uses_max: (items.len() + shapes.len()) as i64 + 1,
    };
    let selection = format!("{what:?}");
    Command::Forget(Forget { what, so_far: ForgetAnswer::default(), selection })
}

/// Appends messages given as JSON, one each.
pub fn append(messages: &[&str]) -> Command {
    let turn = |json: &&str| -> CountedTurn {
        CountedTurn::of(openai::parse(Json::parse(json).unwrap()).unwrap(), &tokens)
    };
    Command::Append(Append { messages: messages.iter().map(turn).collect() })
}

pub fn say(text: &str) -> Command {
    append(&[&format!(r#"{{"role":"user","content":"{text}"}}"#)])
}

/// Returns an assistant's message that calls tools with these ids.
pub fn calls(ids: &[&str]) -> String {
    let call = |id: &&str| {
        format!(
            r#"{{"id":"{id}","type":"function","function":{{"name":"run","arguments":"{{}}"}}}}"#
        )
    };
    let calls: Vec<_> = ids.iter().map(call).collect();
    format!(r#"{{"role":"assistant","content":"on it","tool_calls":[{}]}}"#, calls.join(","))
}

pub fn reply(id: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"result of {id}"}}"#)
}
