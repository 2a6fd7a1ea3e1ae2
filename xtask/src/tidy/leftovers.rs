//! Finds unfinished code, ignored tests and silenced warnings.

use super::Finding;
use crate::source::{Token, code};
use xtask::tree::File;

const MACROS: [&str; 3] = ["todo", "unimplemented", "dbg"];

// Written in two parts, so that this file is not reported.
const MARKS: [&str; 2] = [concat!("FIX", "ME"), concat!("XX", "X")];

pub fn check(files: &[File]) -> Vec<Finding> {
    files
        .iter()
        .flat_map(|file| {
            let lines = (1..).zip(file.text.lines());
            let mut findings: Vec<Finding> = lines
                .flat_map(|(line, text)| [mark, deliberate_fault].map(|it| it(file, line, text)))
                .flatten()
                .collect();
            if file.is_rust() {
                findings.extend(in_rust(file));
            }
            findings
        })
        .collect()
}

fn in_rust(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let code = code(&file.text);
    for (at, token) in code.iter().enumerate() {
        let next =
            |offset: usize, text: &str| code.get(at + offset).is_some_and(|token| token.is(text));
        if MACROS.iter().any(|name| token.is(name)) && next(1, "!") {
            let what = format!("`{}!`", token.text);
            findings.push(Finding::new(file, token.line, what, "finish it or remove it"));
        }
        let opens = token.is("[") && at > 0 && (code[at - 1].is("#") || code[at - 1].is("!"));
        if opens && next(1, "ignore") {
            let why = "a test that does not run proves nothing";
            findings.push(Finding::new(file, token.line, "`#[ignore]`", why));
        }
        if opens && next(1, "allow") && names(&code[at..], "dead_code") {
            let why = "remove unused code, or `expect` it with a reason";
            findings.push(Finding::new(file, token.line, "`#[allow(dead_code)]`", why));
        }
    }
    findings
}

/// Whether the attribute that begins here contains a name.
fn names(code: &[Token], name: &str) -> bool {
    code.iter().take_while(|token| !token.is("]")).any(|token| token.is(name))
}

fn mark(file: &File, line: usize, text: &str) -> Option<Finding> {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    let mark = words.find(|word| MARKS.contains(word))?;
    Some(Finding::new(file, line, mark, "fix it or open an issue"))
}

/// Finds deliberate faults in code that ships.
fn deliberate_fault(file: &File, line: usize, text: &str) -> Option<Finding> {
    let ships = file.krate().is_some() && file.is_rust() && file.path.contains("/src/");
    let is_kit = file.krate() == Some("ambit-testkit");
    if ships && !is_kit && text.to_lowercase().contains("mutant") {
        let why = "deliberate faults belong in ambit-testkit, not in code that ships";
        return Some(Finding::new(file, line, "a mutant", why));
    }
    if file.name() == "Cargo.toml" && text.contains("arbitrary_precision") {
        let why = "it breaks tagged, flattened and untagged types; use raw values";
        return Some(Finding::new(file, line, "`arbitrary_precision`", why));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{MARKS, check};
    use xtask::tree::File;

    fn found(path: &str, text: &str) -> Vec<usize> {
        check(&[File::new(path, text)]).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn unfinished_code_is_found() {
        let text = "fn a() { todo!() }\nfn b() { unimplemented!() }\nfn c() { dbg!(1) }\n\
            #[test]\n#[ignore = \"slow\"]\nfn d() {}\n#[allow(dead_code)]\nfn e() {}\n\
            #![allow(clippy::x, dead_code)]\n";
        assert_eq!(found("a.rs", text), [1, 2, 3, 5, 7, 9]);
    }

    #[test]
    fn comments_strings_and_similar_names_are_ignored() {
        let text =
            "// todo!() in words\nlet todo = \"dbg!\"; #[expect(dead_code)] fn ignore() {}\n";
        assert_eq!(found("a.rs", text), [0; 0]);
    }

    #[test]
    fn marks_are_found_in_comments_and_pages() {
        for mark in MARKS {
            assert_eq!(found("a.rs", &format!("/* a\n {mark}: b */\nlet c = 1;\n")), [2]);
            assert_eq!(found("a.md", &format!("a\n{mark} b\n")), [2]);
            assert_eq!(found("a.md", &format!("{mark}IV\n")), [0; 0]);
        }
    }

    #[test]
    fn deliberate_faults_in_shipped_code_are_found() {
        let text = "if mutant::is(Mutant::A) {}\n";
        assert_eq!(found("crates/ambit-core/src/a.rs", text), [1]);
        assert_eq!(found("crates/ambit-core/tests/a.rs", text), [0; 0]);
        assert_eq!(found("crates/ambit-testkit/src/a.rs", text), [0; 0]);
    }

    #[test]
    fn numbers_are_not_kept_as_texts_everywhere() {
        let text = "a = 1\nb = { features = [\"arbitrary_precision\"] }\n";
        assert_eq!(found("fuzz/Cargo.toml", text), [2]);
        assert_eq!(found("docs/a.md", text), [0; 0]);
    }
}
