//! The binary `ambit`: parse, run, answer, exit code.

mod cli;
mod completions;
mod demo;
mod help;
mod man;
mod mcp;
mod output;
mod progress;
mod session;

use std::process::ExitCode;
use std::sync::Arc;

use ambit_verbs::guarded;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if completions::answered(&arguments) {
        return ExitCode::SUCCESS;
    }
    let wants_json = arguments.iter().any(|argument| argument == "--json");
    let cli = match cli::parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error, &arguments, wants_json),
    };
    // The demo is the same everywhere: it ignores AMBIT_* variables.
    let used = |name: &str| !(cli.is_demo() && name.starts_with("AMBIT_"));
    let env = |name: &str| std::env::var_os(name).filter(|_| used(name));
    let bars = Arc::default();
    let session = match session::new(&cli.globals, &bars, env) {
        Ok(session) => session,
        Err(failure) => return output::failure(&failure, None, wants_json),
    };
    let ran = guarded(|| cli.run(&session));
    bars.clear();
    match ran {
        Ok(Some(answer)) => {
            let code = output::answer(&answer, &session);
            if cli.shows_scopes() {
                output::active_scopes(&session);
            }
            code
        }
        Ok(None) => ExitCode::SUCCESS,
        Err(failure) => output::failure(&failure, Some(&session.actor), session.json),
    }
}
