//! The official Python SDK as a client: the worked example, every tool, resource and prompt, with
//! a handshake and without one. `xtask/conformance/client.py` is what it does.

use std::path::Path;
use std::process::Command;

use super::{Ground, Tally, said};
use xtask::process::{bounded, command};
use xtask::{Outcome, tree};

const PACKAGE: &str = "mcp==2.3.0";

/// The oldest Python that the package runs on.
const PYTHON_MIN: (u32, u32) = (3, 10);

const INSTALL_SECONDS_MAX: u64 = 180;
const RUN_SECONDS_MAX: u64 = 60;

/// How the SDK begins: without a handshake where there need be none, and with one.
const MODES: [&str; 2] = ["auto", "legacy"];

pub fn run(ground: &Ground, tally: &mut Tally) -> Outcome {
    let folder = ground.install("python", &[PACKAGE.to_string()], install)?;
    let python = folder.join("bin/python");
    let script = tree::root().join("xtask/conformance/client.py");
    for mode in MODES {
        let store = ground.store(&format!("python-{mode}"))?;
        let mut client = command(&python.to_string_lossy());
        client.arg(&script).arg(&ground.program).arg(&store).arg(mode);
        // No caches of compiled files in the tree.
        client.env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONUTF8", "1");
        let output = bounded(client, RUN_SECONDS_MAX)?;
        let (told, failed) = (String::from_utf8_lossy(&output.stdout), tally.failed);
        for line in told.lines() {
            match line.split_once("  ").map(|(word, what)| (word, what.trim_start())) {
                Some(("ok", what)) => tally.holds(&format!("{mode}: {what}")),
                Some(("FAILED", what)) => tally.fails(mode, what),
                _ => tally.says(line),
            }
        }
        if !output.status.success() && tally.failed == failed {
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            tally.fails(mode, &format!("the client ended with {}\n{told}", output.status));
        }
    }
    Ok(())
}

/// Without pip in it, and filled from outside: Debian's Python makes no other without a package of
/// its own.
fn install(folder: &Path) -> Outcome {
    let python = python()?;
    let run = |arguments: &[&str]| {
        let mut python = command(&python);
        python.args(arguments);
        python
    };
    let path = folder.to_string_lossy();
    said(run(&["-m", "venv", "--without-pip", &path]), INSTALL_SECONDS_MAX)
        .map_err(|why| format!("this Python makes no virtual environment: {why}"))?;
    said(run(&["-m", "pip", "--version"]), INSTALL_SECONDS_MAX).map_err(
        |_| "Python has no pip here; install it (Debian: `apt-get install python3-pip`)",
    )?;
    let inner = folder.join("bin/python");
    let mut pip = run(&["-m", "pip", "--python", &inner.to_string_lossy(), "install"]);
    pip.args(["--quiet", "--disable-pip-version-check", "--timeout", "15", "--retries", "2"]);
    pip.arg(PACKAGE);
    said(pip, INSTALL_SECONDS_MAX)
        .map(drop)
        .map_err(|why| format!("pip could not install {PACKAGE}: {why}"))
}

/// The Python of this machine, where it will do.
fn python() -> Result<String, String> {
    let (major, minor) = PYTHON_MIN;
    let hint = format!("install Python {major}.{minor} or later, as `python3` on the path");
    let mut asked: Command = command("python3");
    asked.args(["-c", "import sys; print('%d.%d' % sys.version_info[:2])"]);
    let told =
        said(asked, RUN_SECONDS_MAX).map_err(|why| format!("no Python here: {why}; {hint}"))?;
    match version(&told) {
        Some(version) if version >= PYTHON_MIN => Ok("python3".to_string()),
        _ => Err(format!("Python {} is too old; {hint}", told.trim())),
    }
}

fn version(told: &str) -> Option<(u32, u32)> {
    let (major, minor) = told.trim().split_once('.')?;
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
