//! Answers go out: the envelope with `--json`, tables and colours on a terminal, plain text in a
//! pipe.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use ambit::Kind;
use ambit_verbs::text::{clean, escaped, stands, style};
use ambit_verbs::{Envelope, Erased, Failure, Interface, Session};
use serde::Serialize;

/// Prints an answer.
pub fn answer(output: &Erased, session: &Session) -> ExitCode {
    let printed = if session.json {
        json(&Envelope::result(Some(&session.actor), &output.answer))
    } else if output.verbatim {
        write(&mut std::io::stdout().lock(), &output.text)
    } else {
        print(&output.text)
    };
    if !session.json {
        let _ = anstream::stderr().write_all(output.aside.as_bytes());
    }
    let alarm = output.alarm.or(printed.is_err().then_some(Kind::Store));
    alarm.map_or(ExitCode::SUCCESS, exit_code)
}

/// Prints a failure: in the envelope on standard output, or in words on standard error. The actor
/// is absent where it is not known yet.
pub fn failure(failure: &Failure, actor: Option<&str>, wants_json: bool) -> ExitCode {
    if wants_json {
        // The exit code reports the failure even if this write fails.
        let _ = json(&Envelope::error(actor, failure, Interface::CommandLine));
    } else {
        let (bold, red, off) = (style::BOLD, style::RED, style::OFF);
        let text = format!("{red}error:{off} {}\n", clean(&failure.message));
        let hint = format!("{bold}hint:{off} {}\n", clean(&failure.hint(Interface::CommandLine)));
        let _ = anstream::stderr().write_all((text + &hint).as_bytes());
    }
    exit_code(failure.kind)
}

/// Prints clap's message: help and version are answers, everything else is a usage error.
pub fn usage(error: &clap::Error, arguments: &[OsString], wants_json: bool) -> ExitCode {
    use clap::error::ErrorKind as E;
    if matches!(error.kind(), E::DisplayHelp | E::DisplayVersion) {
        let printed = print(&error.render().ansi().to_string());
        return printed.map_or(exit_code(Kind::Store), |()| ExitCode::SUCCESS);
    }
    let all = "`ambit --help` lists the verbs and their flags";
    if error.kind() == E::MissingSubcommand {
        // clap would list the hidden ones too.
        return failure(&Failure::usage("a verb is missing", all), None, wants_json);
    }
    let verb = crate::cli::verb_named(arguments);
    if wants_json {
        let text = error.render().to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        let message = first.trim_start_matches("error: ").trim();
        let hint = verb.map(|verb| format!("`ambit {verb} --help` lists what it takes"));
        return failure(&Failure::usage(message, hint.unwrap_or(all.into())), None, true);
    }
    let text = error.render();
    // The message quotes the input: styles are kept only if the input has no control characters.
    let plain = text.to_string();
    let text = if clean(&plain) == plain { text.ansi().to_string() } else { clean(&plain) };
    // Its last line says where help is: at the verb's own, where there is one.
    let text = match (verb, text.rsplit_once("--help")) {
        (Some(verb), Some((before, after))) => format!("{before}ambit {verb} --help{after}"),
        _ => text,
    };
    let _ = anstream::stderr().write_all(text.as_bytes());
    exit_code(Kind::Usage)
}

/// Prints the active scopes below an answer on a terminal. In a pipe the answer is all there is.
pub fn active_scopes(session: &Session) {
    if session.json || session.screen.is_none() {
        return;
    }
    // The verb is done: a read that fails here does not turn it into a failure.
    let here = session.engine().ok().and_then(|it| it.where_am_i(&session.caller()).ok());
    if let Some(here) = here {
        let stands = stands(here.primary_scope.as_deref(), &here.active_scopes);
        let _ = print(&format!("{}{}{}\n", style::DIM, stands.trim_end(), style::OFF));
    }
}

/// Returns the width of the terminal on standard output, 0 if unknown; `None` without a terminal.
pub fn screen() -> Option<u16> {
    let on_terminal = std::io::stdout().is_terminal();
    on_terminal.then(|| comfy_table::Table::new().width().unwrap_or(0))
}

fn json(envelope: &impl Serialize) -> std::io::Result<()> {
    let text = serde_json::to_string(envelope).unwrap_or_default();
    write(&mut std::io::stdout().lock(), &escaped(&text))
}

/// Writes to standard output. A reader that closed the pipe early has what it wanted: what was
/// stored stays stored, and the exit code is that of the command. Any other failure is reported.
fn print(text: &str) -> std::io::Result<()> {
    write(&mut anstream::stdout().lock(), text)
}

fn write(out: &mut impl Write, text: &str) -> std::io::Result<()> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(anstream::stderr(), "error: cannot write the answer: {error}");
            Err(error)
        }
        _ => Ok(()),
    }
}

fn exit_code(kind: Kind) -> ExitCode {
    ExitCode::from(ambit_verbs::exit_code(kind))
}
