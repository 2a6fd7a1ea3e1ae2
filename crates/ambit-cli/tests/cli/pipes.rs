//! Pipes: large input, readers that leave early, no colours, no tables.

use std::io::Read;
use std::process::Stdio;

use crate::place::Place;

#[test]
fn nothing_is_lost_when_the_pipe_closes_early() {
    let place = Place::new();
    let lines = "{\"role\":\"user\",\"content\":\"word word word word\"}\n".repeat(20_000);
    let mut command = place.command();
    // The reader of the answer is gone before it is written.
    let mut child = command
        .args(["append", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(place.json(&["where"])["messages"], 20_000);

    let mut command = place.command();
    let mut child = command.args(["compose", "--full"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 64];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert!(child.wait().unwrap().success(), "a closed pipe is no failure");
}

#[test]
fn a_hundred_thousand_messages_go_in_at_once_in_order() {
    let place = Place::new();
    let line = |n| format!("{{\"role\":\"user\",\"content\":\"message {n}\"}}\n");
    let lines: String = (0..100_000).map(line).collect();
    let ran = place.run_with(&["append", "-", "--json"], lines.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(place.json(&["where"])["messages"], 100_000);
    let shown = place.json(&["compose", "--budget", "5000"]);
    let messages = shown["messages"].as_array().unwrap();
    assert_eq!(messages.last().unwrap()["content"], "message 99999");
    let first: usize = messages[0]["content"].as_str().unwrap()[8..].parse().unwrap();
    for (offset, message) in messages.iter().enumerate() {
        assert_eq!(message["content"], format!("message {}", first + offset));
    }
}

#[test]
fn a_bad_line_late_in_the_input_leaves_nothing_behind() {
    let place = Place::new();
    let before = place.head();
    let mut lines = "{\"role\":\"user\",\"content\":\"fine\"}\n".repeat(5_000);
    lines += "{\"role\":\"user\"";
    let ran = place.run_with(&["append", "-"], lines.as_bytes());
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("line 5001"), "{}", ran.err);
    assert_eq!(place.head(), before);
}

#[test]
fn read_gives_the_very_text_in_a_pipe() {
    let place = Place::new();
    place.run(&["append", "--role", "user", "a\r\nb \u{1b}[31m c\td"]);
    assert_eq!(place.run(&["read", "3.0"]).out, "a\r\nb \u{1b}[31m c\td");
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    let place = Place::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = place.command().arg("scopes").stdout(full).stderr(Stdio::null()).status();
    assert_eq!(status.unwrap().code(), Some(6));
}
