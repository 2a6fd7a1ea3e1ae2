//! Shared by `cargo xtask`, the benches and the fault suites: the working tree, child processes and
//! a private PostgreSQL server. It uses no database driver, because CI builds it first.

pub mod postgres;
pub mod process;
pub mod tree;

/// The result of a command; the error says why it failed.
pub type Outcome = Result<(), String>;

/// Runs `run` with the program's arguments and prints its error.
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
