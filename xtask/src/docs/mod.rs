//! `cargo xtask docs [--check]`: generates the pages whose data is in the program or in the tree.

mod behaviours;

use std::fs;
use std::path::Path;

use xtask::Outcome;
use xtask::process::{built, command, output};
use xtask::tree::{self, File};

const REFRESH: &str = "cargo xtask docs";

struct Page {
    path: &'static str,
    /// The title, and the source that the page names; `None` if the program prints both.
    head: Option<(&'static str, &'static str)>,
    body: Body,
}

enum Body {
    /// The output of a program, selected by cargo's arguments, with arguments of its own: the crate
    /// that holds the data prints the page.
    Printed(&'static [&'static str], &'static [&'static str]),
    /// Made from the working tree.
    Tree(fn(&[File]) -> Result<String, String>),
}

const PAGES: &[Page] = &[
    Page {
        path: "docs/verbs.md",
        head: None,
        body: Body::Printed(&["--bin", "ambit"], &["help-markdown"]),
    },
    Page {
        path: "docs/settings.md",
        head: Some(("Settings", "the core's table of settings")),
        body: Body::Printed(&["--example", "settings_page"], &[]),
    },
    Page {
        path: "docs/schema.md",
        head: Some(("Schema", "a store as the program creates it")),
        body: Body::Printed(&["--example", "schema_page"], &[]),
    },
    Page {
        path: "docs/checking.md",
        head: Some(("Checking requests", "the core's tables of providers' rules")),
        body: Body::Printed(&["--example", "checking_page"], &[]),
    },
    Page {
        path: "docs/behaviours.md",
        head: Some(("Behaviours", "`xtask/behaviours.txt` and the tests marked as proofs")),
        body: Body::Tree(behaviours::make),
    },
];

impl Page {
    fn make(&self, files: &[File]) -> Result<String, String> {
        let head = self.head.map(|(title, from)| {
            format!("# {title}\n\nMade from {from} by `{REFRESH}`; do not edit it by hand.\n")
        });
        let body = match &self.body {
            Body::Printed(target, arguments) => printed(target, arguments)?,
            Body::Tree(make) => make(files)?,
        };
        Ok(head.unwrap_or_default() + &body)
    }
}

fn printed(target: &[&str], arguments: &[&str]) -> Result<String, String> {
    let mut run = command(&built(target)?.to_string_lossy());
    // The page must not depend on the terminal.
    run.args(arguments).env("COLUMNS", "100").env("NO_COLOR", "1");
    let text = output(run)?;
    if text.trim().is_empty() { Err(format!("{target:?} prints nothing")) } else { Ok(text) }
}

pub fn run(arguments: &[String]) -> Outcome {
    let check = match arguments {
        [] => false,
        [word] if word == "--check" => true,
        _ => return Err(format!("unexpected arguments {arguments:?}: docs takes only --check")),
    };
    let root = tree::root();
    let files = tree::read(&root)?;
    let mut stale = Vec::new();
    for page in PAGES {
        let path = page.path;
        let known = files.iter().find(|file| file.path == path).map(|file| file.text.as_str());
        let text = page.make(&files).map_err(|why| format!("{path}: {why}"))?;
        if known == Some(text.as_str()) {
            println!("{path}: up to date");
        } else if check {
            println!("{path}: stale{}", difference(known.unwrap_or_default(), &text));
            stale.push(path);
        } else {
            write(&root.join(path), &text)?;
            println!("{path}: made");
        }
    }
    match stale.as_slice() {
        [] => Ok(()),
        paths => Err(format!("docs: {} stale; run `{REFRESH}`", paths.join(", "))),
    }
}

fn write(path: &Path, text: &str) -> Outcome {
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(fail)?;
    }
    fs::write(path, text).map_err(fail)
}

/// Reports the first line that differs.
fn difference(known: &str, made: &str) -> String {
    let (mut known, mut made) = (known.lines(), made.lines());
    for line in 1.. {
        let (old, new) = (known.next(), made.next());
        if old.is_none() && new.is_none() {
            break;
        }
        if old != new {
            let show =
                |line: Option<&str>| line.map_or("nothing".into(), |text| format!("{text:?}"));
            return format!(" from line {line} on: {}, expected {}", show(old), show(new));
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::{difference, run};

    #[test]
    fn the_first_difference_is_reported() {
        assert_eq!(difference("a\nb", "a\nc"), " from line 2 on: \"b\", expected \"c\"");
        assert_eq!(difference("", "a"), " from line 1 on: nothing, expected \"a\"");
        assert_eq!(difference("a", "a"), "");
    }

    #[test]
    fn an_unknown_argument_is_refused() {
        assert!(run(&["--chek".to_string()]).is_err());
    }
}
