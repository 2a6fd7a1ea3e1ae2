//! Completions: as a shell asks for them, and by the key in a real one. And manual pages.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::place::{Place, run};

const SHELLS: [&str; 4] = ["bash", "elvish", "fish", "zsh"];

/// What the program answers a shell for these words, the last of which is being written.
fn asked(place: &Place, shell: &str, words: &[&str]) -> Vec<String> {
    let mut command = place.command();
    let index = words.len().to_string();
    command.env("AMBIT_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", index);
    let ran = run(command.args(["--", "ambit"]).args(words), b"");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    let first = |line: &str| line.split('\t').next().unwrap_or_default().to_string();
    ran.out.lines().map(first).collect()
}

fn completed(place: &Place, words: &[&str]) -> Vec<String> {
    asked(place, "bash", words)
}

const NOTHING: [&str; 0] = [];

#[test]
fn verbs_flags_and_names_of_scopes_are_completed() {
    let place = Place::new();
    place.json(&["scope", "step-1", "-m", "off"]);
    assert_eq!(completed(&place, &["comp"]), ["compose", "completions"]);
    assert_eq!(completed(&place, &["demo"]), ["demo"], "what is hidden stays so");
    assert_eq!(completed(&place, &["compose", "--bud"]), ["--budget"]);
    let named: [&[&str]; 6] = [
        &["goto", "st"],
        &["notes", "st"],
        &["--scope", "st"],
        &["compose", "--scope", "st"],
        &["search", "x", "--in", "st"],
        &["forget", "--in", "st"],
    ];
    for words in named {
        assert_eq!(completed(&place, words), ["step-1"], "{words:?}");
    }
    assert_eq!(completed(&place, &["compose", "--scope=st"]), ["--scope=step-1"]);
    assert_eq!(completed(&place, &["scope", "st"]), NOTHING, "a new scope has a new name");
    for shell in SHELLS {
        let names = asked(&place, shell, &["goto", "st"]);
        assert!(names.len() == 1 && names[0].starts_with("step-1"), "{shell}: {names:?}");
    }
}

#[test]
fn names_are_those_of_the_store_and_vault_that_are_meant() {
    let place = Place::new();
    let other = ["--store", "sqlite:other.db", "--vault", "team"];
    for verb in [&["init"][..], &["scope", "elsewhere", "-m", "off"]] {
        place.json(&[verb, &other].concat());
    }
    assert_eq!(completed(&place, &["goto", "else"]), NOTHING);
    assert_eq!(completed(&place, &[&["goto"], &other[..], &["else"]].concat()), ["elsewhere"]);
    assert_eq!(completed(&place, &[&other[..], &["goto", "else"]].concat()), ["elsewhere"]);
    let mut command = place.command();
    command.env("AMBIT_STORE", "sqlite:other.db").env("AMBIT_VAULT", "team");
    // Which scope is meant does not bear on which there are.
    command.env("AMBIT_COMPLETE", "bash").env("AMBIT_SCOPE", "nowhere");
    let ran = run(command.args(["--", "ambit", "goto", "else"]), b"");
    assert_eq!((ran.code, ran.out.as_str()), (0, "elsewhere\n"), "{ran:?}");
    let server = Place::on_server();
    server.json(&["init"]);
    server.json(&["scope", "on-the-server", "-m", "off"]);
    assert_eq!(completed(&server, &["goto", "on"]), ["on-the-server"]);
}

#[test]
fn where_there_is_no_store_no_scope_is_named_and_nothing_is_made() {
    let place = Place::empty();
    let lines: [&[&str]; 4] = [
        &["goto", "st"],
        &["goto", "--store", "sqlite:none.db", "st"],
        &["goto", "--store", "postgres://nobody@127.0.0.1:1/none", "st"],
        &["goto", "--store", "nonsense", "--help", "st"],
    ];
    for words in lines {
        assert_eq!(completed(&place, words), NOTHING, "{words:?}");
    }
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a_key_changes_nothing_and_waits_for_nobody() {
    let place = Place::new();
    place.json(&["scope", "step-1", "-m", "off"]);
    let before = std::fs::read(place.database()).unwrap();
    assert_eq!(completed(&place, &["goto", "st"]), ["step-1"]);
    assert!(before == std::fs::read(place.database()).unwrap(), "the file is another");
    assert_eq!(std::fs::read_dir(place.path().join(".ambit")).unwrap().count(), 2);
    // Somebody has the file for themselves.
    let holder = rusqlite::Connection::open(place.database()).unwrap();
    holder.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE").unwrap();
    holder.execute_batch("PRAGMA user_version = 1").unwrap();
    let began = Instant::now();
    assert_eq!(completed(&place, &["goto", "st"]), NOTHING);
    // A command waits for half a minute.
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    // A store of another version is left as it is.
    holder.execute_batch("COMMIT").unwrap();
    drop(holder);
    assert_eq!(completed(&place, &["goto", "st"]), NOTHING);
    let version = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
    let database = rusqlite::Connection::open(place.database()).unwrap();
    assert_eq!(database.pragma_query_value(None, "user_version", version).unwrap(), 1);
}

#[test]
fn names_that_steer_a_screen_or_pass_for_a_flag_are_not_offered() {
    let place = Place::new();
    let names = ["--store=x", "$(touch it)", "two words"];
    for name in names {
        place.json(&["scope", "-m", "off", "--", name]);
    }
    place.json(&["scope", "steers", "-m", "off"]);
    place.tamper("UPDATE scope SET name = 'steers' || char(27) || '[2J' WHERE name = 'steers'");
    let offered = completed(&place, &["notes", ""]);
    let offered: Vec<_> = offered.iter().filter(|name| !name.starts_with("--")).collect();
    assert_eq!(offered, ["main", "$(touch it)", "two words"]);
    assert!(!completed(&place, &["notes", "--st"]).contains(&"--store=x".to_string()));
}

#[test]
fn only_a_shell_that_asks_is_answered() {
    let place = Place::new();
    for shell in ["bash", "none", "", "0"] {
        let ran = run(place.command().env("AMBIT_COMPLETE", shell).arg("where"), b"");
        assert!(ran.code == 0 && ran.out.starts_with("ada (operator"), "{shell}: {ran:?}");
    }
    // Words that make no sense have no completion, and are no error.
    let odd: [&[&str]; 4] = [&[], &["--", "--", ""], &["-m=", "\u{1b}"], &["goto", "--scope"]];
    for words in odd {
        asked(&place, "none", words);
        for shell in SHELLS {
            asked(&place, shell, words);
        }
    }
}

/// Types keys into bash on a terminal, with completions switched on.
fn typed(place: &Place, keys: &str) -> String {
    let folder = place.path().join("keys");
    std::fs::create_dir_all(&folder).unwrap();
    let start = "PS1='> '\nsource <(ambit completions bash)\n";
    std::fs::write(folder.join("start"), start).unwrap();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_ambit"));
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let mut command = Command::new("script");
    for (name, value) in place.command().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("PATH", path).env("TERM", "xterm").env("HOME", &folder).env("LC_ALL", "C.UTF-8");
    command.current_dir(place.path());
    let line = "bash --noprofile --rcfile keys/start -i";
    command.args(["--quiet", "--return", "--command", line, "/dev/null"]);
    run(&mut command, format!("{keys}\nexit\n").as_bytes()).out
}

#[cfg(target_os = "linux")]
#[test]
fn by_the_key_in_bash_the_scope_is_the_one_that_was_meant() {
    let place = Place::new();
    let names = ["step-1", "Suche im März", "a:b=c", "$(touch made)", "it's \"odd\""];
    for name in names {
        place.json(&["scope", name, "-m", "off"]);
    }
    let keys = [
        ("ambit goto ste\t-m x", "step-1"),
        ("ambit goto Su\t-m x", "Suche im März"),
        ("ambit goto ste\t-m x", "step-1"),
        ("ambit goto \"Suche im\t-m x", "Suche im März"),
        ("ambit goto a:b\t-m x", "a:b=c"),
        ("ambit goto Suche\\ i\t-m x", "Suche im März"),
        ("ambit goto \\$\t-m x", "$(touch made)"),
        ("ambit goto it\t-m x", "it's \"odd\""),
        ("ambit goto --store sqlite:.ambit/ambit.db --as=ada ste\t-m x", "step-1"),
    ];
    for (keys, scope) in keys {
        let screen = typed(&place, keys);
        assert_eq!(place.json(&["where"])["primary_scope"], *scope, "{keys}: {screen}");
    }
    let screen = typed(&place, "ambit notes --scope=Su\t");
    assert!(screen.contains("--scope=Suche\\ im\\ März"), "{screen}");
    assert!(!place.path().join("made").exists(), "what was offered was run");
}

#[test]
fn every_shell_has_a_script_that_asks_the_program() {
    let place = Place::empty();
    for shell in SHELLS {
        let ran = place.run(&["completions", shell]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.out.contains("AMBIT_COMPLETE") && ran.out.contains("ambit"), "{}", ran.out);
        assert_eq!(place.json(&["completions", shell])["script"], ran.out);
    }
    assert_eq!(place.run(&["completions", "command.com"]).code, 2);
}

#[test]
fn every_verb_has_a_manual_page() {
    let place = Place::empty();
    let result = place.json(&["man", "--out", "share/man1"]);
    let pages = result["pages"].as_array().unwrap();
    for page in ["ambit.1", "ambit-compose.1", "ambit-check.1", "ambit-man.1"] {
        assert!(pages.iter().any(|name| name == page), "{result}");
        let text = std::fs::read_to_string(place.path().join("share/man1").join(page)).unwrap();
        assert!(text.contains(".SH SYNOPSIS") && text.contains("ambit"), "{text}");
    }
    assert!(!pages.iter().any(|name| name == "ambit-demo-writer.1"), "{result}");
    std::fs::write(place.path().join("file"), "").unwrap();
    let ran = place.run(&["man", "--out", "file"]);
    assert_eq!(ran.code, 6, "{ran:?}");
    assert!(ran.err.contains("hint: "), "{ran:?}");
}
