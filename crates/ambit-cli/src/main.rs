//! The binary `ambit`: parse, run, answer, exit code.

mod bars;
mod cli;
mod demo;
mod failure;
mod help;
mod output;
mod progress;
mod session;
mod verbs;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let wants_json = arguments.iter().any(|argument| argument == "--json");
    let cli = match cli::parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error, wants_json),
    };
    let session = session::Session::new(&cli.globals, |name| std::env::var(name).ok());
    match cli.verb.run(&session) {
        Ok(output) => output.print(&session),
        Err(failure) => failure.print(&session),
    }
}
