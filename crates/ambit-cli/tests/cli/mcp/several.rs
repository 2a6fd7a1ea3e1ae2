//! Several clients on one store: each is somebody, and nothing is lost.

use std::time::Duration;

use serde_json::json;

use super::client::{Client, message};
use crate::place::Place;

fn actor(client: &mut Client) -> String {
    client.done("where", json!({}))["actor"].as_str().unwrap().to_string()
}

/// Two live processes of one client are `name` and `name-2`; a name is free when its process ends,
/// in whatever way.
fn names_are_told_apart(place: &Place) {
    let mut first = Client::named(place, "Claude Code", &[]);
    assert_eq!(actor(&mut first), "claude-code");
    let mut second = Client::named(place, "Claude Code", &[]);
    assert_eq!(actor(&mut second), "claude-code-2");
    let mut third = Client::named(place, "Claude Code", &[]);
    assert_eq!(actor(&mut third), "claude-code-3");
    assert_eq!(actor(&mut Client::named(place, "codex", &[])), "codex");
    // It stays who it is.
    first.kill();
    assert_eq!(actor(&mut second), "claude-code-2");
    let mut again = Client::named(place, "Claude Code", &[]);
    assert_eq!(actor(&mut again), "claude-code");
    third.leave(Duration::from_secs(5));
    assert_eq!(actor(&mut Client::named(place, "Claude Code", &[])), "claude-code-3");
    // Who is named is that one, however often.
    for _ in 0..2 {
        let mut named = Client::named(place, "Claude Code", &["--as", "claude-code"]);
        assert_eq!(actor(&mut named), "claude-code");
    }
}

#[test]
fn two_processes_of_one_client_have_names_of_their_own() {
    names_are_told_apart(&Place::new());
}

#[test]
fn two_processes_of_one_client_have_names_of_their_own_on_a_server() {
    let place = Place::on_server();
    assert_eq!(place.run(&["init"]).code, 0);
    names_are_told_apart(&place);
}

/// A name is held in a vault, so the same client can be itself in two of them.
#[test]
fn another_vault_is_another_place() {
    let place = Place::new();
    assert_eq!(place.run(&["init", "--vault", "other"]).code, 0);
    let mut here = Client::named(&place, "codex", &[]);
    let mut there = Client::named(&place, "codex", &["--vault", "other"]);
    assert_eq!((actor(&mut here), actor(&mut there)), ("codex".into(), "codex".into()));
}

#[test]
fn the_environment_names_the_actor_too() {
    let place = Place::new();
    // A name that is no label is refused when it is used, with a hint.
    let mut odd = Client::named(&place, "x", &["--as", " spaced "]);
    assert_eq!(odd.refused("note", json!({"message": "x"}))["code"], "usage");
    let mut named = Client::named(&place, "x", &["--as", "bob", "--kind", "operator"]);
    named.done("note", json!({"message": "x"}));
    assert_eq!(named.done("where", json!({}))["kind"], "operator");
}

/// Each has its own place to stand, and sees what the others did.
#[test]
fn clients_stand_apart_on_common_ground() {
    let place = Place::new();
    let mut one = Client::named(&place, "one", &[]);
    let mut two = Client::named(&place, "two", &[]);
    one.done("scope", json!({"name": "step", "note": "off"}));
    assert_eq!(two.done("where", json!({}))["primary_scope"], "main");
    two.done("goto", json!({"name": "step", "note": "helping"}));
    one.done("append", json!({"messages": [message("user", "hello")]}));
    let shown = two.done("compose", json!({}));
    let last = shown["messages"].as_array().unwrap().last().unwrap().clone();
    assert!(last["content"].as_str().unwrap().ends_with("hello"), "{shown}");
}

fn all_write(place: &Place) {
    const CLIENTS: usize = 6;
    const CALLS: usize = 40;
    std::thread::scope(|threads| {
        for _ in 0..CLIENTS {
            threads.spawn(|| {
                let mut client = Client::named(place, "writer", &[]);
                for n in 0..CALLS {
                    let text = format!("message {n}");
                    client.done("append", json!({"messages": [message("user", &text)]}));
                }
            });
        }
    });
    assert_eq!(place.json(&["where"])["messages"], CLIENTS * CALLS);
    place.head();
}

#[test]
fn clients_that_write_at_once_lose_nothing() {
    all_write(&Place::new());
}

#[test]
fn clients_that_write_at_once_lose_nothing_on_a_server() {
    let place = Place::on_server();
    assert_eq!(place.run(&["init"]).code, 0);
    all_write(&place);
}

/// The files that hold names are for their owner's eyes, and the store's own file is unaffected.
#[cfg(unix)]
#[test]
fn held_names_are_private_files_beside_the_store() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let mut client = Client::new(&place);
    actor(&mut client);
    let folder = place.path().join(".ambit/ambit.db-names");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    assert_eq!((mode(&files[0]), files[0].metadata().unwrap().len()), (0o600, 0));
}
