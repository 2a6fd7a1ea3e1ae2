//! Acknowledged writes are durable: a file store, reopened as the next process would.

use ambit::{Caller, Engine, Error, InputRefusal, Kind, Location, ReadAnswer, Request};
use tempfile::TempDir;

// Proves D1-8, S1-3: notes, their snapshots, the scopes of all actors and the log exist after
// reopening.
#[test]
fn everything_is_durable() {
    let folder = TempDir::new().unwrap();
    let location = Location::Sqlite(folder.path().join(".ambit").join("ambit.db"));
    let me = Caller::new("ada");
    let (engine, fresh) = Engine::create(&location).unwrap();
    assert!(fresh && engine.create_vault("default").unwrap());
    engine.append_text(&me, "user", "hello").unwrap();
    let note = engine.note(&me, "learned").unwrap();
    engine.set(&me, "clear_on_note", Some("on")).unwrap();
    engine.scope(&me, "step-1", "away").unwrap();
    engine.append_text(&me, "user", "inside").unwrap();
    let shown = |engine: &Engine| {
        let composed = engine.compose(&me, &Request::default()).unwrap();
        composed.messages.iter().map(|raw| raw.get().to_string()).collect::<Vec<_>>()
    };
    let hashes = |engine: &Engine| -> Vec<String> {
        engine.log(&me, Some(0), 1000).unwrap().events.into_iter().map(|event| event.hash).collect()
    };
    let before = (shown(&engine), hashes(&engine));
    drop(engine);

    let engine = Engine::open(&location).unwrap();
    assert_eq!((shown(&engine), hashes(&engine)), before);
    assert_eq!(engine.where_am_i(&me).unwrap().primary_scope.as_deref(), Some("step-1"));
    let ReadAnswer::Snapshot(snapshot) = engine.read_snapshot(&me, &note.hash).unwrap() else {
        panic!("a snapshot")
    };
    assert_eq!(snapshot.messages[0].get(), r#"{"role":"user","content":"hello"}"#);
    assert!(engine.verify(&me, &|_| {}).unwrap().ok);
    let (again, fresh) = Engine::create(&location).unwrap();
    assert!(!fresh && !again.create_vault("default").unwrap(), "creating again changes nothing");
    assert_eq!(hashes(&again), before.1);
}

#[test]
fn a_missing_store_is_reported() {
    let folder = TempDir::new().unwrap();
    let nowhere = Location::Sqlite(folder.path().join("ambit.db"));
    let error = Engine::open(&nowhere).err().unwrap();
    assert_eq!(error.kind(), Kind::NotFound);
    assert!(matches!(error, Error::NoStoreAt(_)), "{error}");
    let error = Location::find(folder.path()).unwrap_err();
    assert_eq!(error.kind(), Kind::NotFound);
    assert!(matches!(error, Error::NoStore), "{error}");
    for bad in ["", "sqlite:", "mysql://x", "postgres:x"] {
        let error = Location::parse(bad).unwrap_err();
        assert_eq!(error.kind(), Kind::Usage, "{bad}");
        assert!(matches!(error, Error::Input(InputRefusal::Location { .. })), "{bad}");
    }
}
