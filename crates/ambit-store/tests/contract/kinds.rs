//! The table of policies is the only place that knows what a kind of item does.

use std::fs;
use std::path::{Path, PathBuf};

use ambit_core::ItemKind;

/// The files below a folder whose names end in this.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
}

fn sources(ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap() {
        let folder = entry.unwrap().path().join("src");
        if folder.is_dir() {
            files(&folder, ending, &mut found);
        }
    }
    assert!(!found.is_empty(), "no {ending} was found");
    found.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// Migrations are exempt: each says what the rows of its time were.
#[test]
fn no_statement_names_a_kind() {
    for (path, text) in sources(".sql") {
        if path.components().any(|part| part.as_os_str() == "migrations") {
            continue;
        }
        for kind in ItemKind::ALL {
            let word = format!("'{}'", kind.as_str());
            assert!(!text.contains(&word), "{} names the kind {word}", path.display());
        }
    }
}

/// Code makes items of a kind, and asks for the policy of a kind. It never branches on the kind.
#[test]
fn no_code_branches_on_a_kind() {
    for (path, text) in sources(".rs") {
        // The second models of the testkit state the rules on their own.
        let model = path.components().any(|part| part.as_os_str() == "ambit-testkit");
        if model || path.ends_with("ambit-core/src/kind.rs") {
            continue;
        }
        for (at, name) in text.match_indices("ItemKind::") {
            let (before, after) = (text[..at].trim_end(), &text[at + name.len()..]);
            let after = after.trim_start_matches(char::is_alphabetic).trim_start();
            let compared = ["==", "!=", "|"].iter().any(|it| before.ends_with(it));
            let matched = ["=>", "==", "!=", "|"].iter().any(|it| after.starts_with(it));
            let line = before.lines().next_back().unwrap_or_default();
            assert!(
                !compared && !matched && !line.contains("matches!("),
                "{}:{} branches on a kind",
                path.display(),
                before.lines().count()
            );
        }
    }
}
