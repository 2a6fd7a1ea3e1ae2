//! Vaults: created once, listed, and isolated from each other.

use ambit_core::{Answer, Needs, Reach};
use ambit_store::{Error, Store};

use crate::driver::{Driver, MINUTE, START, note, say, scope, seed_of};
use crate::session;

pub fn a_vault_is_created_once_and_listed_by_name(store: &dyn Store) {
    assert_eq!(store.vaults().unwrap(), []);
    for name in ["team", "default", "Ärger"] {
        assert!(store.create(name, START, seed_of(1)).unwrap(), "{name}");
    }
    let before = store.vaults().unwrap();
    assert!(!store.create("team", START + MINUTE, seed_of(2)).unwrap());
    assert_eq!(store.vaults().unwrap(), before, "a second creation changes nothing");
    let names: Vec<_> = before.iter().map(|vault| vault.name.as_str()).collect();
    assert_eq!(names, ["default", "team", "Ärger"]);
    assert!(before.iter().all(|vault| (vault.head_seq, vault.time) == (1, START)));
}

pub fn a_missing_vault_is_reported(store: &dyn Store) {
    let mut driver = Driver::new(store);
    driver.must(&note("here"));
    let command = note("there");
    let mut ask = driver.ask(&command);
    ask.vault = "elsewhere".to_string();
    let answer = store.transact(ask, Box::new(|_| panic!("there is nothing to decide on")));
    assert!(matches!(answer, Err(Error::NoVault(name)) if name == "elsewhere"));
    let read = store.read("elsewhere", &mut |_| panic!("there is nothing to read"));
    assert!(matches!(read, Err(Error::NoVault(name)) if name == "elsewhere"));
}

/// Numbers are allotted per vault: the same commands at the same times, with the same seeds, give
/// byte for byte the same log, regardless of other vaults.
pub fn equal_scripts_in_two_vaults_give_equal_rows(store: &dyn Store) {
    let mut first = Driver::of(store, "first");
    let mut noise = Driver::of(store, "noise");
    let mut second = Driver::of(store, "second");
    noise.must(&say("something"));
    session::play(&mut first);
    noise.must(&scope("step-1", "to take numbers"));
    session::play(&mut second);
    assert_eq!(first.log(), second.log());
    assert_eq!(first.rows(), second.rows());
    let contents = |driver: &Driver<'_>| driver.read(|it| it.contents(Default::default(), 1000));
    assert_eq!(contents(&first), contents(&second), "equal texts are kept in each vault");
    assert_eq!(noise.rows().scopes.len(), 3, "main, step-1 and ada's home");
}

pub fn a_vault_cannot_read_another(store: &dyn Store) {
    let mut ours = Driver::of(store, "ours");
    ours.must(&say("the same text"));
    let before = (ours.log(), ours.rows());
    let mut theirs = Driver::of(store, "theirs");
    theirs.seed = 1000;
    theirs.must(&say("the same text"));
    theirs.must(&scope("secret", "away"));
    let Answer::Noted(noted) = theirs.must(&note("hidden")) else { panic!("a note") };
    assert_eq!((ours.log(), ours.rows()), before, "ours is as it was");

    let secret =
        theirs.rows().scopes.into_values().find(|row| row.name.is_some() && row.scope.0 > 1);
    let secret = secret.unwrap();
    let found = |vault: &Driver<'_>| {
        vault.read(|snapshot| {
            let needs = Needs {
                actor: "ada".to_string(),
                scopes: vec!["secret".to_string(), secret.id.clone()],
                reach: Reach { frames: true, head_hashes: true, ..Reach::default() },
                ..Needs::default()
            };
            let state = snapshot.state(&needs)?;
            Ok((
                state.find_scope("secret").is_some(),
                state.find_scope(&secret.id).is_some(),
                snapshot.notes_by_hash(&noted.hash)?.len(),
                snapshot.blocks(noted.head)?.len(),
                snapshot.messages_at(secret.scope, i64::MAX, i64::MAX)?.len(),
                snapshot.events(before.0.len() as i64, 10)?.len(),
            ))
        })
    };
    assert_eq!(found(&theirs), (true, true, 1, 1, 0, 6));
    assert_eq!(found(&ours), (false, false, 0, 0, 0, 0));
}
