//! `cargo xtask docs [--check]`: the pages that are made from the program itself, so that they
//! cannot say anything else than it does.

mod behaviours;
mod checking;
mod schema;
mod settings;
mod verbs;

use std::fs;
use std::path::Path;

use crate::Outcome;
use crate::tree::{self, File};

const REFRESH: &str = "cargo xtask docs";

/// What a page's maker answers.
enum Page {
    Made(String),
    /// It cannot be made yet, and why.
    NotYet(String),
}

type Maker = fn(&Path, &[File]) -> Result<Page, String>;

const PAGES: &[(&str, Maker)] = &[
    ("docs/verbs.md", verbs::make),
    ("docs/settings.md", settings::make),
    ("docs/schema.md", schema::make),
    ("docs/checking.md", checking::make),
    ("docs/behaviours.md", behaviours::make),
];

pub fn run(arguments: &[String]) -> Outcome {
    let check = match arguments {
        [] => false,
        [word] if word == "--check" => true,
        _ => return Err(format!("docs takes --check or nothing, not {arguments:?}")),
    };
    let root = tree::root();
    let files = tree::read(&root)?;
    let mut stale = Vec::new();
    for (path, make) in PAGES {
        let known = files.iter().find(|file| file.path == *path).map(|file| file.text.as_str());
        let text = match make(&root, &files).map_err(|why| format!("{path}: {why}"))? {
            Page::Made(text) => text,
            // A page that was made once must not go stale unseen.
            Page::NotYet(why) if known.is_some() => return Err(format!("{path}: {why}")),
            Page::NotYet(why) => {
                println!("{path}: not made: {why}");
                continue;
            }
        };
        if known == Some(text.as_str()) {
            println!("{path}: up to date");
        } else if check {
            println!("{path}: stale{}", difference(known.unwrap_or_default(), &text));
            stale.push(*path);
        } else {
            write(&root.join(path), &text)?;
            println!("{path}: made");
        }
    }
    match stale.as_slice() {
        [] => Ok(()),
        paths => Err(format!("docs: {} stale; `{REFRESH}` refreshes them", paths.join(", "))),
    }
}

fn write(path: &Path, text: &str) -> Outcome {
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(fail)?;
    }
    fs::write(path, text).map_err(fail)
}

/// The first line that differs, for whoever wonders why.
fn difference(known: &str, made: &str) -> String {
    let (mut ours, mut theirs) = (known.lines(), made.lines());
    for line in 1.. {
        let (old, new) = (ours.next(), theirs.next());
        if old.is_none() && new.is_none() {
            break;
        }
        if old != new {
            let show =
                |line: Option<&str>| line.map_or("nothing".into(), |text| format!("{text:?}"));
            return format!(" from line {line} on: {}, should be {}", show(old), show(new));
        }
    }
    String::new()
}

/// The head of every made page.
fn head(title: &str, from: &str) -> String {
    format!("# {title}\n\nMade from {from} by `{REFRESH}`; do not edit it by hand.\n")
}

/// A text within a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::{cell, difference, run};

    #[test]
    fn the_first_difference_is_told() {
        assert_eq!(difference("a\nb", "a\nc"), " from line 2 on: \"b\", should be \"c\"");
        assert_eq!(difference("", "a"), " from line 1 on: nothing, should be \"a\"");
        assert_eq!(difference("a", "a"), "");
    }

    #[test]
    fn arguments_are_checked() {
        assert!(run(&["--chek".to_string()]).is_err());
        assert_eq!(cell("a|b"), "a\\|b");
    }
}
