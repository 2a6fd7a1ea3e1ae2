//! `cargo xtask test`: runs all tests with a private PostgreSQL server.

use xtask::Outcome;
use xtask::postgres::{Cluster, VARIABLE};
use xtask::process::{self, cargo};

/// Runs all tests, or those of the named packages, with nextest if it is installed. Arguments go to
/// the runner.
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

/// Runs all tests with the CI profile, which nextest alone supports.
pub fn run_all() -> Outcome {
    let profile: &[&str] = if process::has("nextest") { &["--profile", "ci"] } else { &[] };
    run(&profile.iter().map(ToString::to_string).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::names_packages;

    #[test]
    fn every_spelling_of_the_package_option_is_recognised() {
        let named = |word: &str| names_packages(&["keys".to_string(), word.to_string()]);
        assert!(named("-p") && named("-pambit") && named("--package=ambit"));
        assert!(!named("--profile") && !named("package"));
    }
}
