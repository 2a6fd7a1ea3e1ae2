//! `forget`, `export` and `import` as a person meets them: files, pipes, kills, and damage.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use crate::place::Place;

fn furnished() -> Place {
    let place = Place::new();
    for arguments in [
        &["append", "--role", "user", "the secret is hunter2"][..],
        &["note", "-m", "learned hunter2"],
        &["scope", "step-1", "-m", "off"],
        &["append", "--role", "user", "here"],
    ] {
        assert_eq!(place.run(arguments).code, 0);
    }
    place
}

#[test]
fn an_export_is_its_owners_and_is_never_written_over_unasked() {
    let place = furnished();
    let answer = place.json(&["export", "out.jsonl"]);
    assert_eq!((&answer["events"], &answer["file"]), (&10.into(), &"out.jsonl".into()));
    let file = place.path().join("out.jsonl");
    let first = fs::read(&file).unwrap();
    assert_eq!(answer["bytes"], first.len());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(place.run(&["note", "-m", "more"]).code, 0);
    assert_eq!(place.run(&["export", "out.jsonl"]).code, 4);
    assert_eq!(fs::read(&file).unwrap(), first);
    assert_eq!(place.run(&["export", "out.jsonl", "--force"]).code, 0);
    assert_ne!(fs::read(&file).unwrap(), first);
    assert_eq!(place.run(&["export", "no/such/folder/out.jsonl"]).code, 6);
    assert_eq!(place.run(&["export", "--json"]).code, 2, "the lines themselves are the answer");
    let files = fs::read_dir(place.path()).unwrap().count();
    assert_eq!(files, 2, "nothing is left beside the store and the export");
}

#[test]
fn an_export_goes_through_pipes() {
    let place = furnished();
    let exported = place.run(&["export", "-"]);
    assert_eq!((exported.code, exported.err.as_str()), (0, "Exported 10 events and 4 texts.\n"));
    let piped = place.run_with(&["import", "-", "--vault", "copy"], exported.out.as_bytes());
    assert_eq!(piped.code, 0, "{piped:?}");
    assert_eq!(place.run(&["export", "--vault", "copy"]).out, exported.out);
    // An import creates a missing store, but not for an invalid file.
    let elsewhere = Place::empty();
    fs::write(elsewhere.path().join("bad.jsonl"), &exported.out.as_bytes()[..500]).unwrap();
    assert_eq!(elsewhere.run(&["import", "bad.jsonl"]).code, 2);
    assert!(!elsewhere.path().join(".ambit").exists());
    fs::write(elsewhere.path().join("good.jsonl"), &exported.out).unwrap();
    assert_eq!(elsewhere.json(&["import", "good.jsonl"])["events"], 10);
    assert_eq!(elsewhere.run(&["export"]).out, exported.out);
    assert_eq!(elsewhere.run(&["import", "absent.jsonl"]).code, 3);
    assert_eq!(elsewhere.run(&["import"]).code, 2);
}

/// A reader that goes away takes nothing with it.
#[test]
fn a_damaged_vault_is_not_exported() {
    let place = furnished();
    let whole = fs::read(place.database()).unwrap();
    let cases = [
        ("UPDATE event SET time = time + 1 WHERE seq = 3", "event 3"),
        ("DELETE FROM event WHERE seq = 10", "event 9"),
        ("DELETE FROM content WHERE text = CAST('here' AS BLOB)", "event 10"),
        ("UPDATE content SET text = CAST('there' AS BLOB) WHERE length(text) = 4", "event 10"),
        (
            "INSERT INTO content SELECT vault, 99, key, salt, digest, tokens, text FROM content \
             WHERE length(text) = 4",
            "content 99",
        ),
    ];
    for (sql, names) in cases {
        fs::write(place.database(), &whole).unwrap();
        place.tamper(sql);
        let ran = place.run(&["export", "out.jsonl"]);
        assert_eq!(ran.code, 6, "{sql}: {ran:?}");
        assert!(ran.err.contains(names), "{sql}: {ran:?}");
        assert!(!place.path().join("out.jsonl").exists(), "{sql}");
    }
}

/// SIGKILL at any moment of an import: the same command goes on, and until then nobody sees it.
#[test]
fn a_killed_import_goes_on_with_the_same_command() {
    let from = Place::new();
    let lines = (0..6_000).map(|n| format!("{{\"role\":\"user\",\"content\":\"line {n}\"}}\n"));
    let lines: String = lines.collect();
    assert_eq!(from.run_with(&["append", "-"], lines.as_bytes()).code, 0);
    let export = from.run(&["export"]).out;
    let place = Place::new();
    fs::write(place.path().join("in.jsonl"), &export).unwrap();
    for round in 0..80 {
        let vault = format!("copy {round}");
        let arguments = ["import", "in.jsonl", "--vault", &vault];
        let mut child = place.command().args(arguments).spawn().unwrap();
        // Longer and longer, until something was loaded, but not all.
        std::thread::sleep(Duration::from_millis(60 + round * 25));
        child.kill().unwrap();
        child.wait().unwrap();
        let loaded = loaded(&place, &vault);
        if loaded == 0 {
            continue;
        }
        let seen = place.run(&["where", "--vault", &vault, "--json"]);
        let envelope: Value = serde_json::from_str(&seen.out).unwrap();
        assert_eq!((seen.code, &envelope["error"]["code"]), (4, &"conflict".into()), "{seen:?}");
        let hint = envelope["error"]["hint"].as_str().unwrap();
        assert!(hint.contains(&format!("import --abandon --vault {vault}")), "{hint}");
        assert_eq!(place.json(&arguments)["resumed"], loaded);
        assert_eq!(place.run(&["export", "--vault", &vault]).out, export);
        assert_eq!(place.json(&["verify", "--vault", &vault])["ok"], true);
        return;
    }
    panic!("no import was caught on its way");
}

/// How many events of a vault there are, while it is being imported.
fn loaded(place: &Place, vault: &str) -> i64 {
    let connection = rusqlite::Connection::open(place.database()).unwrap();
    let sql = "SELECT head_seq FROM vault WHERE name = ?1 AND importing IS NOT NULL";
    connection.query_row(sql, [vault], |row| row.get(0)).unwrap_or(0)
}

#[test]
fn an_import_that_was_begun_can_be_abandoned() {
    let place = furnished();
    place.tamper("UPDATE vault SET importing = 'abc'");
    for arguments in [&["where"][..], &["note", "-m", "x"], &["verify"], &["export"], &["init"]] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, 4, "{arguments:?}: {ran:?}");
        assert!(ran.err.contains("ambit import --abandon --vault default"), "{ran:?}");
    }
    assert_eq!(place.json(&["import", "--abandon"])["abandoned"], true);
    assert_eq!(place.run(&["where"]).code, 3);
    assert_eq!(place.run(&["import", "--abandon"]).code, 3);
    assert_eq!(place.run(&["init"]).code, 0);
    let again = place.run(&["import", "--abandon"]);
    assert_eq!(again.code, 4, "{again:?}");
    assert!(again.err.contains("not being imported"), "{again:?}");
}

/// A text that was forgotten and is there again is damage, and so is one that is gone unforgotten.
#[test]
fn verify_knows_what_was_forgotten() {
    let place = furnished();
    let rows = "CREATE TABLE kept AS SELECT * FROM content";
    place.tamper(rows);
    let report = place.json(&["forget", "--containing", "hunter2", "--yes"]);
    assert_eq!(
        (&report["done"], &report["texts"], &report["scrubbed"]),
        (&true.into(), &2.into(), &true.into())
    );
    let verified = place.json(&["verify"]);
    assert_eq!((&verified["ok"], &verified["forgotten"]), (&true.into(), &2.into()));
    let whole = fs::read(place.database()).unwrap();
    let cases = [
        "INSERT INTO content SELECT * FROM kept WHERE content NOT IN (SELECT content FROM content)",
        "DELETE FROM content WHERE vault = 1",
        "UPDATE item SET content = 99 WHERE content < 0",
        "UPDATE item SET content = -3 WHERE content < 0",
    ];
    for sql in cases {
        fs::write(place.database(), &whole).unwrap();
        place.tamper(sql);
        assert_eq!(place.run(&["verify"]).code, 6, "{sql}");
    }
}

/// Searches the bytes of the store file and of every file next to it.
#[test]
fn no_file_of_the_store_holds_a_text_that_was_forgotten() {
    let place = furnished();
    let holds = |text: &str| {
        let files = fs::read_dir(place.path().join(".ambit")).unwrap();
        files.into_iter().any(|file| {
            let bytes = fs::read(file.unwrap().path()).unwrap();
            bytes.windows(text.len()).any(|window| window == text.as_bytes())
        })
    };
    assert!(holds("hunter2"));
    let keyed = ["forget", "--containing", "hunter2", "--yes", "--key", "about hunter2"];
    let first = place.json(&keyed);
    assert!(!holds("hunter2"), "also not in what is kept for a key");
    let again = place.json(&keyed);
    assert_eq!((&again["texts"], &again["head"]), (&first["texts"], &first["head"]));
    assert!(holds("here"));
}
