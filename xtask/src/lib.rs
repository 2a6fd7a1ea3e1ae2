//! What `cargo xtask`, the benches and the fault suites share: the working tree, other programs
//! and a private PostgreSQL server. No database driver: CI builds this first.

pub mod postgres;
pub mod process;
pub mod tree;

/// What a command answers: nothing, or in one line why it failed.
pub type Outcome = Result<(), String>;

/// Runs a program's one entry point with its arguments, and prints why it failed.
pub fn main_with(run: fn(&[String]) -> Outcome) -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            std::process::ExitCode::FAILURE
        }
    }
}
