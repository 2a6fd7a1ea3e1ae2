//! Runs other programs from the workspace's root and without the caller's `AMBIT_*` variables, so
//! that a check gives the same result for everyone.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::Outcome;
use crate::tree;

/// `AMBIT_*` variables that are passed on: the folder of recorded sessions that some tests read,
/// the number of random attempts, and the address of the server.
const PASSED_ON: [&str; 3] = ["AMBIT_TRACES", "AMBIT_TAMPER_TRIES", crate::postgres::VARIABLE];

pub fn is_cleared(variable: &str) -> bool {
    variable.starts_with("AMBIT_") && !PASSED_ON.contains(&variable)
}

/// Whether cargo sets a variable for the package that it runs. If a nested cargo inherited these,
/// build scripts that read them, and all dependents, would be rebuilt whenever cargo is called
/// alternately from here and by hand.
fn is_set_by_cargo(variable: &str) -> bool {
    variable.starts_with("CARGO_PKG_") || variable.starts_with("CARGO_MANIFEST_")
}

/// Returns a command for the cargo that started this process.
pub fn cargo(arguments: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = command(&program.to_string_lossy());
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_set_by_cargo) {
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

/// Runs a command with its output passed through.
pub fn run(mut command: Command) -> Outcome {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{}` failed: {status}", shown(&command))),
        Err(error) => Err(format!("cannot start `{}`: {error}", shown(&command))),
    }
}

/// Runs a command and returns its output; fails if the command fails.
pub fn output(mut command: Command) -> Result<String, String> {
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => return Err(format!("cannot start `{}`: {error}", shown(&command))),
    };
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let last = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
        return Err(format!("`{}` failed: {}: {last}", shown(&command), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command with a time limit, in its own process group, so that a kill includes its
/// children.
pub fn bounded(mut command: Command, seconds: u64) -> Result<Output, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let name = shown(&command);
    let child = command.process_group(0).spawn();
    let child = child.map_err(|error| format!("cannot start `{name}`: {error}"))?;
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

/// Returns the process group of a child that was started in its own group.
pub fn group(child: &Child) -> Result<Pid, String> {
    let number = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    number.ok_or_else(|| "invalid process id".to_string())
}

/// Whether cargo has a subcommand.
pub fn has(subcommand: &str) -> bool {
    let mut command = cargo(&[subcommand, "--version"]);
    command.output().is_ok_and(|output| output.status.success())
}

/// Builds a program, selected by cargo's arguments, and copies it.
pub fn build(target: &[&str], to: &Path) -> Outcome {
    let from = built(target)?;
    std::fs::copy(&from, to).map(drop).map_err(|error| format!("{}: {error}", from.display()))
}

/// Builds a program, selected by cargo's arguments, and returns its path. It is built as a part of
/// the workspace: for a package alone, dependencies may have fewer features and be built again.
pub fn built(target: &[&str]) -> Result<PathBuf, String> {
    let mut build = cargo(&["build", "--quiet", "--locked", "--workspace"]);
    build.args(target);
    // Cargo's messages name the executable, wherever the target folder is.
    build.args(["--message-format", "json-render-diagnostics"]);
    let messages = output(build)?;
    let mut programs = messages.lines().filter_map(|line| {
        let (_, rest) = line.split_once("\"executable\":\"")?;
        rest.split('"').next()
    });
    let path = programs.next_back().ok_or("cannot find the program: cargo named no executable")?;
    Ok(path.into())
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
    fn ambit_variables_are_cleared_except_those_passed_on() {
        assert!(is_cleared("AMBIT_STORE") && is_cleared("AMBIT_"));
        assert!(!is_cleared("AMBIT_TRACES") && !is_cleared("AMBIT_TEST_POSTGRES"));
        assert!(!is_cleared("PATH"));
    }

    #[test]
    fn a_missing_subcommand_is_detected() {
        assert!(!has("no-such-subcommand"));
    }

    #[test]
    fn a_command_over_its_time_limit_is_killed() {
        let mut sleep = command("sleep");
        sleep.arg("600");
        assert!(bounded(sleep, 1).unwrap_err().contains("`sleep 600` did not end within 1 s"));
        assert!(bounded(command("true"), 60).unwrap().status.success());
    }

    #[test]
    fn a_command_is_shown_as_typed_in_a_shell() {
        let text = shown(&cargo(&["fmt", "--all"]));
        assert!(text.ends_with("fmt --all") && !text.contains('/'), "{text}");
    }
}
