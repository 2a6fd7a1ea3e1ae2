//! `million`, `invariants`, `determinism`: lines of the table that other commands show. Here they
//! are run at a size of one's choice.

use std::process::Command;
use std::time::Instant;

use indicatif::ProgressBar;

use super::ground::Ground;
use super::table::Row;
use xtask::postgres::VARIABLE;
use xtask::process::{self, cargo};

/// What names random scripts' number to the tests.
const RUNS: &str = "AMBIT_PROPERTY_RUNS";
const ATTENTION_RUNS: &str = "AMBIT_ATTENTION_SCRIPTS";

/// Cost against that at 1,000 events, folding, rebuild and verify.
pub fn million(_: &Ground, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    let sizes = format!("1000,{}", rounds.max(2_000));
    let arguments = ["run", "--quiet", "--locked", "--package", "xtask", "--", "bench", "store"];
    let mut bench = cargo(&arguments);
    bench.args(["sqlite", "postgres", "--events", &sizes]);
    Ok(vec![ran("million", rounds, bench, bar)])
}

pub fn invariants(ground: &Ground, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    Ok(vec![scripts(ground, ("invariants", "properties"), (RUNS, rounds), bar)?])
}

/// The 26 invariants of attention after every step.
pub fn attention(ground: &Ground, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    let suite = ("attention", "attention_properties");
    Ok(vec![scripts(ground, suite, (ATTENTION_RUNS, rounds), bar)?])
}

fn scripts(
    ground: &Ground,
    (name, suite): (&str, &str),
    (variable, rounds): (&str, u64),
    bar: &ProgressBar,
) -> Result<Row, String> {
    let mut tests = cargo(&["test", "--quiet", "--locked", "--package", "ambit", "--test", suite]);
    tests.env(variable, rounds.to_string()).env(VARIABLE, ground.cluster()?.address());
    Ok(ran(name, rounds, tests, bar))
}

/// Rows that follow from the log, by the contract suite; exports across databases, by all tests
/// that name them.
pub fn determinism(ground: &Ground, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (name, arguments) in [
        ("determinism, the contract", ["--package", "ambit-store", "--test", "contract"]),
        ("determinism, exports", ["--package", "ambit", "--test", "transfer"]),
    ] {
        let mut tests = cargo(&["test", "--quiet", "--locked"]);
        tests.args(arguments).env(VARIABLE, ground.cluster()?.address());
        rows.push(ran(name, rounds, tests, bar));
    }
    Ok(rows)
}

/// A command whose end is the verdict. What it says is shown where it fails.
fn ran(name: &str, rounds: u64, command: Command, bar: &ProgressBar) -> Row {
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
