//! What people are shown of attention: the frame as it is, how it changed over time, what stood in
//! mind together, as text and as pages; and a scope that is suggested.

use crate::place::Place;

const HOSTILE: &str = "<script>alert(1)</script>\"'&";

fn place() -> Place {
    let place = Place::new();
    for (name, text) in [("plan", "1"), (HOSTILE, "2"), ("code", "3")] {
        place.json(&["put", "--name", name, "--content", text]);
    }
    for _ in 0..2 {
        place.json(&["get", "plan", "--as", "bot"]);
        place.json(&["get", HOSTILE, "--as", "bot"]);
    }
    place
}

/// One page that shows what is asked for, escapes everything and loads nothing.
fn page(place: &Place, arguments: &[&str]) -> String {
    let path = place.path().join("page.html");
    let with = [arguments, &["--html", path.to_str().unwrap()]].concat();
    let ran = place.run(&with);
    assert_eq!(ran.code, 0, "{ran:?}");
    let page = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(page.starts_with("<!doctype html>"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    for loads in ["<script", "src=", "href=", "@import", "url(", "http:", "https:"] {
        assert!(!page.contains(loads), "{loads}: {page}");
    }
    page
}

// Proves S0-96: what is in mind now, most recent first.
#[test]
fn the_frame_is_shown() {
    let place = place();
    let shown = place.run(&["context"]).out;
    let order = ["code", "<script>", "plan"].map(|name| shown.find(name).unwrap());
    assert!(order.is_sorted(), "{shown}");
}

// Proves S0-96: how what is in mind changed over time, with a lane for each actor.
#[test]
fn transitions_are_a_timeline() {
    let place = place();
    let shown = place.run(&["history", "--of", "main"]).out;
    let marks: Vec<_> = shown.lines().filter(|line| line.contains('●')).collect();
    let looks: Vec<_> = shown.lines().filter(|line| line.contains('○')).collect();
    assert_eq!((marks.len(), looks.len()), (3, 4), "{shown}");
    assert!(marks.iter().all(|line| line.contains("put")) && marks[0].contains("2 in mind"));
    let html = page(&place, &["history", "--of", "main"]);
    assert!(html.contains("bot") && html.contains("code") && html.contains("plan"), "{html}");
}

// Proves S0-96: what stood in mind together, with bars.
#[test]
fn co_access_is_a_picture() {
    let place = place();
    let shown = place.run(&["related", "plan"]).out;
    let line = |name: &str| shown.lines().find(|line| line.contains(name)).unwrap().to_string();
    let bar = |line: String| line.matches('█').count();
    assert!(bar(line("<script>")) > bar(line("code")), "{shown}");
    let html = page(&place, &["related", "plan"]);
    assert!(html.contains("code"), "{html}");
}

// Proves S0-38, S0-93: three of the last five.
#[test]
fn a_scope_is_suggested_in_words() {
    let place = Place::new();
    place.json(&["scope", "alpha", "-m", "off"]);
    for name in ["a", "b", "c"] {
        place.json(&["put", "--name", name, "--content", name]);
    }
    place.json(&["goto", "main", "-m", "back"]);
    place.json(&["insight", "-m", "the tests need a database"]);
    assert_eq!(
        place.run(&["suggest"]).out,
        "3 of your last 5 belong to alpha: `ambit enter alpha`\n"
    );
    // Insights stand in no scope that anybody could enter.
    for text in ["one", "two", "three", "four", "five"] {
        place.json(&["insight", "-m", text]);
    }
    assert_eq!(place.run(&["suggest"]).out, "Nothing to suggest.\n");
    let insight = place.json(&["insights"])["insights"][0]["hash"].as_str().unwrap().to_string();
    assert_eq!(place.json(&["meta", &insight])["scopes"], serde_json::json!([]));
}

/// What an actor is, is settled by its first change; another word later is not passed over.
#[test]
fn another_kind_is_refused() {
    let place = Place::new();
    place.json(&["where", "--as", "bot", "--kind", "agent"]);
    place.json(&["note", "-m", "hello", "--as", "bot"]);
    let ran = place.run(&["note", "-m", "again", "--as", "bot", "--kind", "agent"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.err.contains("\"bot\" is operator, not agent"), "{ran:?}");
    place.json(&["note", "-m", "again", "--as", "bot", "--kind", "operator"]);
    place.json(&["note", "-m", "hello", "--as", "coder", "--kind", "agent"]);
    place.json(&["note", "-m", "again", "--as", "coder", "--kind", "agent"]);
    assert_eq!(place.json(&["where", "--as", "coder"])["kind"], "agent");
}

/// What was forgotten has a mark where its text stood.
#[test]
fn why_marks_what_was_forgotten() {
    let place = Place::new();
    place.json(&["put", "--name", "plan", "--content", "a secret"]);
    place.json(&["put", "--name", "code", "--content", "1"]);
    place.json(&["forget", "plan", "--yes"]);
    let shown = place.run(&["why", "code"]).out;
    assert!(shown.contains("plan version 1\n    [forgotten]\n"), "{shown}");
    // The log names views by number.
    let view = place.json(&["log"])["events"][2]["view"].to_string();
    assert_eq!(place.json(&["views", &view])["views"].as_array().unwrap().len(), 1);
}
