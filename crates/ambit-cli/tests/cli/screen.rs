//! Nothing that is stored, nor what an error repeats, steers the screen it is shown on: every verb,
//! in a pipe and on a terminal.

use std::process::Command;

use serde_json::json;

use crate::place::{Place, Ran, run};

/// Clears, titles, device controls, hidden text, going back, and what reorders a line.
const HOSTILE: &str = "a\u{1b}[2J\u{1b}]0;t\u{7}\u{1b}[8m\u{1b}P+q\u{1b}\\\u{9b}2J\u{9d}0;x\u{9c}\r\
                       \u{8}\u{b}\u{c}\u{7f}\u{85}\u{90}\u{2028}\u{202e}\u{2066}z";

/// As much of it as a folder's name may have, and no slash.
const NAME: &str = "n\u{1b}[2J\u{9b}8m\r\u{202e}\u{7f}z";

/// A store with hostile texts wherever a text is taken, and, put there from outside, hostile names.
fn hostile() -> (Place, String) {
    let place = Place::new();
    let messages = [
        json!({"role": "system", "content": HOSTILE}),
        json!({"role": "user", "name": HOSTILE, "x": HOSTILE, "content": [
            {"type": "text", "text": HOSTILE},
            {"type": HOSTILE, "data": HOSTILE},
            {"type": "image_url", "image_url": {"url": HOSTILE}},
        ]}),
        json!({"role": "assistant", "content": HOSTILE, "tool_calls": [{
            "id": HOSTILE, "type": "function", "function": {"name": HOSTILE, "arguments": HOSTILE},
        }]}),
        json!({"role": "tool", "tool_call_id": HOSTILE, "content": format!("{HOSTILE}\0")}),
    ];
    let lines: Vec<_> = messages.iter().map(ToString::to_string).collect();
    let ran = place.run_with(&["append", "-"], lines.join("\n").as_bytes());
    assert_eq!(ran.code, 0, "{ran:?}");
    place.json(&["note", "-m", HOSTILE]);
    place.json(&["put", "--name", "plan", "--content", HOSTILE]);
    place.json(&["put", "--name", "plan", "--content", &HOSTILE.repeat(2)]);
    place.json(&["scope", "step-1", "-m", HOSTILE]);
    place.json(&["goto", "main", "-m", HOSTILE]);
    place.json(&["append", "--role", "user", HOSTILE, "--as", "eve"]);
    let note = place.json(&["note", "-m", HOSTILE])["hash"].as_str().unwrap().to_string();
    let database = rusqlite::Connection::open(place.database()).unwrap();
    let names = [
        ("UPDATE scope SET name = ?1 WHERE name = 'step-1'", "scope"),
        ("UPDATE actor SET name = ?1 WHERE name = 'eve'", "actor"),
        ("INSERT INTO setting SELECT vault, 0, 'redact_also', ?1 FROM vault", "setting"),
    ];
    for (sql, what) in names {
        assert_eq!(database.execute(sql, [NAME]).unwrap(), 1, "{what}");
    }
    (place, note)
}

fn steers(c: char) -> bool {
    let reorders = matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    reorders || c.is_control() && c != '\n' && c != '\t'
}

fn check(arguments: &[&str], text: &str) {
    let found = text.chars().find(|c| steers(*c));
    assert_eq!(found, None, "{arguments:?}: {text:?}");
}

/// Every verb that answers, in an order in which each can.
fn verbs(note: &str) -> Vec<Vec<&str>> {
    let verbs: &[&[&str]] = &[
        &["init"],
        &["where"],
        &["where", "--as", NAME],
        &["where", "--scope", NAME],
        &["compose"],
        &["compose", "--full"],
        &["compose", "--full", "--scope", NAME],
        &["compose", "--budget", "500"],
        &["compose", "--system", HOSTILE],
        &["notes"],
        &["notes", NAME],
        &["scopes"],
        &["settings"],
        &["settings", "redact_also"],
        &["settings", "notes_shown", "4", "--scope", NAME],
        &["log", "--limit", "100"],
        &["append", "--role", "user", HOSTILE],
        &["append", "--role", "user", HOSTILE, "--scope", NAME],
        &["note", "-m", HOSTILE],
        &["note", "-m", HOSTILE, "--scope", NAME],
        &["goto", NAME, "-m", HOSTILE],
        &["goto", "main", "-m", HOSTILE],
        &["rewind", "--to", "4"],
        &["put", "--name", "thing", "--type", "file", "--content", HOSTILE],
        &["get", "thing"],
        &["meta", "thing"],
        &["diff", "plan"],
        &["objects"],
        &["context"],
        &["context", NAME, "--at", "12"],
        &["where", "--at", "9"],
        &["scopes", "--at", "9"],
        &["notes", "--at", "9"],
        &["suggest"],
        &["why", "plan"],
        &["history"],
        &["history", "--of", "main"],
        &["history", "--by", NAME],
        &["views"],
        &["views", "--of", NAME],
        &["related", "plan"],
        &["revert", "--by", NAME, "--since", "1d", "--dry-run"],
        &["place", "plan", NAME],
        &["enter", NAME],
        &["focus", NAME],
        &["leave", "main"],
        &["break"],
        &["fork", "sub", "-m", HOSTILE],
        &["rejoin", "sub", "-m", HOSTILE],
        &["tidy"],
        &["init", "--store", "sqlite:x\u{1b}[2J\u{9b}.db"],
    ];
    let mut verbs: Vec<_> = verbs.iter().map(|verb| verb.to_vec()).collect();
    verbs.extend(["3", "3.0", "4", "5", "6", note].map(|name| vec!["read", name]));
    verbs.push(vec!["read", note, "--snapshot"]);
    verbs
}

/// What is turned down, with what it was given in the error or the hint.
const ERRORS: &[&[&str]] = &[
    &["goto", HOSTILE, "-m", "x"],
    &["scope", HOSTILE, "-m", "x"],
    &["scope", NAME, "-m", "x"],
    &["notes", HOSTILE],
    &["read", HOSTILE],
    &["rewind", "--to", HOSTILE],
    &["where", "--scope", HOSTILE],
    &["note", "-m", "x", "--as", HOSTILE],
    &["where", "--vault", HOSTILE],
    &["init", "--vault", HOSTILE],
    &["where", "--store", HOSTILE],
    &["where", "--store", "sqlite:no\u{1b}[2J\u{9b}.db"],
    &["settings", HOSTILE],
    &["settings", HOSTILE, "1"],
    &["settings", "budget", HOSTILE],
    &["settings", "redact_also", HOSTILE],
    &["append", HOSTILE],
    &["append", "--role", HOSTILE, "x"],
    &["append", "--role", HOSTILE, "x", "--tool-call-id", HOSTILE],
    &["put", "--name", HOSTILE, "--content", "x"],
    &["put", "--name", "x", "--type", HOSTILE, "--content", "x"],
    &["get", HOSTILE],
    &["why", HOSTILE],
    &["enter", HOSTILE],
    &["fork", HOSTILE, "-m", "x"],
    &["history", "--since", HOSTILE],
    &["context", "--at", HOSTILE],
    &["objects", "--type", HOSTILE],
    &["compose", "--layout", HOSTILE],
    &["compose", "--system", "@no\u{1b}[2J\u{9b}"],
    &["compose", "--budget", HOSTILE],
    &[HOSTILE],
    &["where", HOSTILE],
    &["where", "--kind", HOSTILE],
    // The rows were put there from outside: that is found, and told.
    &["verify"],
];

#[test]
fn in_a_pipe_nothing_steers_whoever_reads_it() {
    let (place, note) = hostile();
    let answers = verbs(&note).into_iter().map(|verb| (verb, true));
    let errors = ERRORS.iter().map(|verb| (verb.to_vec(), false));
    for (mut arguments, answers) in answers.chain(errors) {
        let ran = place.run(&arguments);
        assert_eq!(ran.code == 0, answers, "{arguments:?}: {ran:?}");
        // In a pipe `read` gives back the very text: that is what it is for.
        if !["read", "get"].contains(&arguments[0]) || !answers {
            check(&arguments, &ran.out);
        }
        check(&arguments, &ran.err);
        arguments.push("--json");
        let ran = place.run(&arguments);
        check(&arguments, &(ran.out.clone() + &ran.err));
        serde_json::from_str::<serde_json::Value>(&ran.out).unwrap();
    }
    let shown = place.json(&["compose"])["messages"].to_string();
    assert!(shown.contains("\u{9b}"), "in JSON it is still all there: {shown}");
}

/// Runs a command with one of its outputs on a terminal, and the other nowhere.
fn on_terminal(place: &Place, arguments: &[&str], errors: bool) -> Ran {
    let quote = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    let words: Vec<_> = arguments.iter().map(|word| quote(word)).collect();
    let other = if errors { "2>&1 >/dev/null" } else { "2>/dev/null" };
    let line = format!("{} {} {other}", quote(env!("CARGO_BIN_EXE_ambit")), words.join(" "));
    let mut command = Command::new("script");
    for (name, value) in place.command().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("TERM", "xterm").env_remove("NO_COLOR").current_dir(place.path());
    run(command.args(["--quiet", "--return", "--command", &line, "/dev/null"]), b"")
}

/// Colours of our own and line ends as terminals have them.
fn without_ours(text: &str) -> String {
    let mut text = text.replace("\r\n", "\n");
    for code in ["0", "1", "2", "4", "31", "32", "33", "36"] {
        text = text.replace(&format!("\u{1b}[{code}m"), "");
    }
    text
}

/// Proves S0-40: whatever is answered on a terminal, the active scopes stand below it.
#[test]
fn on_a_terminal_the_active_scopes_are_shown() {
    let place = Place::new();
    place.json(&["scope", "alpha", "-m", "off"]);
    place.json(&["enter", "main"]);
    for arguments in [&["note", "-m", "x"][..], &["notes"], &["context"], &["where"]] {
        let ran = on_terminal(&place, arguments, false);
        let shown = without_ours(&ran.out);
        assert!(shown.contains("active: main, alpha"), "{arguments:?}: {shown}");
        let piped = place.run(arguments).out;
        assert_eq!(piped.contains("active:"), arguments == ["where"], "{arguments:?}: {piped}");
    }
}

#[test]
fn on_a_terminal_nothing_steers_the_screen() {
    let there = Command::new("script").arg("--version").output();
    assert!(there.is_ok(), "a terminal comes from the program `script`: install bsdutils");
    let (place, note) = hostile();
    let coloured = on_terminal(&place, &["where", "--scope", "no"], true);
    assert!(coloured.out.contains("\u{1b}["), "is it a terminal? {coloured:?}");
    let shown = on_terminal(&place, &["read", "3"], false);
    assert!(shown.out.contains('\u{FFFD}'), "it is marked what was there: {shown:?}");
    for arguments in verbs(&note) {
        let ran = on_terminal(&place, &arguments, false);
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        assert!(!ran.out.is_empty(), "{arguments:?}");
        check(&arguments, &without_ours(&ran.out));
        let json = [&arguments[..], &["--json"]].concat();
        check(&json, &without_ours(&on_terminal(&place, &json, false).out));
    }
    for arguments in ERRORS {
        let verify = arguments[0] == "verify";
        let ran = on_terminal(&place, arguments, !verify);
        assert_ne!(ran.code, 0, "{arguments:?}: {ran:?}");
        assert!(!ran.out.is_empty(), "{arguments:?}");
        check(arguments, &without_ours(&ran.out));
        let json = [arguments, &["--json"][..]].concat();
        check(&json, &without_ours(&on_terminal(&place, &json, false).out));
    }
}
