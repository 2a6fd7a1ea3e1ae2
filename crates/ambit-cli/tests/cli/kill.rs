//! SIGKILL during writes: what was acknowledged is there, and the store is whole.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use crate::place::Place;

/// How many kills; the long run sets AMBIT_KILL_ROUNDS.
fn rounds() -> u64 {
    std::env::var("AMBIT_KILL_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(50)
}

#[test]
fn every_acknowledged_write_survives_a_kill() {
    let place = Place::new();
    let mut stored = 0;
    for round in 0..rounds() {
        let acknowledged = write_and_kill(&place, Duration::from_millis(5 + round * 37 % 120));
        let found = place.json(&["where", "--as", "writer"])["messages"].as_i64().unwrap();
        let new = found - stored;
        // One more may be stored than the writer lived to say.
        assert!((acknowledged..=acknowledged + 1).contains(&new), "{new} of {acknowledged}");
        check_texts(&place, stored, new);
        stored = found;
    }
    assert!(stored > 0, "no writer lived long enough to write");
    place.head();
}

fn write_and_kill(place: &Place, life: Duration) -> i64 {
    let mut command = place.command();
    command.args(["demo-writer", "--as", "writer"]).stdout(Stdio::piped());
    let mut writer = command.spawn().unwrap();
    let out = BufReader::new(writer.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        let numbers = out.lines().map_while(Result::ok).filter_map(|line| line.parse().ok());
        numbers.last().unwrap_or(0)
    });
    std::thread::sleep(life);
    writer.kill().unwrap();
    writer.wait().unwrap();
    reader.join().unwrap()
}

/// The texts of this round are there, each once and in order.
fn check_texts(place: &Place, before: i64, new: i64) {
    let shown = place.json(&["compose", "--as", "writer", "--budget", "10000000"]);
    let messages = shown["messages"].as_array().unwrap();
    let round = &messages[before as usize..];
    assert_eq!(round.len() as i64, new);
    for (number, message) in (1..).zip(round) {
        assert_eq!(message["content"], format!("message {number}"));
    }
}
