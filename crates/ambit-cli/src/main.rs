//! The binary `ambit`: parse, run, answer, exit code.

mod bars;
mod cli;
mod demo;
mod failure;
mod help;
mod html;
mod mcp;
mod output;
mod progress;
mod session;
mod verbs;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if verbs::completions::answered(&arguments) {
        return ExitCode::SUCCESS;
    }
    let wants_json = arguments.iter().any(|argument| argument == "--json");
    let cli = match cli::parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error, &arguments, wants_json),
    };
    // The demo is the same everywhere: it heeds nothing that is set for Ambit.
    let heeded = |name: &str| !(cli.verb.is_demo() && name.starts_with("AMBIT_"));
    let env = |name: &str| std::env::var_os(name).filter(|_| heeded(name));
    let session = match session::Session::new(&cli.globals, env) {
        Ok(session) => session,
        Err(failure) => return failure.print_alone(wants_json),
    };
    match failure::guarded(|| cli.verb.run(&session)) {
        Ok(output) => {
            let code = output.print(&session);
            if cli.verb.stands_in_scopes() {
                output::print_stands(&session);
            }
            code
        }
        Err(failure) => failure.print(&session),
    }
}
