//! Runs the official Python SDK against `ambit mcp`: the worked example, every tool, resource and
//! prompt, with a handshake and without one. The script is `xtask/conformance/client.py`.

use std::path::Path;
use std::process::Command;

use super::{Tally, Testbed, output_within};
use xtask::process::{bounded, command};
use xtask::{Outcome, tree};

const PACKAGE: &str = "mcp==2.3.0";

/// The oldest Python that the package supports.
const PYTHON_MIN: (u32, u32) = (3, 10);

const INSTALL_SECONDS_MAX: u64 = 180;
const RUN_SECONDS_MAX: u64 = 60;

/// How the SDK connects: without a handshake if possible, and with one.
const MODES: [&str; 2] = ["auto", "legacy"];

pub fn run(testbed: &Testbed, tally: &mut Tally) -> Outcome {
    let folder = testbed.install("python", &[PACKAGE.to_string()], install)?;
    let python = folder.join("bin/python");
    let script = tree::root().join("xtask/conformance/client.py");
    for mode in MODES {
        let store = testbed.store(&format!("python-{mode}"))?;
        let mut client = command(&python.to_string_lossy());
        client.arg(&script).arg(&testbed.program).arg(&store).arg(mode);
        // Keeps Python from writing bytecode files into the tree.
        client.env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONUTF8", "1");
        let output = bounded(client, RUN_SECONDS_MAX)?;
        let (stdout, failed) = (String::from_utf8_lossy(&output.stdout), tally.failed);
        for line in stdout.lines() {
            match line.split_once("  ").map(|(word, what)| (word, what.trim_start())) {
                Some(("ok", what)) => tally.pass(&format!("{mode}: {what}")),
                Some(("FAILED", what)) => tally.fail(mode, what),
                _ => tally.print(line),
            }
        }
        if !output.status.success() && tally.failed == failed {
            let stderr = String::from_utf8_lossy(&output.stderr);
            tally.fail(mode, &format!("the client failed: {}\n{stderr}", output.status));
        }
    }
    Ok(())
}

/// Creates a virtual environment without pip and installs into it from outside: on Debian, one with
/// pip needs another system package.
fn install(folder: &Path) -> Outcome {
    let python = python()?;
    let run = |arguments: &[&str]| {
        let mut python = command(&python);
        python.args(arguments);
        python
    };
    let path = folder.to_string_lossy();
    output_within(run(&["-m", "venv", "--without-pip", &path]), INSTALL_SECONDS_MAX)
        .map_err(|why| format!("cannot create a virtual environment: {why}"))?;
    output_within(run(&["-m", "pip", "--version"]), INSTALL_SECONDS_MAX)
        .map_err(|_| "cannot run pip: install it (Debian: `apt-get install python3-pip`)")?;
    let inner = folder.join("bin/python");
    let mut pip = run(&["-m", "pip", "--python", &inner.to_string_lossy(), "install"]);
    pip.args(["--quiet", "--disable-pip-version-check", "--timeout", "15", "--retries", "2"]);
    pip.arg(PACKAGE);
    output_within(pip, INSTALL_SECONDS_MAX)
        .map(drop)
        .map_err(|why| format!("pip failed to install {PACKAGE}: {why}"))
}

/// Returns the machine's Python if it is recent enough.
fn python() -> Result<String, String> {
    let (major, minor) = PYTHON_MIN;
    let hint = format!("install Python {major}.{minor} or later, as `python3` on the path");
    let mut version_command: Command = command("python3");
    version_command.args(["-c", "import sys; print('%d.%d' % sys.version_info[:2])"]);
    let printed = output_within(version_command, RUN_SECONDS_MAX)
        .map_err(|why| format!("cannot run Python: {why}; {hint}"))?;
    match version(&printed) {
        Some(version) if version >= PYTHON_MIN => Ok("python3".to_string()),
        _ => Err(format!("Python {} is too old; {hint}", printed.trim())),
    }
}

fn version(printed: &str) -> Option<(u32, u32)> {
    let (major, minor) = printed.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{PYTHON_MIN, version};

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(version("3.11\n").unwrap() >= PYTHON_MIN);
        assert!(version("3.9").unwrap() < PYTHON_MIN);
        assert_eq!(version("three"), None);
    }
}
