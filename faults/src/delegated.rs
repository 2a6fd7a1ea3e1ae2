//! `million`, `invariants`, `frames`, `determinism`: run benches and tests of other packages, with
//! a chosen number of rounds.

use std::process::Command;
use std::time::Instant;

use indicatif::ProgressBar;

use super::table::Row;
use super::testbed::Testbed;
use xtask::postgres::VARIABLE;
use xtask::process::{self, cargo};

/// Sets the number of random scripts that the tests run.
const RUNS: &str = "AMBIT_PROPERTY_RUNS";

/// Measures cost against that at 1,000 events, replay, rebuild and verify.
pub fn million(_: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    let sizes = format!("1000,{}", rounds.max(2_000));
    let arguments = ["run", "--quiet", "--locked", "--package", "xtask", "--", "bench", "store"];
    let mut bench = cargo(&arguments);
    bench.args(["sqlite", "postgres", "--events", &sizes]);
    Ok(vec![run_command("million", rounds, bench, bar)])
}

pub fn invariants(testbed: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    scripts(testbed, ("invariants", "conversation::"), rounds, bar)
}

/// Checks the 26 invariants of frames and views after every step.
pub fn frames(testbed: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    scripts(testbed, ("frames", "frames::"), rounds, bar)
}

fn scripts(
    testbed: &Testbed,
    (name, filter): (&str, &str),
    rounds: u64,
    bar: &ProgressBar,
) -> Result<Vec<Row>, String> {
    let arguments = ["test", "--quiet", "--locked", "--package", "ambit", "--test", "properties"];
    let mut tests = cargo(&arguments);
    tests.arg(filter).env(RUNS, rounds.to_string()).env(VARIABLE, testbed.cluster()?.address());
    Ok(vec![run_command(name, rounds, tests, bar)])
}

/// Runs the contract suite, which compares rows with the log, and the tests of exports across
/// databases.
pub fn determinism(testbed: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (name, arguments) in [
        ("determinism, the contract", ["--package", "ambit-store", "--test", "contract"]),
        ("determinism, exports", ["--package", "ambit", "--test", "transfer"]),
    ] {
        let mut tests = cargo(&["test", "--quiet", "--locked"]);
        tests.args(arguments).env(VARIABLE, testbed.cluster()?.address());
        rows.push(run_command(name, rounds, tests, bar));
    }
    Ok(rows)
}

/// Runs a command; its exit status is the verdict.
fn run_command(name: &str, rounds: u64, command: Command, bar: &ProgressBar) -> Row {
    let mut row = Row::new(name);
    row.rounds = rounds;
    bar.enable_steady_tick(std::time::Duration::from_millis(120));
    let begun = Instant::now();
    if let Err(why) = bar.suspend(|| process::run(command)) {
        row.fault(why);
    }
    row.took(begun.elapsed());
    row
}
