//! All stories a third time, by calls of the library. Each is told twice, side by side: by the
//! program in one place, and by a program that uses the library in another. What they answer has to
//! be the same data, but for what differs from run to run.

mod alike;
mod attention;
mod calls;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::place::Place;
use crate::stories::{Command, tell_all};
use alike::Names;
use calls::Library;

#[test]
fn all_stories_come_out_alike_from_the_library() {
    told_by_the_library(Place::empty, &|_| true);
}

#[test]
fn all_stories_come_out_alike_from_the_library_on_a_server() {
    told_by_the_library(Place::on_server, &|text| !text.contains("\n# On a file.\n"));
}

fn told_by_the_library(place: fn() -> Place, fits: &dyn Fn(&str) -> bool) {
    let (mut told, mut called) = (BTreeSet::new(), BTreeSet::new());
    tell_all(place, fits, &mut |program, commands, path| {
        let library = Library::new(place());
        let mut notes = 0;
        let mut names = (Names::of(program), Names::of(&library.place));
        for command in commands {
            // Moments of two commands are not the same one, here as there.
            std::thread::sleep(Duration::from_millis(2));
            let at = format!("{path}:{}: {:?}", command.line, command.words);
            let here = by_the_program(program, command);
            let there = library.answer(command);
            if there.is_some() {
                called.insert(command.words[0].clone());
            }
            told.insert(command.words[0].clone());
            // What no call does is done on the command line there, too.
            let there = there.unwrap_or_else(|| by_the_program(&library.place, command));
            let verb = command.words[0].as_str();
            let noting = ["scope", "goto", "note", "insight", "fork", "rejoin"];
            notes += i64::from(noting.contains(&verb));
            alike::check(&mut names, (here, there), notes, &at);
        }
        if let Some(there) = library.log() {
            let words = ["log", "--after", "0", "--limit", "1000", "--json"];
            alike::check(&mut names, (program.json(&words), there), notes, path);
        }
    });
    assert!(told.len() >= 15, "the stories tell of {told:?} alone");
    assert_eq!(told, called, "some verbs are told by the program alone");
}

/// A command's result, or its error.
fn by_the_program(place: &Place, command: &Command) -> Value {
    let mut words = vec!["--json"];
    words.extend(command.words.iter().map(String::as_str));
    let ran = place.run_with(&words, command.input.as_bytes());
    assert_eq!(ran.code, command.code, "{words:?}: {ran:?}");
    let mut envelope: Value = serde_json::from_str(&ran.out).unwrap();
    match envelope["error"].take() {
        Value::Null => json!({"result": envelope["result"].take()}),
        error => json!({"error": error}),
    }
}
