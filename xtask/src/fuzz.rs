//! `cargo xtask fuzz [TARGET...] [--seconds N]`: builds the targets of `fuzz/`, which is outside
//! the workspace, and runs each on its committed corpus and on mutations of it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use xtask::process::{cargo, command, output, run as run_command};
use xtask::{Outcome, tree};

/// Seconds for each target without `--seconds`.
const SECONDS: u64 = 10;

/// Seconds for each target in CI.
const SECONDS_CI: u64 = 3;

/// An input that takes more seconds or more MiB of memory is a finding.
const INPUT_SECONDS_MAX: u64 = 10;
const MEMORY_MIB_MAX: u64 = 2_048;

/// Compiler flags that libFuzzer needs to measure coverage.
const FLAGS: [&str; 6] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

pub fn run(arguments: &[String]) -> Outcome {
    let root = tree::root();
    let all = targets(&root)?;
    let (chosen, seconds) = parse(arguments, &all)?;
    fuzz(&root, &chosen, seconds)
}

/// Runs every target for a few seconds, as CI does.
pub fn run_bounded() -> Outcome {
    let root = tree::root();
    fuzz(&root, &targets(&root)?, SECONDS_CI)
}

/// Returns the names of the targets: one file each.
fn targets(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("fuzz/src/bin");
    let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

fn parse(arguments: &[String], all: &[String]) -> Result<(Vec<String>, u64), String> {
    let mut chosen = Vec::new();
    let mut seconds = SECONDS;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "--seconds" {
            let value = words.next().map_or("", String::as_str);
            let given: Option<u64> = value.parse().ok();
            seconds = given.filter(|n| *n > 0).ok_or_else(|| {
                format!("invalid value {value:?} for --seconds: expected a whole number above 0")
            })?;
        } else if all.contains(word) {
            chosen.push(word.clone());
        } else {
            return Err(format!("unknown target {word:?}: expected one of {}", all.join(", ")));
        }
    }
    Ok((if chosen.is_empty() { all.to_vec() } else { chosen }, seconds))
}

fn fuzz(root: &Path, chosen: &[String], seconds: u64) -> Outcome {
    let host = host()?;
    let built = tree::target(root).join("fuzz");
    build(&host, &built, chosen)?;
    println!("{:<18} {:>7} {:>12} {:>9}  result", "target", "seconds", "runs", "coverage");
    let mut findings = Vec::new();
    for name in chosen {
        let binary = built.join(&host).join("release").join(name);
        let (result, line) = run_target(root, &built, &binary, name, seconds)?;
        println!("{line}");
        findings.extend(result);
    }
    match findings.as_slice() {
        [] => Ok(()),
        findings => Err(format!("fuzz: {}", findings.join("\n"))),
    }
}

/// Returns the machine's target triple. With an explicit target, cargo does not pass the flags to
/// build scripts.
fn host() -> Result<String, String> {
    let mut rustc = command("rustc");
    rustc.arg("-vV");
    let text = output(rustc)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or_else(|| "cannot read the host from `rustc -vV`".to_string())
}

fn build(host: &str, built: &Path, chosen: &[String]) -> Outcome {
    let mut cargo = cargo(&["build", "--release", "--locked", "--target", host]);
    cargo.args(["--manifest-path", "fuzz/Cargo.toml"]);
    for name in chosen {
        cargo.args(["--bin", name]);
    }
    // The flags are unstable, so they apply to this build alone.
    cargo.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", built);
    cargo.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"));
    run_command(cargo)
}

/// Runs one target. Returns the finding, if any, and the line of the table.
fn run_target(
    root: &Path,
    built: &Path,
    binary: &Path,
    name: &str,
    seconds: u64,
) -> Result<(Option<String>, String), String> {
    // libFuzzer writes new inputs into the first folder; the committed corpus does not change.
    let grown = built.join("corpus").join(name);
    let found = built.join("findings");
    for folder in [&grown, &found] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut fuzzer = Command::new(binary);
    fuzzer.arg(format!("-max_total_time={seconds}"));
    fuzzer.arg(format!("-timeout={INPUT_SECONDS_MAX}"));
    fuzzer.arg(format!("-rss_limit_mb={MEMORY_MIB_MAX}"));
    fuzzer.arg(format!("-artifact_prefix={}/{name}-", found.display()));
    fuzzer.arg("-print_final_stats=1").arg(&grown);
    fuzzer.args(Some(root.join("fuzz/corpus").join(name)).filter(|kept| kept.is_dir()));
    let begun = Instant::now();
    let fail = |error| format!("cannot start {name}: {error}");
    let output = fuzzer.current_dir(root).output().map_err(fail)?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let (runs, coverage) =
        (last_number(&stderr, "stat::number_of_executed_units:"), last_number(&stderr, "cov:"));
    let good = output.status.success();
    let result = if good { "nothing found" } else { "FOUND" };
    let took = begun.elapsed().as_secs();
    let line = format!("{name:<18} {took:>7} {runs:>12} {coverage:>9}  {result}");
    let finding = (!good).then(|| {
        let patterns = ["panicked at", "ERROR: libFuzzer", "Test unit written to"];
        let mut lines = stderr.lines().peekable();
        let mut report = Vec::new();
        while let Some(line) = lines.next() {
            if patterns.iter().any(|words| line.contains(words)) {
                report.push(line.to_string());
                report
                    .extend(lines.peek().filter(|_| line.ends_with(':')).map(ToString::to_string));
            }
        }
        format!("{name} failed: {}\n{}", output.status, report.join("\n"))
    });
    Ok((finding, line))
}

/// Returns the last number that follows a word.
fn last_number(text: &str, word: &str) -> u64 {
    let after = text.rsplit_once(word).map_or("", |(_, after)| after);
    after.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{SECONDS, last_number, parse, targets};
    use xtask::tree;

    #[test]
    fn targets_are_selected_by_name() {
        let all: Vec<String> = ["a", "b"].map(str::to_string).to_vec();
        let words = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(parse(&[], &all), Ok((all.clone(), SECONDS)));
        assert_eq!(parse(&words(&["b", "--seconds", "7"]), &all), Ok((words(&["b"]), 7)));
        assert!(parse(&words(&["c"]), &all).unwrap_err().contains("a, b"));
        assert!(parse(&words(&["--seconds", "soon"]), &all).is_err());
    }

    #[test]
    fn every_target_has_a_corpus_and_every_corpus_has_a_target() {
        let root = tree::root();
        let all = targets(&root).unwrap();
        assert!(all.len() >= 10, "{all:?}");
        let folders = std::fs::read_dir(root.join("fuzz/corpus")).unwrap();
        let mut kept: Vec<_> =
            folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        kept.sort();
        assert_eq!(kept, all);
    }

    #[test]
    fn the_last_number_after_a_word_is_read() {
        let stderr =
            "#2 INITED cov: 12 ft: 13\n#9 DONE cov: 40 ft: 99\nstat::number_of_executed_units: 9\n";
        assert_eq!(last_number(stderr, "cov:"), 40);
        assert_eq!(last_number(stderr, "stat::number_of_executed_units:"), 9);
        assert_eq!(last_number(stderr, "nothing:"), 0);
    }
}
