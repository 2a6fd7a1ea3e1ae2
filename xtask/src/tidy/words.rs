//! Finds paths of one machine, hosts of registries, and words about how the project was made.
//!
//! The patterns are written in two parts, so that this file is not reported.

use super::Finding;
use xtask::tree::File;

/// Folders of one machine.
const FOLDERS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/tm", "p/")];

/// Words about how the project was made.
const MAKERS: [&str; 5] = [
    concat!("Cla", "ude"),
    concat!("Chat", "GPT"),
    concat!("as an", " AI"),
    concat!("language model", " assistant"),
    concat!("session", " 1"),
];

/// The name of a program that Ambit connects to, which is allowed.
const PRODUCT: &str = concat!("Cla", "ude Code");

/// Hosts of registries: the package manager and its user choose the registry.
const HOSTS: [&str; 4] = [
    concat!("crates", ".io"),
    concat!("npm", "js"),
    concat!("pypi", ".org"),
    concat!("github", ".com"),
];

/// Endings of files that people write and read; a lock file is not one.
const ENDINGS: [&str; 13] = [
    ".rs", ".md", ".toml", ".sql", ".txt", ".story", ".sh", ".html", ".css", ".js", ".json",
    ".yml", ".yaml",
];

pub fn check(files: &[File]) -> Vec<Finding> {
    let read = files.iter().filter(|file| is_prose_or_code(file));
    read.flat_map(|file| {
        let lines = (1..).zip(file.text.lines());
        lines.flat_map(|(line, text)| in_line(file, line, text)).collect::<Vec<_>>()
    })
    .collect()
}

fn is_prose_or_code(file: &File) -> bool {
    let licence = file.name().starts_with("LICENSE");
    let script = file.path.starts_with(".ci/");
    !licence && (script || ENDINGS.iter().any(|ending| file.path.ends_with(ending)))
}

fn in_line(file: &File, line: usize, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for folder in FOLDERS {
        if has_absolute_path(text, folder) {
            findings.push(Finding::new(file, line, folder, "a path of one machine"));
        }
    }
    let without = text.replace(PRODUCT, "");
    for words in MAKERS {
        if has_whole_words(&without, words) {
            findings.push(Finding::new(file, line, words, "about how the project was made"));
        }
    }
    for host in HOSTS {
        if has_whole_words(text, host) {
            findings.push(Finding::new(file, line, host, "a registry's host"));
        }
    }
    findings
}

/// Whether a text contains the folder at the start of a path.
fn has_absolute_path(text: &str, folder: &str) -> bool {
    text.match_indices(folder).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-~/}>*".contains(c))
    })
}

/// Whether a text contains the words as whole words.
fn has_whole_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::{FOLDERS, HOSTS, MAKERS, check};
    use xtask::tree::File;

    fn found(path: &str, text: &str) -> usize {
        check(&[File::new(path, text)]).len()
    }

    #[test]
    fn every_pattern_is_found() {
        for pattern in MAKERS.iter().chain(&HOSTS).chain(&FOLDERS) {
            assert_eq!(found("docs/a.md", &format!("one `{pattern}` two")), 1, "{pattern}");
            assert_eq!(found("LICENSE-APACHE", pattern), 0);
            assert_eq!(found("Cargo.lock", pattern), 0);
        }
    }

    #[test]
    fn longer_words_and_paths_are_ignored() {
        assert_eq!(found("docs/agents/a.md", super::PRODUCT), 0);
        for folder in FOLDERS {
            assert_eq!(found("a.rs", &format!("frame{folder}x ~{folder} ./a{folder}")), 0);
        }
        for words in [MAKERS[4], HOSTS[1]] {
            assert_eq!(found("a.md", &format!("{words}7 a{words}")), 0);
        }
    }
}
