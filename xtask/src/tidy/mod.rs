//! `cargo xtask tidy`: checks the house rules. Every check is a pure function from files to
//! findings, so that tests can give it bad examples.

mod dead;
mod layers;
mod leftovers;
mod lumped;
mod modules;
mod names;
mod packages;
mod plain;
mod pure;
mod size;
mod words;

use std::fmt;

use packages::Package;
use xtask::Outcome;
use xtask::tree::{self, File};

/// One violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub path: String,
    pub line: usize,
    pub what: String,
    pub why: String,
}

impl Finding {
    pub fn new(file: &File, line: usize, what: impl Into<String>, why: impl Into<String>) -> Self {
        Finding { path: file.path.clone(), line, what: what.into(), why: why.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.what, self.why)
    }
}

type Check = fn(&[File]) -> Vec<Finding>;

const CHECKS: &[Check] = &[
    pure::check,
    size::check,
    leftovers::check,
    lumped::check,
    names::check,
    plain::check,
    words::check,
];

/// Runs all checks and returns the findings by path and line.
pub fn check(files: &[File], packages: &[Package]) -> Vec<Finding> {
    let mut findings = layers::check(files, packages);
    findings.extend(dead::check(files, packages));
    findings.extend(CHECKS.iter().flat_map(|check| check(files)));
    findings.sort();
    findings
}

pub fn run(arguments: &[String]) -> Outcome {
    if let Some(word) = arguments.first() {
        return Err(format!("unexpected argument {word:?}: tidy takes none"));
    }
    let root = tree::root();
    let files = tree::read(&root)?;
    let findings = check(&files, &packages::read(&root)?);
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => {
            println!("tidy: {} files, no findings", files.len());
            Ok(())
        }
        1 => Err("tidy: 1 finding".to_string()),
        n => Err(format!("tidy: {n} findings")),
    }
}

#[cfg(test)]
mod tests {
    use super::packages::read;
    use super::{Finding, check};
    use xtask::tree::{self, File};

    #[test]
    fn a_finding_is_one_line() {
        let finding = Finding::new(&File::new("a/b.rs", ""), 7, "what", "why");
        assert_eq!(finding.to_string(), "a/b.rs:7: what: why");
    }

    #[test]
    fn this_tree_is_tidy() {
        let root = tree::root();
        let findings = check(&tree::read(&root).unwrap(), &read(&root).unwrap());
        let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
        assert!(lines.is_empty(), "`cargo xtask tidy` reports:\n{}", lines.join("\n"));
    }
}
