//! Running other programs: always from the workspace's root, and never with the caller's own
//! `AMBIT_*` settings, so that a check gives the same result for everyone.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::Outcome;
use crate::tree;

/// The folder of recorded sessions that some tests read where it is there, and the server that
/// others need: where things are. And how often to try what is tried by chance.
const KEPT: [&str; 3] = ["AMBIT_TRACES", "AMBIT_TAMPER_TRIES", crate::postgres::VARIABLE];

pub fn is_cleared(variable: &str) -> bool {
    variable.starts_with("AMBIT_") && !KEPT.contains(&variable)
}

/// What cargo tells a package that it runs. Build scripts that look at it would run anew, and with
/// them all that stands on them, whenever cargo is called from here and by hand in turns.
fn is_ours(variable: &str) -> bool {
    variable.starts_with("CARGO_PKG_") || variable.starts_with("CARGO_MANIFEST_")
}

/// Cargo, as the one that started us.
pub fn cargo(arguments: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = command(&program.to_string_lossy());
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_ours) {
            command.env_remove(name);
        }
    }
    command.args(arguments);
    command
}

pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(tree::root());
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_cleared) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs it with its output passed through.
pub fn run(mut command: Command) -> Outcome {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{}` ended with {status}", shown(&command))),
        Err(error) => Err(format!("`{}` could not be started: {error}", shown(&command))),
    }
}

/// What it prints, where it succeeds.
pub fn output(mut command: Command) -> Result<String, String> {
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => return Err(format!("`{}` could not be started: {error}", shown(&command))),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
        return Err(format!("`{}` ended with {}: {last}", shown(&command), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs it for so long at most, in a group of its own: what it has started ends with it.
pub fn bounded(mut command: Command, seconds: u64) -> Result<Output, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let name = shown(&command);
    let child = command.process_group(0).spawn();
    let child = child.map_err(|error| format!("`{name}` could not be started: {error}"))?;
    let group = group(&child)?;
    let (done, ended) = mpsc::channel();
    std::thread::spawn(move || done.send(child.wait_with_output()));
    match ended.recv_timeout(Duration::from_secs(seconds)) {
        Ok(output) => output.map_err(|error| format!("`{name}`: {error}")),
        Err(_) => {
            let _ = kill_process_group(group, Signal::KILL);
            Err(format!("`{name}` did not end within {seconds} s"))
        }
    }
}

/// The group of a process that has one of its own.
pub fn group(child: &Child) -> Result<Pid, String> {
    let number = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    number.ok_or_else(|| "a process without a number".to_string())
}

/// Whether cargo has a subcommand.
pub fn has(subcommand: &str) -> bool {
    let mut command = cargo(&[subcommand, "--version"]);
    command.output().is_ok_and(|output| output.status.success())
}

/// Builds a program, named by cargo's arguments, and copies it.
pub fn build(target: &[&str], to: &Path) -> Outcome {
    let mut build = cargo(&["build", "--quiet", "--locked"]);
    build.args(target);
    // Its messages name the file that it made, wherever that is.
    build.args(["--message-format", "json-render-diagnostics"]);
    let told = output(build)?;
    let mut programs = told.lines().filter_map(|line| {
        let (_, rest) = line.split_once("\"executable\":\"")?;
        rest.split('"').next()
    });
    let from = programs.next_back().ok_or("cargo did not say where the program is")?;
    std::fs::copy(from, to).map(drop).map_err(|error| format!("{from}: {error}"))
}

fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let program = program.file_name().unwrap_or(command.get_program());
    let mut words = vec![program.to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| word.to_string_lossy().into_owned()));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{bounded, cargo, command, has, is_cleared, shown};

    #[test]
    fn what_is_set_is_not_heeded_but_for_where_things_are() {
        assert!(is_cleared("AMBIT_STORE") && is_cleared("AMBIT_"));
        assert!(!is_cleared("AMBIT_TRACES") && !is_cleared("AMBIT_TEST_POSTGRES"));
        assert!(!is_cleared("PATH"));
    }

    #[test]
    fn a_tool_that_is_not_there_is_seen() {
        assert!(!has("no-such-subcommand"));
    }

    #[test]
    fn what_takes_too_long_is_ended() {
        let mut sleep = command("sleep");
        sleep.arg("600");
        assert!(bounded(sleep, 1).unwrap_err().contains("`sleep 600` did not end within 1 s"));
        assert!(bounded(command("true"), 60).unwrap().status.success());
    }

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let text = shown(&cargo(&["fmt", "--all"]));
        assert!(text.ends_with("fmt --all") && !text.contains('/'), "{text}");
    }
}
