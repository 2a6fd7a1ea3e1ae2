//! `cargo xtask test`: all tests, with a private PostgreSQL server for those that need one.

use xtask::Outcome;
use xtask::postgres::{Cluster, VARIABLE};
use xtask::process::{self, cargo};

/// Runs all tests, by nextest where it is installed, or those of the packages named. Arguments are
/// the runner's.
pub fn run(arguments: &[String]) -> Outcome {
    let runner: &[&str] = match process::has("nextest") {
        true => &["nextest", "run", "--locked"],
        false => &["test", "--all-targets", "--locked"],
    };
    let cluster = Cluster::start()?;
    let mut tests = cargo(runner);
    if !names_packages(arguments) {
        tests.arg("--workspace");
    }
    tests.args(arguments).env(VARIABLE, cluster.address());
    process::run(tests)
}

fn names_packages(arguments: &[String]) -> bool {
    arguments.iter().any(|word| word.starts_with("-p") || word.starts_with("--package"))
}

/// As CI runs them: every failure is shown, and again at the end. Only nextest knows profiles.
pub fn run_all() -> Outcome {
    let profile: &[&str] = if process::has("nextest") { &["--profile", "ci"] } else { &[] };
    run(&profile.iter().map(ToString::to_string).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::names_packages;

    #[test]
    fn packages_are_seen_however_they_are_named() {
        let named = |word: &str| names_packages(&["keys".to_string(), word.to_string()]);
        assert!(named("-p") && named("-pambit") && named("--package=ambit"));
        assert!(!named("--profile") && !named("package"));
    }
}
