//! A read that follows a commit never turns a durable write into an error.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ambit::{Caller, Engine, Inherit, Outside, PutRequest};
use ambit_core::{Answer, Ask, Millis, VaultState};
use ambit_store::{
    Decide, Error, Finding, Garbage, Import, Memory, Rebuilt, Result, Snapshot, Store, Sweep,
    VaultInfo,
};

/// A store in memory whose reads can be made to fail from the next commit on.
#[derive(Default)]
struct Unreadable {
    store: Memory,
    armed: AtomicBool,
    committed: AtomicBool,
}

impl Store for Unreadable {
    fn vaults(&self) -> Result<Vec<VaultInfo>> {
        self.store.vaults()
    }

    fn create(&self, vault: &str, now: Millis, seed: [u8; 32]) -> Result<bool> {
        self.store.create(vault, now, seed)
    }

    fn transact(&self, ask: Ask, decide: Decide) -> Result<Answer> {
        let answer = self.store.transact(ask, decide);
        self.committed.store(self.armed.load(Ordering::SeqCst), Ordering::SeqCst);
        answer
    }

    fn read(
        &self,
        vault: &str,
        reader: &mut dyn FnMut(&mut dyn Snapshot) -> Result<()>,
    ) -> Result<()> {
        match self.committed.load(Ordering::SeqCst) {
            true => Err(Error::Unreachable("the connection was closed".into())),
            false => self.store.read(vault, reader),
        }
    }

    fn import(&self, vault: &str, step: Import) -> Result<VaultState> {
        self.store.import(vault, step)
    }

    fn scrub(&self) -> Result<bool> {
        self.store.scrub()
    }

    fn cannot_scrub(&self) -> &'static [&'static str] {
        self.store.cannot_scrub()
    }

    fn rebuild(&self, vault: &str, progress: &dyn Fn(i64, i64)) -> Result<Rebuilt> {
        self.store.rebuild(vault, progress)
    }

    fn collect(
        &self,
        vault: &str,
        now: Millis,
        sweep: Sweep,
        progress: &dyn Fn(i64),
    ) -> Result<Garbage> {
        self.store.collect(vault, now, sweep, progress)
    }

    fn backup(&self, to: &Path, progress: &dyn Fn(u64, u64)) -> Result<i64> {
        self.store.backup(to, progress)
    }

    fn health(&self) -> Result<Vec<Finding>> {
        self.store.health()
    }
}

impl Unreadable {
    fn readable(&self, readable: bool) {
        self.armed.store(!readable, Ordering::SeqCst);
        self.committed.store(false, Ordering::SeqCst);
    }
}

#[test]
fn a_durable_write_is_answered_even_if_reads_fail() {
    let store = Arc::new(Unreadable::default());
    let engine = Engine::over(store.clone(), Outside::real());
    engine.create_vault("default").unwrap();
    let me = Caller::new("ada");
    let put = |text: &str| {
        let (object, text) = ("plan".into(), text.into());
        engine.put(&me, &PutRequest { object, text, ..PutRequest::default() }).unwrap()
    };
    let warned = |warnings: &[String]| {
        assert!(warnings.iter().any(|it| it.contains("the connection was closed")), "{warnings:?}");
    };
    put("first");
    engine.scope(&me, "step-1", "off").unwrap();

    store.readable(false);
    let answer = put("second");
    assert_eq!((answer.version, answer.delta), (2, None));
    warned(&answer.warnings);

    store.readable(false);
    let placed = engine.place(&me, "plan", "step-1", false).unwrap();
    assert_eq!(placed.delta, None);
    warned(&placed.warnings);

    store.readable(false);
    let forked = engine.fork(&me, "sub", "do it", Inherit::None).unwrap();
    assert!(forked.composition.is_none());
    warned(&forked.warnings);

    let sub = Caller::new("sub");
    for _ in 0..2 {
        store.readable(false);
        engine.rejoin(&sub, None, None, false).unwrap();
    }

    store.readable(true);
    assert_eq!(engine.meta(&me, "plan").unwrap().versions, 2);
}
