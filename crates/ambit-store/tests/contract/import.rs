//! Imports: in steps, unchanged, and invisible until the last step.

use std::collections::BTreeMap;

use ambit_core::{Appended, Content, ContentNo, Hash, Logged, Noted, VaultState, What};
use ambit_store::{Error, Import, Snapshot, Store};

use crate::driver::{Driver, START, VAULT, note, read, seed_of};
use crate::session;

const SOURCE: Hash = Hash([5; 32]);

/// Returns a vault's events, each with the texts that it references first.
fn take_out(driver: &Driver<'_>) -> Vec<(Vec<Content>, Logged)> {
    let contents = driver.read(|it| it.contents(ContentNo(0), i64::MAX));
    let mut contents: BTreeMap<_, _> = contents.into_iter().map(|it| (it.content, it)).collect();
    let mut with = |logged: Logged| {
        let named = match &logged.event.body.what {
            What::Appended(Appended { blocks, shape, .. }) => {
                blocks.iter().map(|it| &it.text).chain(shape).map(|it| it.content).collect()
            }
            What::Noted(Noted { text, .. }) => vec![text.content],
            _ => Vec::new(),
        };
        (named.iter().filter_map(|it| contents.remove(it)).collect(), logged)
    };
    driver.events().into_iter().map(&mut with).collect()
}

fn load(part: &[(Vec<Content>, Logged)]) -> Import {
    let (contents, events): (Vec<_>, Vec<_>) = part.iter().cloned().unzip();
    Import::Load { contents: contents.into_iter().flatten().collect(), events }
}

fn begin(store: &dyn Store, vault: &str) -> VaultState {
    store.import(vault, Import::Begin { source: SOURCE }).unwrap()
}

fn all(it: &mut dyn Snapshot) -> ambit_store::Result<impl PartialEq + std::fmt::Debug + use<>> {
    Ok((it.events(0, i64::MAX)?, it.rows()?, it.contents(ContentNo(i64::MIN), i64::MAX)?))
}

pub fn an_imported_vault_equals_its_source(store: &dyn Store) {
    let mut driver = Driver::new(store);
    session::play(&mut driver);
    let out = take_out(&driver);
    assert_eq!(begin(store, "copy"), VaultState::default());
    for part in out.chunks(7) {
        let state = store.import("copy", load(part)).unwrap();
        let last = &part.last().unwrap().1;
        assert_eq!((state.head_seq, state.head_hash), (last.event.seq, last.hash));
    }
    let state = store.import("copy", Import::Finish).unwrap();
    assert_eq!(state, driver.rows().vault);
    assert_eq!(driver.read(all), read(store, "copy", &mut all));
    let mut copy = Driver { vault: "copy".to_string(), ..driver };
    copy.must(&note("and it goes on"));
}

pub fn an_unfinished_import_cannot_be_used(store: &dyn Store) {
    let mut driver = Driver::new(store);
    let command = note("something");
    driver.must(&command);
    let out = take_out(&driver);
    begin(store, "copy");
    store.import("copy", load(&out)).unwrap();
    let mut ask = driver.ask(&command);
    ask.vault = "copy".to_string();
    let refused = [
        store.transact(ask, Box::new(|_| panic!("it is not there yet"))).err(),
        store.read("copy", &mut |_| panic!("it is not there yet")).err(),
        store.create("copy", START, seed_of(3)).err(),
        store.import("copy", Import::Begin { source: Hash([6; 32]) }).err(),
    ];
    for error in refused {
        assert!(matches!(&error, Some(Error::Importing(name)) if name == "copy"), "{error:?}");
    }
    let names: Vec<_> = store.vaults().unwrap().into_iter().map(|it| it.name).collect();
    assert_eq!(names, [VAULT]);
    store.import("copy", Import::Finish).unwrap();
    assert_eq!(store.vaults().unwrap().len(), 2);
    // After that, it is a vault like any other.
    for step in [Import::Begin { source: SOURCE }, load(&out), Import::Finish, Import::Abandon] {
        let again = store.import("copy", step);
        assert!(matches!(&again, Err(Error::VaultThere(name)) if name == "copy"), "{again:?}");
    }
    assert_eq!(driver.read(all), read(store, "copy", &mut all));
}

pub fn an_import_resumes_where_it_stopped(store: &dyn Store) {
    let mut driver = Driver::new(store);
    session::play(&mut driver);
    let out = take_out(&driver);
    let mut done = 0;
    while done < out.len() {
        // As if each run had ended after one step.
        let state = begin(store, "copy");
        assert_eq!(state.head_seq, done as i64);
        assert_eq!(state.head_hash, done.checked_sub(1).map_or(Hash([0; 32]), |at| out[at].1.hash));
        let until = out.len().min(done + 23);
        store.import("copy", load(&out[done..until])).unwrap();
        done = until;
    }
    store.import("copy", Import::Finish).unwrap();
    assert_eq!(driver.read(all), read(store, "copy", &mut all));
}

pub fn an_abandoned_import_leaves_nothing(store: &dyn Store) {
    let mut driver = Driver::new(store);
    session::play(&mut driver);
    let (out, before) = (take_out(&driver), driver.read(all));
    for _ in 0..2 {
        begin(store, "copy");
        store.import("copy", load(&out)).unwrap();
        assert_eq!(store.import("copy", Import::Abandon).unwrap(), VaultState::default());
        let gone = store.read("copy", &mut |_| panic!("it is gone"));
        assert!(matches!(gone, Err(Error::NoVault(_))), "{gone:?}");
        let none = store.import("copy", Import::Abandon);
        assert!(matches!(none, Err(Error::NoVault(_))), "{none:?}");
    }
    assert_eq!(driver.read(all), before, "the other vault is as it was");
    assert!(store.create("copy", START, seed_of(4)).unwrap(), "the name is free again");
    let rows = read(store, "copy", &mut |it| it.rows());
    assert_eq!((rows.scopes.len(), rows.items.len()), (1, 0));
    driver.must(&note("and it goes on"));
}
