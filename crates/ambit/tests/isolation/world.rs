//! A world for each test: an engine over one store, a clock and seeds that the test controls, and
//! access to the log's bodies and the rows.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use ambit::{ActorKind, Caller, Composition, Engine, Kind, Outside, Request, Result};
use ambit_core::{Content, ContentNo, Logged, Noted, ScopeNo, ScopeRow, What};
use ambit_store::{Memory, Options, Postgres, PostgresOptions, Rows, Sqlite, Store};
use serde_json::Value;
use tempfile::TempDir;

pub const START: i64 = 1_800_000_000_000;
pub const SECOND: i64 = 1_000;
pub const MINUTE: i64 = 60 * SECOND;

pub struct World {
    pub engine: Engine,
    store: Arc<dyn Store>,
    clock: Arc<AtomicI64>,
    _folder: Option<TempDir>,
}

impl World {
    pub fn memory() -> World {
        World::over(Arc::new(Memory::default()), None)
    }

    pub fn sqlite() -> World {
        let folder = TempDir::new().unwrap();
        let store = Sqlite::create(&folder.path().join("ambit.db"), &Options::default()).unwrap();
        World::over(Arc::new(store), Some(folder))
    }

    pub fn postgres() -> World {
        let address = crate::server::fresh_schema();
        let (store, _) =
            Postgres::create(&address, &|_| None, &PostgresOptions::default()).unwrap();
        World::over(Arc::new(store), None)
    }

    fn over(store: Arc<dyn Store>, folder: Option<TempDir>) -> World {
        let clock = Arc::new(AtomicI64::new(START));
        let (now, seeds) = (clock.clone(), AtomicU64::new(0));
        let outside = Outside::given(
            move || now.load(Ordering::Relaxed),
            move || {
                let mut seed = [3; 32];
                let number = seeds.fetch_add(1, Ordering::Relaxed);
                seed[..8].copy_from_slice(&number.to_be_bytes());
                seed
            },
        );
        let engine = Engine::over(store.clone(), outside);
        assert!(engine.create_vault("default").unwrap());
        World { engine, store, clock, _folder: folder }
    }

    pub fn pass(&self, ms: i64) {
        self.clock.fetch_add(ms, Ordering::Relaxed);
    }

    pub fn now(&self) -> i64 {
        self.clock.load(Ordering::Relaxed)
    }

    pub fn rows(&self) -> Rows {
        let mut rows = None;
        self.store
            .read("default", &mut |snapshot| {
                rows = Some(snapshot.rows()?);
                Ok(())
            })
            .unwrap();
        rows.unwrap()
    }

    pub fn events(&self) -> Vec<Logged> {
        let mut events = Vec::new();
        self.store
            .read("default", &mut |snapshot| {
                events = snapshot.events(0, i64::MAX)?;
                Ok(())
            })
            .unwrap();
        events.into_iter().map(|stored| stored.parse().unwrap()).collect()
    }

    /// Returns all stored texts.
    pub fn contents(&self) -> Vec<Content> {
        let mut contents = Vec::new();
        self.store
            .read("default", &mut |snapshot| {
                contents = snapshot.contents(ContentNo(0), i64::MAX)?;
                Ok(())
            })
            .unwrap();
        contents
    }

    /// Returns the names of the events after a sequence.
    pub fn names_after(&self, seq: i64) -> Vec<String> {
        let log = self.engine.log(&ada(), Some(seq), 1000).unwrap();
        log.events.into_iter().map(|event| event.event).collect()
    }

    pub fn head(&self) -> i64 {
        self.events().len() as i64
    }

    pub fn scope(&self, name: &str) -> ScopeRow {
        let rows = self.rows();
        let found = rows.scopes.into_values().find(|row| row.name.as_deref() == Some(name));
        found.unwrap_or_else(|| panic!("no scope {name}"))
    }

    /// Returns the actor's own frame.
    pub fn home(&self, actor: &str) -> ScopeNo {
        let rows = self.rows();
        rows.actors.into_values().find(|row| row.name == actor).unwrap().home
    }

    /// Returns a frame's items, most recent first, by the sequences of their notes.
    pub fn frame(&self, frame: ScopeNo) -> Vec<i64> {
        let rows = self.rows();
        let mut found: Vec<_> = rows.frames.values().filter(|row| row.scope == frame).collect();
        found.sort_by_key(|row| std::cmp::Reverse(row.last_seq));
        found.into_iter().map(|row| rows.items[&row.item].turn).collect()
    }

    /// Returns the notes' captures: (sequence, captured items, captured frame).
    pub fn captures(&self) -> Vec<(i64, Vec<i64>, ScopeNo)> {
        let rows = self.rows();
        let capture = |logged: Logged| match logged.event.body.what {
            What::Noted(Noted { context, context_frame, .. }) => {
                let seqs = context.iter().map(|item| rows.items[item].turn).collect();
                Some((logged.event.seq, seqs, context_frame))
            }
            _ => None,
        };
        self.events().into_iter().filter_map(capture).collect()
    }

    pub fn compose(&self, caller: &Caller) -> Composition {
        self.engine.compose(caller, &Request::default()).unwrap()
    }

    pub fn append(&self, caller: &Caller, messages: &[String]) -> i64 {
        self.engine.append_json(caller, &messages.join("\n")).unwrap().head
    }

    pub fn say(&self, caller: &Caller, role: &str, text: &str) -> i64 {
        self.engine.append_text(caller, role, text).unwrap().head
    }

    pub fn set(&self, name: &str, value: &str) {
        self.engine.set(&ada(), name, Some(value)).unwrap();
    }

    /// Returns what `notes` lists for a scope, as (message, inherited).
    pub fn notes(&self, scope: &str) -> Vec<(String, bool)> {
        let answer = self.engine.notes(&ada(), Some(scope)).unwrap();
        answer.notes.into_iter().map(|note| (note.message, note.inherited)).collect()
    }

    /// Asserts that a command is refused with this kind, with a message, and writes nothing.
    pub fn refuses<T: Debug>(
        &self,
        kind: Kind,
        attempt: impl FnOnce(&Engine) -> Result<T>,
    ) -> String {
        let before = (self.events(), self.rows());
        let error = match attempt(&self.engine) {
            Err(error) => error,
            Ok(answer) => panic!("it was accepted: {answer:?}"),
        };
        assert_eq!(error.kind(), kind, "{error}");
        assert!(!error.to_string().trim().is_empty());
        assert_eq!((self.events(), self.rows()), before, "{error} left a trace");
        error.to_string()
    }

    pub fn verified(&self) {
        let answer = self.engine.verify(&ada(), &|_| {}).unwrap();
        assert!(answer.ok, "{:?}", answer.problem);
    }
}

/// An operator.
pub fn ada() -> Caller {
    Caller::new("ada")
}

/// An agent.
pub fn bot() -> Caller {
    Caller { kind: ActorKind::Agent, ..Caller::new("bot") }
}

/// Returns the messages as JSON.
pub fn shown(composition: &Composition) -> Vec<Value> {
    composition.messages.iter().map(|raw| serde_json::from_str(raw.get()).unwrap()).collect()
}

/// Returns the messages as (role, content).
pub fn lines(composition: &Composition) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    shown(composition).iter().map(|it| (text(&it["role"]), text(&it["content"]))).collect()
}

/// Returns the contents of the messages.
pub fn texts(composition: &Composition) -> Vec<String> {
    lines(composition).into_iter().map(|(_, text)| text).collect()
}

/// Returns the exact bytes of the messages.
pub fn bytes(composition: &Composition) -> Vec<String> {
    composition.messages.iter().map(|raw| raw.get().to_string()).collect()
}

/// Returns an assistant's message that calls tools with these ids.
pub fn calls(text: &str, ids: &[&str]) -> String {
    let call = |id: &&str| {
        serde_json::json!({
            "id": id,
            "type": "function",
            "function": {"name": "run", "arguments": "{\"n\":1}"},
        })
    };
    let calls: Vec<_> = ids.iter().map(call).collect();
    serde_json::json!({"role": "assistant", "content": text, "tool_calls": calls}).to_string()
}

pub fn reply(id: &str, text: &str) -> String {
    serde_json::json!({"role": "tool", "tool_call_id": id, "content": text}).to_string()
}

pub fn message(role: &str, text: &str) -> String {
    serde_json::json!({"role": role, "content": text}).to_string()
}

/// Asserts the rules of OpenAI's API for a conversation: each call is answered directly after its
/// message, once, and every reply has a call.
pub fn assert_valid(composition: &Composition) {
    let messages = shown(composition);
    let mut open: Vec<String> = Vec::new();
    for message in &messages {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap();
            let found = open.iter().position(|it| it == id);
            open.remove(found.unwrap_or_else(|| panic!("an orphan reply: {messages:#?}")));
            continue;
        }
        assert!(open.is_empty(), "an orphan call: {messages:#?}");
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        open = calls.map(|call| call["id"].as_str().unwrap().to_string()).collect();
        let distinct: std::collections::BTreeSet<_> = open.iter().collect();
        assert_eq!(distinct.len(), open.len(), "ids repeat within a batch: {messages:#?}");
    }
    assert!(open.is_empty(), "an orphan call at the end: {messages:#?}");
}

/// Composes for ada and asserts that the budget is kept.
pub fn within(world: &World, budget: i64) -> Composition {
    let request = Request { budget: Some(budget), ..Request::default() };
    let composed = world.engine.compose(&ada(), &request).unwrap();
    assert!(composed.tokens <= budget, "{} of {budget}", composed.tokens);
    assert_valid(&composed);
    composed
}
