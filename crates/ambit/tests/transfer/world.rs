//! Stores to move a vault between, and a vault with every type of event.

use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ambit::{Caller, Engine, Error, ImportAnswer, Outside, Selection, check_export};
use ambit_store::{Memory, Options, Postgres, PostgresOptions, Sqlite, Store};
use serde_json::json;
use tempfile::TempDir;

pub struct World {
    pub name: &'static str,
    pub engine: Engine,
    pub store: Arc<dyn Store>,
    _folder: Option<TempDir>,
}

pub fn memory() -> World {
    over("memory", Arc::new(Memory::default()), None)
}

pub fn sqlite() -> World {
    let folder = TempDir::new().unwrap();
    let store = Sqlite::create(&folder.path().join("ambit.db"), &Options::default()).unwrap();
    over("sqlite", Arc::new(store), Some(folder))
}

pub fn postgres() -> World {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let address = std::env::var("AMBIT_TEST_POSTGRES").unwrap_or_else(|_| {
        panic!("these tests need a PostgreSQL server: run them by `cargo xtask test`")
    });
    let and = if address.contains('?') { '&' } else { '?' };
    let address = format!("{address}{and}schema=transfer_{}_{number}", std::process::id());
    let options = PostgresOptions { connections_max: 4, ..PostgresOptions::default() };
    let store = Postgres::create(&address, &|_| None, &options).unwrap().0;
    over("postgres", Arc::new(store), None)
}

pub fn all() -> Vec<World> {
    vec![memory(), sqlite(), postgres()]
}

fn over(name: &'static str, store: Arc<dyn Store>, folder: Option<TempDir>) -> World {
    let (times, seeds) = (AtomicU64::new(0), AtomicU64::new(0));
    let outside = Outside::given(
        move || 1_800_000_000_000 + times.fetch_add(700, Ordering::Relaxed) as i64,
        move || {
            let mut seed = [9; 32];
            seed[..8].copy_from_slice(&seeds.fetch_add(1, Ordering::Relaxed).to_be_bytes());
            seed
        },
    );
    let engine = Engine::over(store.clone(), outside);
    World { name, engine, store, _folder: folder }
}

pub fn ada(vault: &str) -> Caller {
    Caller { vault: vault.to_string(), ..Caller::new("ada") }
}

impl World {
    pub fn export(&self, vault: &str) -> String {
        let mut out = Vec::new();
        self.engine.export(&ada(vault), &mut out, &|_, _| {}).unwrap();
        String::from_utf8(out).unwrap()
    }

    pub fn import(&self, vault: &str, bytes: &[u8]) -> Result<ImportAnswer, Error> {
        let mut source = Cursor::new(bytes.to_vec());
        let checked = check_export(&mut source, &|_| {})?;
        self.engine.import(vault, &checked, &mut source, &|_| {})
    }

    pub fn vaults(&self) -> Vec<String> {
        self.engine.vaults().unwrap()
    }

    /// Fills a vault with every type of event, unusual texts, and forgotten items.
    pub fn play(&self, vault: &str) {
        self.engine.create_vault(vault).unwrap();
        let (me, bot) = (ada(vault), Caller { vault: vault.into(), ..Caller::new("bot") });
        let say =
            |who: &Caller, text: &str| self.engine.append_text(who, "user", text).unwrap().head;
        let odd = "a NUL \0, a \u{2028}, \"quotes\", \\ and \u{1F600}\nand a line";
        say(&me, odd);
        say(&bot, "said twice");
        say(&me, "said twice");
        let call = json!({"role": "assistant", "content": "on it", "x": 1.50, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {"id": "b", "type": "function", "function": {"name": "f", "arguments": "{\"q\":1}"}},
        ]});
        let reply = json!({"role": "tool", "tool_call_id": "a", "content": "one"});
        self.engine.append_json(&me, &format!("{call}\n{reply}")).unwrap();
        self.engine.scope(&me, "step-1", "inside a call").unwrap();
        say(&me, "a secret");
        let wrong = self.engine.insight(&me, "holds everywhere, or so it seems").unwrap();
        self.engine.insight(&me, "holds everywhere").unwrap();
        self.engine.retract(&me, &wrong.hash).unwrap();
        let noted = self.engine.note(&me, "learned").unwrap();
        self.engine.set(&me, "clear_on_goto", Some("on")).unwrap();
        self.engine.set(&me.clone().in_scope("step-1"), "budget", Some("5000")).unwrap();
        self.engine.goto(&me, "main", "back").unwrap();
        self.engine.set(&me, "clear_on_goto", None).unwrap();
        let turn = say(&bot, "to here");
        say(&bot, "and not further");
        self.engine.rewind(&bot, turn).unwrap();
        let hash = noted.hash[..9].to_string();
        for names in [vec![hash], vec![turn.to_string()]] {
            let selection = Selection { names, ..Selection::default() };
            self.engine.forget(&me, &selection, &|_| {}).unwrap();
        }
        let containing = Some("secret".to_string());
        let selection = Selection { containing, ..Selection::default() };
        self.engine.forget(&me, &selection, &|_| {}).unwrap();
        say(&me, "the end");
    }

    pub fn verified(&self, vault: &str) {
        let answer = self.engine.verify(&ada(vault), &|_| {}).unwrap();
        assert!(answer.ok, "{} {vault}: {:?}", self.name, answer.problem);
    }
}
