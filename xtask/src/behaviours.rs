//! Reads the ids of behaviours, and the tests that are marked as their proof.
//!
//! An id has a family and a number, as in the table `xtask/behaviours.txt`. A test is a proof if a
//! comment above or in it begins with `Proves` and the ids, up to a colon or a full stop. In a
//! story any comment counts; elsewhere only comments of tests: functions with the attribute,
//! functions in `tests/`, and functions of the test kit. A mark anywhere else is an error.

use std::collections::BTreeMap;

use crate::source::functions;
use xtask::tree::File;

/// The families of ids, in the order of the page.
pub const FAMILIES: [(&str, &str); 11] = [
    ("S0", "Attention"),
    ("S1", "Scope isolation"),
    ("S2", "Window"),
    ("S3", "Tasks"),
    ("S4", "Documents"),
    ("X", "From the field"),
    ("D0", "Decisions on attention"),
    ("D1", "Decisions on scope isolation"),
    ("D2", "Decisions on the window"),
    ("D3", "Decisions on tasks"),
    ("D4", "Decisions on documents"),
];

/// The id of a behaviour: the index of its family in [`FAMILIES`], and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id {
    pub family: usize,
    pub number: u32,
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", FAMILIES[self.family].0, self.number)
    }
}

fn id(family: &str, number: &str) -> Option<Id> {
    let family = FAMILIES.iter().position(|(name, _)| *name == family)?;
    Some(Id { family, number: number.parse().ok()? })
}

/// Parses the table of behaviours.
pub fn table(text: &str) -> Result<BTreeMap<Id, String>, String> {
    let mut table = BTreeMap::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let parsed = text.split_once('\t').and_then(|(name, sentence)| {
            let (family, number) = name.split_once('-')?;
            Some((id(family, number)?, sentence.trim()))
        });
        let Some((id, sentence)) = parsed.filter(|(_, sentence)| !sentence.is_empty()) else {
            return Err(format!("behaviours.txt:{line}: expected an id, a tab and a sentence"));
        };
        if table.insert(id, sentence.to_string()).is_some() {
            return Err(format!("behaviours.txt:{line}: {id} is listed twice"));
        }
    }
    Ok(table)
}

/// A test that is marked as the proof of an id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Proof {
    pub id: Id,
    pub path: String,
    /// The name of the function; empty for a story, which is one test.
    pub test: String,
}

impl Proof {
    /// Formats the path and the name of the test.
    pub fn place(&self) -> String {
        match self.test.as_str() {
            "" => self.path.clone(),
            test => format!("{}: {test}", self.path),
        }
    }
}

/// Returns all proofs, sorted and without duplicates.
pub fn proofs(files: &[File]) -> Result<Vec<Proof>, String> {
    let mut found = Vec::new();
    for file in files {
        let is_story = file.path.starts_with("stories/") && file.path.ends_with(".story");
        let marks = match is_story {
            true => marks(&file.text, "#"),
            false if file.is_rust() => marks(&file.text, "//"),
            false => continue,
        };
        let functions = if is_story || marks.is_empty() { vec![] } else { functions(&file.text) };
        for (line, ids) in marks {
            let test = match functions.iter().rev().find(|it| it.covers(line)) {
                _ if is_story => String::new(),
                Some(it) if it.is_test || holds_tests(&file.path) => it.name.clone(),
                _ => {
                    return Err(format!(
                        "{}:{line}: the mark `Proves` is not in or above a test",
                        file.path
                    ));
                }
            };
            let path = &file.path;
            found.extend(ids.into_iter().map(|id| Proof {
                id,
                path: path.clone(),
                test: test.clone(),
            }));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Whether every function of a file may be a proof. A case that a macro runs on each store, and a
/// check of random scripts, have no test attribute.
fn holds_tests(path: &str) -> bool {
    path.contains("/tests/") || path.starts_with("crates/ambit-testkit/")
}

/// Returns the line and the ids of each comment that begins with `Proves`.
fn marks(text: &str, comment: &str) -> Vec<(usize, Vec<Id>)> {
    let words = |line: &str| -> Option<String> {
        let rest = line.trim_start().strip_prefix(comment)?;
        Some(rest.trim_start_matches('/').trim().to_string())
    };
    let lines: Vec<Option<String>> = text.lines().map(words).collect();
    let mut marks = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.as_ref().is_none_or(|line| !line.starts_with("Proves ")) {
            continue;
        }
        let block: Vec<&str> = lines[at..].iter().map_while(|line| line.as_deref()).collect();
        let block = block.join(" ");
        let ids = in_text(block.split([':', '.']).next().unwrap_or_default());
        if !ids.is_empty() {
            marks.push((at + 1, ids));
        }
    }
    marks
}

/// Returns a name without its leading ids, or `None` if it has none.
pub fn without_ids(name: &str) -> Option<&str> {
    let (family, rest) = name.split_once('_')?;
    let (number, rest) = rest.split_once('_')?;
    id(&family.to_uppercase(), number)?;
    Some(without_ids(rest).unwrap_or(rest))
}

/// Returns the ids that are whole words of a text.
fn in_text(text: &str) -> Vec<Id> {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let words = text.split(|c: char| !is_part(c));
    words.filter_map(|word| word.split_once('-')).filter_map(|(f, n)| id(f, n)).collect()
}

#[cfg(test)]
mod tests {
    use super::{in_text, proofs, table, without_ids};
    use xtask::tree::File;

    /// Replaces `§` and `¶`, which keep these examples from being read as real ids.
    fn real(text: &str) -> String {
        text.replace('§', "S").replace('¶', "X")
    }

    #[test]
    fn only_whole_words_are_ids() {
        let text = real("§1-17, (§0-2): ¶-Id not §1-17a §9-1 a§1-1");
        let found: Vec<String> = in_text(&text).iter().map(ToString::to_string).collect();
        assert_eq!(found, [real("§1-17"), real("§0-2")]);
    }

    #[test]
    fn leading_ids_are_removed_from_a_name() {
        assert_eq!(without_ids("s1_17_x_9_goto_leaves_x_3"), Some("goto_leaves_x_3"));
        assert_eq!(without_ids("a_s1_17_b"), None);
        assert_eq!(without_ids("s1_and_more"), None);
    }

    #[test]
    fn a_mark_belongs_to_the_test_below_or_around_it() {
        let source = real(
            "// §1-1\n/// ¢ §1-2, §1-3 (INV-1),\n/// ¶-4: not §1-5.\n#[test]\nfn a() {\n    \
             // ¢ §1-6.\n    // A line\n}\n",
        )
        .replace('¢', "Proves");
        let files = [File::new("crates/a/src/b.rs", &source)];
        let found = proofs(&files).unwrap();
        let found: Vec<String> = found.iter().map(|it| format!("{} {}", it.id, it.test)).collect();
        assert_eq!(found, ["§1-2 a", "§1-3 a", "§1-6 a", "¶-4 a"].map(real));
    }

    #[test]
    fn a_mark_outside_a_test_is_refused() {
        let source = real("// ¢ §1-1.\nfn a() {}\n").replace('¢', "Proves");
        let found = |path: &str| proofs(&[File::new(path, &source)]);
        assert!(found("crates/a/src/b.rs").unwrap_err().contains("b.rs:1: "));
        assert_eq!(found("crates/a/tests/b.rs").unwrap()[0].test, "a");
        assert_eq!(found("crates/ambit-testkit/src/b.rs").unwrap()[0].test, "a");
    }

    #[test]
    fn a_story_is_a_test() {
        let source = real("# ¢ §1-30.\n").replace('¢', "Proves");
        let found = proofs(&[File::new("stories/a.story", &source)]).unwrap();
        assert_eq!(found[0].place(), "stories/a.story");
    }

    #[test]
    fn the_table_refuses_malformed_and_duplicate_lines() {
        assert_eq!(table(&real("# a\n\n§1-1\tone\n")).unwrap().len(), 1);
        assert!(table(&real("§1-1 one\n")).is_err());
        assert!(table(&real("§1-1\tone\n§1-1\ttwo\n")).unwrap_err().contains("twice"));
        assert!(table("Z-1\tone\n").is_err());
    }
}
