//! What the program says is stored was synced before it said so, as the operating system saw it.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::place::Place;

const CALLS: &str = "trace=fsync,fdatasync,write,pwrite64";

/// The calls of a run, or None where they cannot be watched. After some lines nobody listens any
/// more, which ends those that would go on.
fn watched(place: &Place, arguments: &[&str], lines: usize) -> Option<Vec<String>> {
    let probe = Command::new("strace").args(["-y", "-o", "/dev/null", "true"]).status();
    if !probe.is_ok_and(|status| status.success()) {
        println!("strace does not work here: nothing was watched");
        return None;
    }
    let trace = place.path().join("trace");
    // Its surroundings are those of any other run.
    let plain = place.command();
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-e", CALLS, "-o"]).arg(&trace).arg(plain.get_program());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.args(arguments).current_dir(place.path()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    assert!(out.lines().take(lines).count() > 0, "{arguments:?} said nothing");
    child.wait().unwrap();
    let text = String::from_utf8_lossy(&std::fs::read(trace).unwrap()).into_owned();
    Some(text.lines().map(str::to_string).collect())
}

fn is_sync(call: &str, of: &str) -> bool {
    call.contains("sync(") && call.contains(of) && call.ends_with("= 0")
}

#[test]
fn each_acknowledgement_follows_a_sync_of_what_it_is_about() {
    let place = Place::new();
    let Some(calls) = watched(&place, &["demo-writer"], 5) else { return };
    let (mut unsynced, mut written, mut said) = (false, false, 0);
    for call in &calls {
        if call.contains("pwrite64(") && call.contains("-wal>") {
            (unsynced, written) = (true, true);
        } else if is_sync(call, "-wal>") {
            unsynced = false;
        } else if call.contains("write(1<") && !call.contains("= -1") {
            assert!(written && !unsynced, "said before it was synced: {calls:#?}");
            written = false;
            said += 1;
        }
    }
    assert!(said >= 5, "{calls:#?}");
}

#[test]
fn a_new_store_is_entered_in_its_folders_for_good() {
    let place = Place::empty();
    let Some(calls) = watched(&place, &["init", "--store", "sqlite:a/b/x.db"], 5) else { return };
    let root = place.path().canonicalize().unwrap();
    for folder in [root.join("a/b"), root.join("a"), root] {
        let name = format!("<{}>", folder.display());
        assert!(calls.iter().any(|call| is_sync(call, &name)), "{name}: {calls:#?}");
    }
}
