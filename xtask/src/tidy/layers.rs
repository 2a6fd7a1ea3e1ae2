//! The crates stand in a straight line, and each knows only what it must.

use super::Finding;
use super::manifest::{Dependency, Section, dependencies};
use crate::source::{Sort, tokens};
use crate::tree::File;

/// Our crates: each may use those before it.
const ORDER: [&str; 8] = [
    "ambit-text",
    "ambit-wire",
    "ambit-core",
    "ambit-store",
    "ambit",
    "ambit-verbs",
    "ambit-serve",
    "ambit-cli",
];

/// All that the core may use, and why.
const CORE: [(&str, &str); 6] = [
    ("ambit-text", "texts are counted, searched and redacted"),
    ("ambit-wire", "compositions are in providers' formats"),
    ("serde", "events and answers are data that others read"),
    ("serde_json", "providers' formats are JSON, kept as it was spelt"),
    ("sha2", "notes and the log's chain are hashed"),
    ("thiserror", "a refusal's sentence is written beside its values"),
];

/// What the core's tests may use beside, and why.
const CORE_TESTS: [(&str, &str); 1] = [("proptest", "made-up input, from a seed that it prints")];

/// What only some may know.
const KEPT: [(&str, &[&str]); 9] = [
    ("clap", &["ambit-verbs", "ambit-cli"]),
    ("clap_complete", &["ambit-cli"]),
    ("clap_mangen", &["ambit-cli"]),
    ("axum", &["ambit-serve"]),
    ("rmcp", &["ambit-serve"]),
    ("comfy-table", &["ambit-verbs", "ambit-cli"]),
    ("indicatif", &["ambit-cli", "xtask"]),
    ("anstream", &["ambit-verbs", "ambit-cli"]),
    ("rusqlite", &["ambit-store", "xtask"]),
];

/// How a statement begins.
const SQL: [&str; 5] = ["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE"];

pub fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        if let Some(name) = package(file) {
            findings.extend(manifest(file, name));
        }
        let no_sql = file.krate().is_some_and(|name| name != "ambit-store");
        if file.is_rust() && no_sql && !file.path.contains("/tests/") {
            findings.extend(sql(file));
        }
    }
    findings
}

/// The package whose manifest this is: our folders are named like our crates.
fn package(file: &File) -> Option<&str> {
    let folder = file.path.strip_suffix("/Cargo.toml")?;
    let name = folder.strip_prefix("crates/").unwrap_or(folder);
    (!name.contains('/') && (folder != name || name == "xtask")).then_some(name)
}

fn manifest(file: &File, name: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let rank = ORDER.iter().position(|known| *known == name);
    if rank.is_none() && name != "xtask" {
        let line = ORDER.join(" <- ");
        findings.push(Finding::new(file, 1, "a crate without a place", format!("not in {line}")));
    }
    for dependency in dependencies(&file.text) {
        let why = [points_back(name, rank, &dependency), not_for(name, &dependency)];
        let core = (name == "ambit-core").then(|| core(&dependency)).flatten();
        for why in why.into_iter().flatten().chain(core) {
            let what = format!("{name} depends on {}", dependency.name);
            findings.push(Finding::new(file, dependency.line, what, why));
        }
    }
    findings
}

fn points_back(name: &str, rank: Option<usize>, dependency: &Dependency) -> Option<String> {
    let to = &dependency.name;
    if to == "xtask" {
        return Some("nothing depends on xtask".to_string());
    }
    let theirs = ORDER.iter().position(|known| known == to)?;
    let back = rank.is_some_and(|own| theirs >= own) && name != "xtask";
    back.then(|| format!("it points back; the line is {}", ORDER.join(" <- ")))
}

fn not_for(name: &str, dependency: &Dependency) -> Option<String> {
    let (_, may) = KEPT.iter().find(|(kept, _)| *kept == dependency.name)?;
    // Tests may look at a database from outside.
    let tests = dependency.name == "rusqlite" && dependency.section == Section::Dev;
    (!may.contains(&name) && !tests).then(|| format!("only {} may", may.join(" and ")))
}

fn core(dependency: &Dependency) -> Option<String> {
    let known = |list: &[(&str, &str)]| list.iter().any(|(name, _)| *name == dependency.name);
    if known(&CORE) || dependency.section == Section::Dev && known(&CORE_TESTS) {
        return None;
    }
    let list: Vec<&str> = CORE.iter().map(|(name, _)| *name).collect();
    Some(format!("the core depends on {} and nothing else", list.join(", ")))
}

fn sql(file: &File) -> Vec<Finding> {
    let texts = tokens(&file.text).into_iter().filter(|token| token.sort == Sort::Text);
    let statements = texts.filter(|token| {
        let mut words = token.text.split_whitespace();
        let first = words.next().is_some_and(|word| SQL.contains(&word));
        first && words.next().is_some()
    });
    statements
        .map(|token| Finding::new(file, token.line, "SQL", "only ambit-store speaks it"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tree::File;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&[File::new(path, text)]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn nothing_points_back() {
        let line = "ambit-text <- ambit-wire <- ambit-core <- ambit-store <- ambit <- ambit-verbs \
                    <- ambit-serve <- ambit-cli";
        assert_eq!(
            found("crates/ambit-store/Cargo.toml", "[dev-dependencies]\nambit.workspace = true\n"),
            [format!(
                "crates/ambit-store/Cargo.toml:2: ambit-store depends on ambit: \
                 it points back; the line is {line}"
            )]
        );
        for (krate, bad) in [("ambit-core", "ambit-store"), ("ambit", "ambit-cli")] {
            let manifest = format!("[dependencies]\n{bad} = {{ path = \"x\" }}\n");
            let found = found(&format!("crates/{krate}/Cargo.toml"), &manifest);
            assert!(found[0].contains("points back"), "{found:?}");
        }
        let good = "[dependencies]\nambit-core.workspace = true\nambit-store.workspace = true\n";
        assert_eq!(found("crates/ambit/Cargo.toml", good), [""; 0]);
        assert_eq!(found("xtask/Cargo.toml", good), [""; 0]);
    }

    #[test]
    fn the_core_depends_on_few_crates() {
        let found =
            found("crates/ambit-core/Cargo.toml", "[dependencies]\nserde = \"1\"\nrand = \"1\"\n");
        assert_eq!(
            found,
            ["crates/ambit-core/Cargo.toml:3: ambit-core depends on rand: \
              the core depends on ambit-text, ambit-wire, serde, serde_json, sha2, thiserror and nothing else"]
        );
    }

    #[test]
    fn only_the_binary_knows_how_to_speak() {
        let manifest = "[dependencies]\nclap = \"4\"\nrusqlite = \"1\"\n";
        assert_eq!(found("crates/ambit/Cargo.toml", manifest).len(), 2);
        assert_eq!(found("crates/ambit-cli/Cargo.toml", manifest).len(), 1);
        assert_eq!(found("crates/ambit-store/Cargo.toml", manifest).len(), 1);
    }

    #[test]
    fn a_new_crate_needs_a_place_in_the_order() {
        assert!(found("crates/ambit-web/Cargo.toml", "")[0].contains("without a place"));
    }

    #[test]
    fn only_the_store_speaks_sql() {
        let source =
            "const A: &str = \"\n  SELECT 1\"; // \"SELECT 1\"\nconst B: &str = \"SELECT\";";
        assert_eq!(
            found("crates/ambit/src/a.rs", source),
            ["crates/ambit/src/a.rs:1: SQL: only ambit-store speaks it"]
        );
        assert_eq!(found("crates/ambit-store/src/a.rs", source), [""; 0]);
    }
}
