//! The envelope, flags in any place, environment variables, keys, and where a store is found.

use crate::place::Place;

// Proves X-1: one envelope for every verb.
#[test]
fn every_verb_answers_in_the_envelope() {
    let place = Place::new();
    place.run(&["append", "--role", "user", "hello"]);
    let note = place.json(&["note", "-m", "a note"])["hash"].as_str().unwrap().to_string();
    let verbs: &[&[&str]] = &[
        &["init"],
        &["where"],
        &["append", "--role", "assistant", "hi"],
        &["compose"],
        &["note", "-m", "another"],
        &["notes"],
        &["scope", "step-1", "-m", "off"],
        &["goto", "main", "-m", "back"],
        &["scopes"],
        &["read", &note],
        &["rewind", "--to", "3"],
        &["settings"],
        &["settings", "budget", "5000"],
        &["log"],
        &["verify"],
    ];
    for arguments in verbs {
        let mut arguments = arguments.to_vec();
        arguments.push("--json");
        let ran = place.run(&arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        let envelope: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let keys: Vec<_> = envelope.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["ok", "actor", "timestamp", "result"], "{arguments:?}");
        assert_eq!(envelope["ok"], true);
        assert_eq!(envelope["actor"], "ada");
        assert!(envelope["timestamp"].as_str().unwrap().ends_with('Z'));
    }
    let ran = place.run(&["goto", "nowhere", "-m", "x", "--json"]);
    let envelope: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let keys: Vec<_> = envelope.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["ok", "actor", "timestamp", "error"]);
    let keys: Vec<_> = envelope["error"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["code", "message", "hint"]);
}

#[test]
fn answers_have_the_fields_that_others_rely_on() {
    let place = Place::new();
    let empty = serde_json::json!([]);
    let appended = place.json(&["append", "--role", "user", "hello"]);
    assert_eq!(appended["appended"], 1);
    assert!(appended["tokens"].as_i64().unwrap() > 0);
    let head = appended["head"].as_i64().unwrap();
    let noted = place.json(&["note", "-m", "a note", "--expect-head", &head.to_string()]);
    assert_eq!(noted["scope"], "main");
    assert!(noted["head"].as_i64().unwrap() > head);
    assert_eq!((&noted["warnings"], &appended["warnings"]), (&empty, &empty));
    let switched = place.json(&["scope", "step-1", "-m", "off"]);
    assert_eq!(switched["scope"], "step-1");
    assert_eq!(switched["origin"], "main");
    assert_eq!(switched["warnings"], empty);
    let hash = switched["note"]["hash"].as_str().unwrap();
    assert_eq!(hash.len(), 64);
    let scopes = place.json(&["scopes"]);
    assert_eq!(scopes["scopes"][1]["name"], "step-1");
    assert_eq!(scopes["scopes"][1]["current"], true);
    assert_eq!(scopes["scopes"][0]["messages"], 1);
    assert_eq!(scopes["scopes"][0]["notes"], 2);
    assert!(scopes["scopes"][0]["id"].as_str().unwrap().starts_with("scp_"));
    let notes = place.json(&["notes", "main"]);
    assert_eq!(notes["scope"], "main");
    assert_eq!(notes["notes"][1]["hash"], hash);
    assert_eq!(notes["notes"][1]["parent_hash"], noted["hash"]);
    assert_eq!(notes["notes"][0]["parent_hash"], serde_json::Value::Null);
    let composed = place.json(&["compose"]);
    for field in ["messages", "tokens", "budget", "head", "layers", "stable_prefix_tokens"] {
        assert!(!composed[field].is_null(), "{field}");
    }
    assert_eq!(composed["layers"][1]["name"], "notes");
    assert!(composed["cost"]["cached"].is_i64() && composed["cost"]["uncached"].is_i64());
}

#[test]
fn the_log_says_who_wrote_and_from_where() {
    let place = Place::new();
    place.run(&["note", "-m", "a note", "--as", "bo"]);
    let log = place.json(&["log"]);
    let events: Vec<_> = log["events"].as_array().unwrap().iter().collect();
    let line = |event: &serde_json::Value| [event["actor"].clone(), event["via"].clone()];
    assert_eq!(line(events[0]), [serde_json::Value::Null, serde_json::Value::Null]);
    assert_eq!(line(events[2]), ["bo".into(), serde_json::Value::from("cli")]);
    assert_eq!(events[2]["body"]["via"], "cli", "the chain's hash covers it");
}

#[test]
fn flags_stand_before_or_after_the_verb_and_override_the_environment() {
    let place = Place::new();
    assert_eq!(place.run(&["--vault", "team", "init"]).code, 0);
    for arguments in
        [&["--as", "bo", "--vault", "team", "where"], &["where", "--as", "bo", "--vault", "team"]]
    {
        let ran = place.run(arguments);
        assert!(ran.out.starts_with("bo (operator, not seen here before) in main of vault team"));
    }
    let mut command = place.command();
    command.env("AMBIT_ACTOR", "env-actor").env("AMBIT_VAULT", "team").env("AMBIT_SCOPE", "");
    let ran = crate::place::run(command.args(["where", "--as", "flag-actor"]), b"");
    assert!(ran.out.starts_with("flag-actor"), "{ran:?}");
    assert!(ran.out.contains("vault team"), "{ran:?}");
}

#[test]
fn a_pin_from_the_environment_works_apart_but_sets_no_setting() {
    let place = Place::new();
    place.run(&["scope", "step-1", "-m", "off"]);
    let pinned = |arguments: &[&str]| {
        let mut command = place.command();
        crate::place::run(command.env("AMBIT_SCOPE", "main").args(arguments), b"")
    };
    assert_eq!(pinned(&["append", "--role", "user", "to main"]).code, 0);
    assert_eq!(place.json(&["where"])["primary_scope"], "step-1");
    assert_eq!(place.json(&["scopes"])["scopes"][0]["messages"], 1);
    assert_eq!(pinned(&["goto", "main", "-m", "x"]).code, 5);
    assert_eq!(pinned(&["settings", "notes_shown", "2"]).code, 0);
    let line = &place.json(&["settings", "notes_shown", "--scope", "main"])["settings"][0];
    assert_eq!(line["from"], "vault");
}

#[test]
fn a_repeated_key_gives_the_first_answer() {
    let place = Place::new();
    let first = place.json(&["note", "-m", "once", "--key", "k1"]);
    let again = place.json(&["note", "-m", "once", "--key", "k1"]);
    assert_eq!(first, again);
    assert_eq!(place.json(&["notes"])["notes"].as_array().unwrap().len(), 1);
    let ran = place.run(&["note", "-m", "another", "--key", "k1"]);
    assert_eq!(ran.code, 4, "{ran:?}");
}

#[test]
fn the_store_is_found_upwards_and_named_by_flag() {
    let place = Place::new();
    let deep = place.path().join("a/b/c");
    std::fs::create_dir_all(&deep).unwrap();
    let mut command = place.command();
    let ran = crate::place::run(command.current_dir(&deep).arg("where"), b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = place.run(&["init", "--store", "sqlite:elsewhere/x.db"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(place.path().join("elsewhere/x.db").is_file());
    let again = place.json(&["init", "--store", "sqlite:elsewhere/x.db"]);
    assert_eq!((&again["created"], &again["vault_created"]), (&false.into(), &false.into()));
}

#[cfg(unix)]
#[test]
fn files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.path().join(".ambit")), 0o700);
    assert_eq!(mode(&place.database()), 0o600);
}

#[test]
fn damage_exits_with_six_and_still_answers() {
    let place = Place::new();
    place.run(&["append", "--role", "user", "the very first words"]);
    place.tamper("UPDATE content SET text = CAST('other words' AS BLOB)");
    let ran = place.run(&["verify", "--json"]);
    assert_eq!(ran.code, 6, "{ran:?}");
    let envelope: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(envelope["ok"], true);
    assert_eq!(envelope["result"]["ok"], false);
    assert_eq!(envelope["result"]["first_bad"], 3);
}

#[test]
fn a_text_may_begin_with_a_hyphen() {
    let place = Place::new();
    for text in ["- item", "-x", "--- a/file", "--no-flag-of-ours"] {
        let appended = place.json(&["append", "--role", "user", text]);
        assert_eq!(appended["appended"], 1);
        let ran = place.run(&["append", "--role", "user", text, "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.out.starts_with("{\"ok\":true"), "flags after it are flags: {ran:?}");
        let shown = place.json(&["compose"]);
        assert_eq!(shown["messages"].as_array().unwrap().last().unwrap()["content"], text);
    }
}

#[test]
fn a_turn_from_the_millionth_on_is_read_by_its_number() {
    let place = Place::new();
    place.run(&["append", "--role", "user", "long after"]);
    place.tamper(
        "UPDATE event SET seq = 1234567 WHERE seq = 3; \
         UPDATE item SET turn = 1234567 WHERE turn = 3",
    );
    let read = place.json(&["read", "1234567"]);
    assert_eq!(read["message"]["content"], "long after", "{read}");
}

#[test]
fn a_goto_that_is_done_does_not_fail_for_what_is_told_along() {
    let place = Place::new();
    place.run(&["scope", "step-1", "-m", "off"]);
    let first = place.run(&["goto", "main", "-m", "back", "--key", "k", "--json"]);
    assert_eq!(first.code, 0, "{first:?}");
    // The repeated call is answered from its key; where one stands can no longer be read.
    place.tamper("UPDATE scope SET last_note = x'01'");
    assert_eq!(place.run(&["where"]).code, 6);
    let again = place.run(&["goto", "main", "-m", "back", "--key", "k"]);
    assert_eq!(again.code, 0, "{again:?}");
    assert!(again.out.starts_with("Now in main, from step-1"), "{again:?}");
}
