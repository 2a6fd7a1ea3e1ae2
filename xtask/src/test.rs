//! `cargo xtask test`: all tests, with a private PostgreSQL server for those that need one.

use crate::Outcome;
use crate::postgres::{Cluster, VARIABLE};
use crate::process::{self, cargo};

/// Runs all tests, by nextest where it is installed. Arguments are the runner's.
pub fn run(arguments: &[String]) -> Outcome {
    let runner: &[&str] = match process::has("nextest") {
        true => &["nextest", "run", "--workspace", "--locked"],
        false => &["test", "--workspace", "--all-targets", "--locked"],
    };
    let cluster = Cluster::start()?;
    let mut tests = cargo(runner);
    tests.args(arguments).env(VARIABLE, cluster.address());
    process::run(tests)
}

/// As CI runs them: every failure is shown, and again at the end. Only nextest knows profiles.
pub fn run_all() -> Outcome {
    let profile: &[&str] = if process::has("nextest") { &["--profile", "ci"] } else { &[] };
    run(&profile.iter().map(ToString::to_string).collect::<Vec<_>>())
}
