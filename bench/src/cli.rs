//! Measures the program from start to exit, as a shell calls it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Line, median, micros};

pub fn run(folder: &Path) -> Vec<Line> {
    let Some(program) = program() else {
        eprintln!("cannot measure the program: not built; run `cargo build --release`");
        return Vec::new();
    };
    let run = |arguments: &[&str]| {
        let status = Command::new(&program)
            .args(arguments)
            .current_dir(folder)
            .stdout(Stdio::null())
            .status()
            .expect("the program");
        assert!(status.success(), "{arguments:?}");
    };
    run(&["init"]);
    run(&["append", "--role", "user", "the first"]);
    let (mut places, mut appends) = (Vec::new(), Vec::new());
    for round in 0..100 {
        places.push(micros(|| run(&["where"])));
        let text = format!("message {round}");
        appends.push(micros(|| run(&["append", "--role", "user", &text])));
    }
    vec![
        Line::below_ms("ambit where, start to exit", median(&mut places) / 1e3, 15.0),
        Line::below_ms("ambit append, start to exit", median(&mut appends) / 1e3, 30.0),
    ]
}

/// Returns the path of the release build in the folder of this executable.
pub fn program() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let program = own.with_file_name("ambit");
    program.is_file().then_some(program)
}
