//! Name locks: one holder at a time, free after release.

use ambit_store::{Options, Sqlite, Store};
use tempfile::TempDir;

use crate::open::server;
use crate::server::fresh_schema;

fn held_by_one_at_a_time(one: &dyn Store, other: &dyn Store) {
    let held = one.lock_name("a1").unwrap().unwrap();
    assert!(other.lock_name("a1").unwrap().is_none());
    assert!(one.lock_name("a1").unwrap().is_none());
    let another = other.lock_name("b2").unwrap().unwrap();
    drop(held);
    let again = other.lock_name("a1").unwrap();
    assert!(again.is_some() && one.lock_name("a1").unwrap().is_none());
    drop((again, another));
    assert!(one.lock_name("a1").unwrap().is_some());
}

#[test]
fn a_name_beside_a_file_is_held_by_one_at_a_time() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ambit.db");
    let one = Sqlite::create(&path, &Options::default()).unwrap();
    let other = Sqlite::open(&path, &Options::default()).unwrap();
    held_by_one_at_a_time(&one, &other);
    // Another store in the same folder has its own names.
    let own = Sqlite::create(&folder.path().join("own.db"), &Options::default()).unwrap();
    let held = one.lock_name("c3").unwrap();
    assert!(held.is_some() && own.lock_name("c3").unwrap().is_some());
}

#[test]
fn a_name_on_a_server_is_held_by_one_at_a_time() {
    let address = fresh_schema();
    let (one, other) = (server(&address), server(&address));
    held_by_one_at_a_time(&one, &other);
    // Another store on the same server has its own names.
    let own = server(&fresh_schema());
    let held = one.lock_name("c3").unwrap();
    assert!(held.is_some() && own.lock_name("c3").unwrap().is_some());
}
