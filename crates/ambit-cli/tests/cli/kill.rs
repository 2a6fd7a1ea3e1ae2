//! SIGKILL during writes: what was acknowledged is there, and the store is whole. A few kills for
//! every run of the tests; `cargo xtask faults kill` has many, of several writers.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use crate::place::Place;

const ROUNDS: u64 = 10;

#[test]
fn every_acknowledged_write_survives_a_kill_and_a_repeated_one_is_stored_once() {
    let place = Place::new();
    let mut said = 0;
    for round in 0..ROUNDS {
        // It begins with what the one before may have stored and did not live to say.
        said += write_and_kill(&place, said, Duration::from_millis(5 + round * 37 % 120));
        let shown = place.json(&["compose", "--budget", "10000000"]);
        let messages = shown["messages"].as_array().unwrap();
        let found = messages.len() as u64;
        assert!((said..=said + 1).contains(&found), "{found} of {said}");
        for (number, message) in (1..).zip(messages) {
            assert_eq!(message["content"], format!("writer-1 {number:06}"));
        }
    }
    assert!(said > 0, "no writer lived long enough to write");
    place.head();
}

fn write_and_kill(place: &Place, after: u64, life: Duration) -> u64 {
    let mut command = place.command();
    command.args(["demo-writer", "--as", "writer", "--after", &after.to_string()]);
    let mut writer = command.stdout(Stdio::piped()).spawn().unwrap();
    let out = BufReader::new(writer.stdout.take().unwrap());
    let reader = std::thread::spawn(move || out.lines().map_while(Result::ok).count() as u64);
    std::thread::sleep(life);
    writer.kill().unwrap();
    writer.wait().unwrap();
    reader.join().unwrap()
}
