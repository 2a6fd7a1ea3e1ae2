//! Finds dead files: modules without a `mod`, pages without a link, empty stories, and leftovers of
//! merges.

use super::Finding;
use super::modules::unreached;
use super::packages::Package;
use xtask::tree::File;

/// Endings of files that editors and merges leave behind.
const LEFTOVERS: [&str; 3] = [".orig", ".rej", ".bak"];

/// Pages that link to all others.
const INDEXES: [&str; 3] = ["docs/README.md", "README.md", "docs/decisions/README.md"];

pub fn check(files: &[File], packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in unreached(files, packages) {
        findings.push(Finding::new(file, 1, "a dead file", "no `mod` declares it"));
    }
    let indexes = files.iter().filter(|file| INDEXES.contains(&file.path.as_str()));
    let linked: Vec<String> =
        indexes.flat_map(|file| links(file).into_iter().map(|(_, target)| target)).collect();
    for file in files {
        let is_page = file.path.starts_with("docs/") && file.path.ends_with(".md");
        if is_page && !INDEXES.contains(&file.path.as_str()) && !linked.contains(&file.path) {
            findings.push(Finding::new(file, 1, "an unlinked page", "no index links to it"));
        }
        if file.path.ends_with(".story") && file.text.trim().is_empty() {
            findings.push(Finding::new(file, 1, "an empty story", "it proves nothing"));
        }
        if LEFTOVERS.iter().any(|ending| file.path.ends_with(ending)) {
            findings.push(Finding::new(file, 1, "a leftover file", "delete it"));
        }
        if file.path.ends_with(".md") {
            for (line, target) in links(file) {
                if !exists(files, &target) {
                    let what = format!("a link to {target}");
                    findings.push(Finding::new(file, line, what, "the file does not exist"));
                }
            }
        }
    }
    findings
}

fn exists(files: &[File], target: &str) -> bool {
    let folder = format!("{}/", target.trim_end_matches('/'));
    files.iter().any(|file| file.path == target || file.path.starts_with(&folder))
}

/// Returns the line and the path of each link to a file of the tree.
fn links(file: &File) -> Vec<(usize, String)> {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut found = Vec::new();
    for (line, text) in (1..).zip(file.text.lines()) {
        for part in text.split("](").skip(1) {
            let target = part.split([')', '#', ' ']).next().unwrap_or_default();
            if !target.is_empty() && !target.contains(':') {
                found.push((line, resolve(folder, target)));
            }
        }
    }
    found
}

pub fn resolve(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::check;
    use xtask::tree::File;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files.iter().map(|(path, text)| File::new(path, text)).collect();
        check(&files, &[]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn unlinked_pages_and_broken_links_are_found() {
        let index = ("docs/README.md", "[a](a.md) [b](../CHANGELOG.md#x) [c](https://c.d/e)");
        assert_eq!(found(&[index, ("docs/a.md", ""), ("CHANGELOG.md", "")]), [""; 0]);
        let found = found(&[index, ("docs/b.md", ""), ("CHANGELOG.md", "")]);
        assert_eq!(
            found,
            [
                "docs/README.md:1: a link to docs/a.md: the file does not exist",
                "docs/b.md:1: an unlinked page: \
                 no index links to it",
            ]
        );
    }

    #[test]
    fn empty_stories_and_leftovers_are_found() {
        assert!(found(&[("stories/a.story", " \n")])[0].contains("an empty story"));
        assert!(found(&[("src/a.rs.orig", "")])[0].contains("a leftover file"));
    }
}
