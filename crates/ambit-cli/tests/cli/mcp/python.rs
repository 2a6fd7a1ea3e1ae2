//! The example in Python, run as people would run it.

use std::process::Command;

use crate::place::Place;

/// The loop of examples/python/agent_loop.py around a model that follows a script.
#[test]
fn the_loop_in_python_works_in_scopes() {
    let place = Place::new();
    std::fs::write(place.path().join("config.py"), "SESSION_SECONDS = 1\n").unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/agent_loop.py");
    let mut command = Command::new("python3");
    command.current_dir(place.path());
    for name in ["AMBIT_STORE", "AMBIT_VAULT", "AMBIT_ACTOR", "AMBIT_SCOPE"] {
        command.env_remove(name);
    }
    command.args([script, "--scripted", "--ambit", env!("CARGO_BIN_EXE_ambit")]);
    command.arg("why does login time out?");
    let ran = match command.output() {
        Ok(ran) => ran,
        Err(error) if std::env::var_os("CI").is_none() => {
            eprintln!("NOT RUN: python3 is missing ({error})");
            return;
        }
        Err(error) => panic!("python3 is missing: {error}"),
    };
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{out}{err}");
    assert!(out.contains("The session lasts 1 s; it should last 3600 s."), "{out}{err}");
    let scopes = place.json(&["scopes"]);
    let names: Vec<_> = scopes["scopes"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["main", "look"]);
    let notes = place.json(&["notes", "main"]);
    let notes: Vec<_> = notes["notes"].as_array().unwrap().iter().collect();
    assert_eq!(notes[0]["message"], "[→ look] Looking into the timeout");
    assert!(notes[1]["message"].as_str().unwrap().starts_with("[← look] config.py"), "{notes:?}");
    assert_eq!((notes.len(), &notes[0]["author"]), (2, &"python-agent".into()));
    place.head();
}
