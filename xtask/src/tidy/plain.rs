//! Words that have to be decoded: help, errors, comments and docs are plain technical English.
//!
//! The words are spelt in two parts, so that this file is not found itself.

use super::Finding;
use xtask::tree::File;

/// A word or phrase, and what to write instead.
const WORDS: [(&[&str], &str); 7] = [
    (&[concat!("an", "ew")], "again, or from scratch"),
    (&[concat!("who", "ever")], "anyone who, or the subject's name"),
    (&[concat!("he", "ed")], "use, or respect"),
    (&[concat!("he", "eds")], "uses, or respects"),
    (&[concat!("be", "ars")], "has, holds or references"),
    (&[concat!("han", "gs"), "on"], "depends on"),
    (&[concat!("se", "en"), "to"], "handled"),
];

const ENDINGS: [&str; 6] = [".rs", ".md", ".sql", ".toml", ".story", ".py"];

/// Recorded stores, and inputs of fuzz targets.
const DATA: [&str; 2] = ["/fixtures/", "fuzz/corpus/"];

pub fn check(files: &[File]) -> Vec<Finding> {
    let read = files.iter().filter(|file| ENDINGS.iter().any(|it| file.path.ends_with(it)));
    let read = read.filter(|file| !DATA.iter().any(|data| file.path.contains(data)));
    read.flat_map(in_file).collect()
}

fn in_file(file: &File) -> Vec<Finding> {
    let lines = (1..).zip(file.text.lines());
    // A phrase may go on in the next line.
    let words: Vec<(usize, String)> = lines
        .flat_map(|(line, text)| {
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.filter(|word| !word.is_empty()).map(move |word| (line, word.to_lowercase()))
        })
        .collect();
    let mut findings = Vec::new();
    for (phrase, instead) in WORDS {
        for found in words.windows(phrase.len()) {
            if found.iter().zip(phrase).all(|((_, word), wanted)| word == wanted) {
                let what = format!("{:?}", phrase.join(" "));
                findings.push(Finding::new(file, found[0].0, what, format!("write {instead}")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{WORDS, check};
    use xtask::tree::File;

    fn found(path: &str, text: &str) -> Vec<usize> {
        check(&[File::new(path, text)]).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn every_word_is_found() {
        for (phrase, _) in WORDS {
            let text = format!("a\n/// {}'s b, x{}\n", phrase.join("\n/// "), phrase[0]);
            assert_eq!(found("a.rs", &text), [2], "{phrase:?}");
            assert_eq!(found("docs/a.md", &phrase.join(" ").to_uppercase()), [1]);
        }
    }

    #[test]
    fn data_and_names_are_not_looked_at() {
        let word = WORDS[0].0[0];
        assert_eq!(found("crates/a/tests/fixtures/b.md", word), [0; 0]);
        assert_eq!(found("a.json", word), [0; 0]);
        assert_eq!(found("a.rs", &format!("fn begin_{word}() {{}}")), [0; 0]);
    }
}
