//! Checks that the core and the crates below it use no clock, no randomness, no I/O and no async,
//! not even in tests: their results depend on their arguments alone.

use super::Finding;
use super::layers::PURE;
use crate::source::{Token, code};
use xtask::tree::File;

/// Modules of the standard library that are not pure.
const STD: [(&str, &str); 8] = [
    ("time", "a clock"),
    ("fs", "I/O"),
    ("io", "I/O"),
    ("net", "I/O"),
    ("os", "I/O"),
    ("env", "I/O"),
    ("process", "I/O"),
    ("thread", "concurrency"),
];

/// Names that are not pure, whatever their path.
const NAMES: [(&str, &str); 7] = [
    ("SystemTime", "a clock"),
    ("Instant", "a clock"),
    ("rand", "randomness"),
    ("getrandom", "randomness"),
    ("RandomState", "randomness"),
    ("async", "async"),
    ("await", "async"),
];

const MACROS: [(&str, &str); 4] =
    [("println", "I/O"), ("eprintln", "I/O"), ("print", "I/O"), ("eprint", "I/O")];

pub fn check(files: &[File]) -> Vec<Finding> {
    let core = files.iter().filter(|file| file.is_rust() && is_pure(&file.path));
    core.flat_map(impurities).collect()
}

fn is_pure(path: &str) -> bool {
    PURE.iter().any(|name| path.starts_with(&format!("crates/{name}/src/")))
}

fn impurities(file: &File) -> Vec<Finding> {
    let code = code(&file.text);
    let mut findings = Vec::new();
    let mut add = |line: usize, what: String, is: &str| {
        findings.push(Finding::new(file, line, what, format!("the core is pure, this is {is}")));
    };
    for (at, token) in code.iter().enumerate() {
        if let Some((name, is)) = NAMES.iter().find(|(name, _)| token.is(name)) {
            add(token.line, format!("`{name}`"), is);
        }
        if let Some((name, is)) = MACROS.iter().find(|(name, _)| token.is(name))
            && code.get(at + 1).is_some_and(|next| next.is("!"))
        {
            add(token.line, format!("`{name}!`"), is);
        }
        if token.is("std") && code.get(at + 1).is_some_and(|next| next.is("::")) {
            for part in parts(&code[at + 2..]) {
                if part.is("*") {
                    add(part.line, "`std::*`".to_string(), "everything");
                }
                if let Some((name, is)) = STD.iter().find(|(name, _)| part.is(name)) {
                    add(part.line, format!("`std::{name}`"), is);
                }
            }
        }
    }
    findings
}

/// Returns the modules named after `std::`: one, or the first of each path within braces.
fn parts<'a>(code: &[Token<'a>]) -> Vec<Token<'a>> {
    if !code.first().is_some_and(|first| first.is("{")) {
        return code.first().into_iter().copied().collect();
    }
    let mut depth = 0;
    let mut found = Vec::new();
    for pair in code.windows(2) {
        if pair[0].is("{") {
            depth += 1;
        } else if pair[0].is("}") {
            depth -= 1;
            if depth == 0 {
                break;
            }
        }
        if depth == 1 && (pair[0].is("{") || pair[0].is(",")) {
            found.push(pair[1]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::check;
    use xtask::tree::File;

    fn found(text: &str) -> Vec<String> {
        let findings = check(&[File::new("crates/ambit-core/src/a.rs", text)]);
        findings.into_iter().map(|finding| format!("{}: {}", finding.what, finding.why)).collect()
    }

    #[test]
    fn clocks_randomness_io_and_async_are_found() {
        for (text, what) in [
            ("use std::time::Duration;", "`std::time`: the core is pure, this is a clock"),
            ("let now = SystemTime::now();", "`SystemTime`: the core is pure, this is a clock"),
            ("let now = Instant::now();", "`Instant`: the core is pure, this is a clock"),
            ("std :: fs::read(path)", "`std::fs`: the core is pure, this is I/O"),
            ("use std::{fmt, io::{self, Read}};", "`std::io`: the core is pure, this is I/O"),
            ("use std::net;", "`std::net`: the core is pure, this is I/O"),
            ("let v = std::env::var(name);", "`std::env`: the core is pure, this is I/O"),
            ("std::process::exit(1)", "`std::process`: the core is pure, this is I/O"),
            ("rand::random()", "`rand`: the core is pure, this is randomness"),
            ("getrandom::fill(b)", "`getrandom`: the core is pure, this is randomness"),
            ("async fn f() {}", "`async`: the core is pure, this is async"),
            ("f().await", "`await`: the core is pure, this is async"),
            (
                "#[cfg(test)] mod t { fn f() { println!(\"\") } }",
                "`println!`: the core is pure, this is I/O",
            ),
            ("eprintln!(\"\")", "`eprintln!`: the core is pure, this is I/O"),
            ("use std::*;", "`std::*`: the core is pure, this is everything"),
        ] {
            assert_eq!(found(text), [what], "{text}");
        }
        let threads = found("std::thread::sleep(d)");
        assert!(threads[0].starts_with("`std::thread`"), "{threads:?}");
    }

    #[test]
    fn comments_strings_and_other_paths_are_ignored() {
        let text = "//! No std::time here.\nuse std::{collections::BTreeMap, fmt};\n\
            use crate::time::Millis;\nlet a = \"println!\"; /* async */ fn env() {}\n";
        assert_eq!(found(text), [""; 0]);
    }

    #[test]
    fn other_crates_are_not_checked() {
        let file = File::new("crates/ambit/src/a.rs", "use std::time::Instant;");
        assert_eq!(check(&[file]), []);
    }
}
