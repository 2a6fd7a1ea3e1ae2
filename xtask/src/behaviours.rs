//! Behaviours: the ids that tests name, and which tests name them.
//!
//! An id has a family and a number, as in the table `xtask/behaviours.txt`. A test names it in its
//! own name (a family and a number in lower case, with underscores), or in a comment or text within
//! or above it. A story names it anywhere. Below `tests/` every function counts: a case that a
//! macro runs on each store, and a check that random scripts make, are tests without the attribute.

use std::collections::BTreeMap;

use crate::source::functions;
use crate::tree::File;

/// Families of ids, in the order in which they are shown.
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

/// A behaviour's place: its family's place in [`FAMILIES`], and its number.
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

/// The table: every behaviour with its line.
pub fn table(text: &str) -> Result<BTreeMap<Id, String>, String> {
    let mut table = BTreeMap::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let parsed = text.split_once('\t').and_then(|(name, words)| {
            let (family, number) = name.split_once('-')?;
            Some((id(family, number)?, words.trim()))
        });
        let Some((id, words)) = parsed.filter(|(_, words)| !words.is_empty()) else {
            return Err(format!("behaviours.txt:{line}: no id, a tab and words"));
        };
        if table.insert(id, words.to_string()).is_some() {
            return Err(format!("behaviours.txt:{line}: {id} stands there twice"));
        }
    }
    Ok(table)
}

/// A test that names an id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    pub id: Id,
    pub path: String,
    /// Empty for a story, which is one test.
    pub test: String,
}

impl Named {
    /// How it is shown.
    pub fn place(&self) -> String {
        match self.test.as_str() {
            "" => self.path.clone(),
            test => format!("{}: {test}", self.path),
        }
    }
}

/// Every id that a test names, sorted, each once per test.
pub fn named(files: &[File]) -> Vec<Named> {
    let mut found = Vec::new();
    for file in files {
        if file.path.starts_with("stories/") && file.path.ends_with(".story") {
            let ids = in_text(&file.text).into_iter();
            found.extend(ids.map(|id| Named { id, path: file.path.clone(), test: String::new() }));
        } else if file.is_rust() {
            found.extend(in_rust(file));
        }
    }
    found.sort();
    found.dedup();
    found
}

fn in_rust(file: &File) -> Vec<Named> {
    let lines: Vec<&str> = file.text.lines().collect();
    let mut found = Vec::new();
    let within = file.path.contains("/tests/");
    for test in functions(&file.text).into_iter().filter(|it| it.is_test || within) {
        let mut ids = in_name(&test.name);
        ids.extend(in_text(&lines[test.above - 1..test.last].join("\n")));
        let path = &file.path;
        found.extend(ids.into_iter().map(|id| Named {
            id,
            path: path.clone(),
            test: test.name.clone(),
        }));
    }
    found
}

/// The ids at the beginning of a function's name, one after another.
fn in_name(name: &str) -> Vec<Id> {
    let parts: Vec<String> = name.split('_').map(str::to_uppercase).collect();
    let ids = parts.chunks(2).map_while(|pair| id(pair.first()?, pair.get(1)?));
    ids.collect()
}

/// The ids that stand in a text as words of their own.
fn in_text(text: &str) -> Vec<Id> {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let words = text.split(|c: char| !is_part(c));
    words.filter_map(|word| word.split_once('-')).filter_map(|(f, n)| id(f, n)).collect()
}

#[cfg(test)]
mod tests {
    use super::{in_name, in_text, named, table};
    use crate::tree::File;

    /// Ids are spelt with `§` and `¶` here, so that these examples are not taken for real ones.
    fn real(text: &str) -> String {
        text.replace('§', "S").replace('¶', "X")
    }

    fn shown(ids: &[super::Id]) -> Vec<String> {
        ids.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn ids_are_found_in_names_and_texts() {
        assert_eq!(shown(&in_name("s1_17_x_9_goto_leaves_x_3")), [real("§1-17"), real("¶-9")]);
        assert_eq!(in_name("a_s1_17"), []);
        let text = real("§1-17, (§0-2): ¶-Id not §1-17a §9-1 a§1-1");
        assert_eq!(shown(&in_text(&text)), [real("§1-17"), real("§0-2")]);
    }

    #[test]
    fn a_test_names_ids_in_and_above_itself() {
        let source = real(
            "//! §1-1\n// §1-2 helps.\nfn help() {}\n\n/// §1-3\n#[test]\nfn s1_4_a() {\n    \
             // §1-5\n}\n",
        );
        let found = |path: &str| -> Vec<String> {
            let files = [File::new(path, &source)];
            named(&files).iter().map(|n| format!("{} {}", n.id, n.test)).collect()
        };
        let expected = ["§1-3 s1_4_a", "§1-4 s1_4_a", "§1-5 s1_4_a"].map(real);
        assert_eq!(found("crates/a/src/b.rs"), expected);
        let within = found("crates/a/tests/b.rs");
        assert_eq!((within[0].as_str(), &within[1..]), (&*real("§1-2 help"), &expected[..]));
    }

    #[test]
    fn a_story_is_a_test() {
        let found = named(&[File::new("stories/a.story", &real("# §1-30\n"))]);
        assert_eq!(found[0].place(), "stories/a.story");
    }

    #[test]
    fn the_table_refuses_what_it_cannot_read() {
        assert_eq!(table(&real("# a\n\n§1-1\tone\n")).unwrap().len(), 1);
        assert!(table(&real("§1-1 one\n")).is_err());
        assert!(table(&real("§1-1\tone\n§1-1\ttwo\n")).unwrap_err().contains("twice"));
        assert!(table("Z-1\tone\n").is_err());
    }
}
