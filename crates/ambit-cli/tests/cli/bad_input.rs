//! Bad input: each case gets its exit code, a message that names the cause, a hint, and changes
//! nothing.

use crate::place::{Place, Ran, run};

struct Case {
    arguments: &'static [&'static str],
    input: &'static [u8],
    code: i32,
    names: &'static str,
}

const fn case(arguments: &'static [&'static str], code: i32, names: &'static str) -> Case {
    Case { arguments, input: b"", code, names }
}

const fn input(input: &'static [u8], code: i32, names: &'static str) -> Case {
    Case { arguments: &["append", "-"], input, code, names }
}

const CASES: &[Case] = &[
    case(&["goto", "nowhere", "-m", "x"], 3, "nowhere"),
    case(&["notes", "nowhere"], 3, "nowhere"),
    case(&["note", "-m", "x", "--scope", "nowhere"], 3, "nowhere"),
    case(&["scope", "main", "-m", "x"], 4, "main"),
    case(&["goto", "main", "-m", "x"], 4, "current scope"),
    case(&["note", "-m", ""], 2, "empty"),
    case(&["note", "-m", " \n\t"], 2, "empty"),
    case(&["scope", "step", "-m", ""], 2, "empty"),
    case(&["scope", "a\u{1b}[31m", "-m", "x"], 2, "U+001B"),
    case(&["scope", "a\nb", "-m", "x"], 2, "U+000A"),
    case(&["scope", "", "-m", "x"], 2, "empty"),
    case(&["scope", "scp_x", "-m", "x"], 2, "id"),
    case(&["note", "-m", "x", "--as", "a\u{7}"], 2, "U+0007"),
    case(&["append", "--role", "wizard", "x"], 2, "wizard"),
    case(&["append", "no-such-file.jsonl"], 3, "no-such-file"),
    case(&["rewind", "--to", "999"], 3, "999"),
    case(&["rewind", "--to", "soon"], 2, "soon"),
    case(&["compose", "--budget", "3"], 5, "3"),
    case(&["compose", "--budget", "0"], 2, "0"),
    case(&["compose", "--budget", "-5"], 2, "-5"),
    case(&["compose", "--expect-head", "1"], 4, "head"),
    case(&["note", "-m", "x", "--expect-head", "1"], 4, "head"),
    case(&["append", "--role", "user", "x", "--expect-head", "1"], 4, "head"),
    case(&["settings", "nonsense", "1"], 2, "nonsense"),
    case(&["settings", "budget", "lots"], 2, "lots"),
    case(&["settings", "view_idle_seconds", "9", "--scope", "main"], 2, "whole vault"),
    case(&["scope", "x", "-m", "y", "--scope", "main"], 5, "pins"),
    case(&["read", "999.0-abcd"], 3, "999.0-abcd"),
    case(&["read", "no handle"], 3, "no handle"),
    case(&["read", "", "--snapshot"], 2, "too short"),
    case(&["read", "1a2b3c", "--snapshot"], 2, "too short"),
    case(&["read", "1a2b3c4", "--snapshot"], 3, "1a2b3c4"),
    case(&["read", "1234567"], 3, "1234567"),
    case(&["where", "--vault", "other"], 3, "other"),
    case(&["where", "--store", "sqlite:missing.db"], 3, "missing.db"),
    case(&["append", "--role", "user", "--tool-call-id", "c", "x"], 2, "cannot answer a call"),
    case(&["where", "--as", ""], 2, "actor"),
    case(&["where", "--as", "act_unknown"], 3, "act_unknown"),
    case(&["append", "."], 2, "."),
    case(&["where", "--store", "redis://x"], 2, "redis"),
    case(&["note", "-m", "x", "--key", ""], 2, "key"),
    input(b"", 2, "no message"),
    input(b"{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"us", 2, "line 2"),
    input(b"[{\"role\":\"user\",\"content\":\"a\"}", 2, "JSON array"),
    input(b"{\"role\":\"user\",\"content\":\"\xff\"}", 2, "UTF-8"),
    input(b"{\"role\":\"user\",\"content\":5}", 2, "content"),
    input(b"{\"content\":\"x\"}", 2, "role"),
    input(b"17", 2, "object"),
    input(b"{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\"}]}", 2, "function"),
];

// Proves D1-5: a command that cannot be done as a whole writes nothing.
#[test]
fn each_case_names_its_cause_and_changes_nothing() {
    let place = Place::new();
    assert_eq!(place.run(&["append", "--role", "user", &"word ".repeat(50)]).code, 0);
    let before = place.head();
    for case in CASES {
        let ran = place.run_with(case.arguments, case.input);
        check(case.arguments, &ran, case.code, case.names);
        let mut json = vec!["--json"];
        json.extend(case.arguments);
        let ran = place.run_with(&json, case.input);
        let envelope: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(ran.code, case.code, "{json:?}");
        assert_eq!(envelope["ok"], false, "{json:?}");
        let word = ["bug", "usage", "not_found", "conflict", "refused", "store", "busy"];
        assert_eq!(envelope["error"]["code"], word[case.code as usize - 1], "{json:?}");
        assert_eq!(place.head(), before, "{json:?} changed something");
    }
}

fn check(arguments: &[&str], ran: &Ran, code: i32, names: &str) {
    assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
    assert!(ran.out.is_empty(), "{arguments:?}: {ran:?}");
    assert!(ran.err.contains(names), "{arguments:?} does not name {names:?}: {ran:?}");
    let helps = ran.err.contains("hint:") || ran.err.contains("--help");
    assert!(helps, "{arguments:?} has no hint: {ran:?}");
    assert!(!ran.err.contains('\u{1b}'), "{arguments:?}: escape codes in a pipe: {ran:?}");
}

#[test]
fn a_message_of_100_mb_is_refused() {
    let place = Place::new();
    let before = place.head();
    let mut message = b"{\"role\":\"user\",\"content\":\"".to_vec();
    message.resize(message.len() + 100_000_000, b'a');
    message.extend(b"\"}");
    let ran = place.run_with(&["append", "-"], &message);
    check(&["append", "-"], &ran, 5, "message_bytes_max");
    assert_eq!(place.head(), before);
}

#[test]
fn outside_any_store_the_error_says_init() {
    let place = Place::empty();
    let ran = place.run(&["where"]);
    check(&["where"], &ran, 3, "no store");
    assert!(ran.err.contains("ambit init"));
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let place = Place::empty();
    let file = place.path().join("notes.txt");
    let text = "just some notes, much longer than a database's header would be\n".repeat(40);
    std::fs::write(&file, &text).unwrap();
    for verb in ["where", "init"] {
        let arguments = [verb, "--store", "sqlite:notes.txt"];
        check(&arguments, &place.run(&arguments), 6, "is not an Ambit store");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn a_newer_schema_is_refused() {
    let place = Place::new();
    place.tamper("PRAGMA user_version = 99");
    let ran = place.run(&["note", "-m", "x"]);
    check(&["note"], &ran, 6, "version 99");
    assert!(ran.err.contains("upgrade"));
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_says_so() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    let place = Place::empty();
    let locked = place.path().join("locked");
    std::fs::create_dir(&locked).unwrap();
    let open = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(place.path(), open(0o755)).unwrap();
    std::fs::set_permissions(&locked, open(0o555)).unwrap();
    let mut command = place.command();
    command.current_dir(&locked).arg("init");
    // Permissions do not bind root: then somebody else has to try.
    let probe = locked.join("probe");
    if std::fs::write(&probe, "").is_ok() {
        std::fs::remove_file(&probe).unwrap();
        command.uid(65_534).gid(65_534);
    }
    let ran = run(&mut command, b"");
    check(&["init"], &ran, 6, ".ambit");
    std::fs::set_permissions(&locked, open(0o755)).unwrap();
    assert_eq!(std::fs::read_dir(&locked).unwrap().count(), 0);
}

#[test]
fn a_nul_is_kept_and_a_lone_surrogate_is_mended_with_a_warning() {
    let place = Place::new();
    let message = br#"{"role":"user","content":"a\u0000b \ud83d c"}"#;
    let ran = place.run_with(&["append", "-", "--json"], message);
    assert_eq!(ran.code, 0, "{ran:?}");
    let envelope: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let warnings = envelope["result"]["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].as_str().unwrap().contains("U+FFFD"));
    let shown = place.json(&["compose"]);
    assert_eq!(shown["messages"][0]["content"], "a\0b \u{FFFD} c");
}

#[test]
fn a_vault_that_cannot_be_named_so_creates_no_store() {
    let place = Place::empty();
    let ran = place.run(&["init", "--vault", "a\nb"]);
    check(&["init"], &ran, 2, "U+000A");
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_no_text_is_refused_by_name() {
    use std::os::unix::ffi::OsStrExt;
    let bad = std::ffi::OsStr::from_bytes(b"a\xff");
    let place = Place::new();
    for name in ["AMBIT_STORE", "AMBIT_VAULT", "AMBIT_ACTOR", "AMBIT_SCOPE"] {
        let ran = run(place.command().env(name, bad).arg("where"), b"");
        check(&[name, "where"], &ran, 2, name);
        let ran = run(place.command().env(name, bad).args(["where", "--json"]), b"");
        let envelope: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((ran.code, &envelope["error"]["code"]), (2, &"usage".into()), "{ran:?}");
    }
    let ran = run(place.command().env("AMBIT_ACTOR", bad).args(["where", "--as", "bo"]), b"");
    assert!(ran.out.starts_with("bo "), "a flag overrides it: {ran:?}");
    // Somebody else's variable only names nobody.
    let mut command = place.command();
    let ran = run(command.env("USER", bad).env("LOGNAME", "eve").arg("where"), b"");
    assert!(ran.out.starts_with("eve "), "{ran:?}");
}

#[test]
fn usage_errors_point_to_the_help_that_helps() {
    let place = Place::empty();
    for arguments in [&["--json"][..], &["--json", "--vault", "x"]] {
        let ran = place.run(arguments);
        let envelope: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((ran.code, &envelope["error"]["message"]), (2, &"a verb is missing".into()));
    }
    let ran = place.run(&["--vault", "x"]);
    check(&["--vault", "x"], &ran, 2, "a verb is missing");
    assert!(!ran.err.contains("demo-writer"), "{ran:?}");
    for arguments in [&["goto", "main"][..], &["goto", "--no-such"], &["--as", "x", "goto"]] {
        let ran = place.run(arguments);
        check(arguments, &ran, 2, "ambit goto --help");
        let ran = place.run(&[&["--json"], arguments].concat());
        let envelope: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let hint = envelope["error"]["hint"].as_str().unwrap();
        assert!(hint.contains("`ambit goto --help`"), "{ran:?}");
    }
}
