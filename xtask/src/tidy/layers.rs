//! The crates form a line, and each knows only what it must.

use cargo_metadata::DependencyKind;

use super::Finding;
use super::packages::Package;
use crate::source::{Sort, code};
use xtask::tree::File;

/// Our crates: each may use those before it. Not all of them exist yet.
const ORDER: [&str; 9] = [
    "ambit-text",
    "ambit-wire",
    "ambit-core",
    "ambit-store",
    "ambit",
    "ambit-verbs",
    "ambit-serve",
    "ambit-agents",
    "ambit-cli",
];

/// What tests use and nothing ships.
const TESTKIT: &str = "ambit-testkit";

/// Programs for developers: the first stays quick to build and uses none of our crates.
const TOOLS: [&str; 3] = ["xtask", "bench", "faults"];

/// Crates without a clock, randomness or I/O.
pub const PURE: [&str; 3] = ["ambit-text", "ambit-wire", "ambit-core"];

/// All that the pure crates may use beside one another, and why.
const PURE_USES: [(&str, DependencyKind, &str); 9] = [
    ("serde", DependencyKind::Normal, "events and answers are data that others read"),
    ("serde_json", DependencyKind::Normal, "providers' formats are JSON, kept as it was spelt"),
    ("schemars", DependencyKind::Normal, "the schema of an answer is derived from its struct"),
    ("indexmap", DependencyKind::Normal, "keys of a message stay in their order"),
    ("sha2", DependencyKind::Normal, "notes and the log's chain are hashed"),
    ("thiserror", DependencyKind::Normal, "a refusal's sentence is written beside its values"),
    ("tiktoken", DependencyKind::Build, "the table of tokens is made when the crate is built"),
    ("regex-syntax", DependencyKind::Build, "the classes of characters that split a text"),
    ("proptest", DependencyKind::Development, "made-up input, from a seed that it prints"),
];

/// What only some may know.
const KEPT: [(&str, &[&str]); 10] = [
    ("clap", &["ambit-verbs", "ambit-cli"]),
    ("clap_complete", &["ambit-cli"]),
    ("clap_mangen", &["ambit-cli"]),
    ("axum", &["ambit-serve"]),
    ("rmcp", &["ambit-serve"]),
    ("comfy-table", &["ambit-verbs", "ambit-cli"]),
    ("indicatif", &["ambit-cli", "faults"]),
    ("anstream", &["ambit-verbs", "ambit-cli"]),
    ("rusqlite", &["ambit-store", "ambit-testkit", "bench", "faults"]),
    ("tokio-postgres", &["ambit-store", "ambit-testkit", "bench", "faults"]),
];

/// How a statement begins.
const SQL: [&str; 5] = ["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE"];

pub fn check(files: &[File], packages: &[Package]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for package in packages.iter().filter(|it| it.name != "ambit-fuzz") {
        findings.extend(dependencies(files, package));
    }
    for file in files.iter().filter(|file| file.is_rust()) {
        let no_sql = file.krate().is_some_and(|name| name != "ambit-store" && name != TESTKIT);
        if no_sql && !file.path.contains("/tests/") {
            findings.extend(sql(file));
        }
    }
    findings
}

fn dependencies(files: &[File], package: &Package) -> Vec<Finding> {
    let file = files.iter().find(|file| file.path == package.manifest);
    let text = file.map_or("", |file| file.text.as_str());
    let finding = |line: usize, what: String, why: String| Finding {
        path: package.manifest.clone(),
        line,
        what,
        why,
    };
    let name = package.name.as_str();
    let mut findings = Vec::new();
    if name != TESTKIT && !TOOLS.contains(&name) && !ORDER.contains(&name) {
        let why = format!("not in {}", ORDER.join(" <- "));
        findings.push(finding(1, "a crate without a place".to_string(), why));
    }
    for (to, kind) in &package.dependencies {
        let line =
            text.lines().position(|line| line.starts_with(to.as_str())).map_or(1, |at| at + 1);
        for why in [points_back(name, to, *kind), not_for(name, to, *kind)].into_iter().flatten() {
            findings.push(finding(line, format!("{name} depends on {to}"), why));
        }
    }
    findings
}

fn points_back(name: &str, to: &str, kind: DependencyKind) -> Option<String> {
    let is_tool = TOOLS.contains(&name);
    if TOOLS.contains(&to) {
        let shared = to == TOOLS[0] && (is_tool || name == TESTKIT);
        return (!shared).then(|| "nothing that ships depends on a tool".to_string());
    }
    if to == TESTKIT {
        let ships = !is_tool && kind != DependencyKind::Development;
        return (ships || name == TOOLS[0]).then(|| "it is for tests alone".to_string());
    }
    let theirs = ORDER.iter().position(|known| *known == to)?;
    if name == TOOLS[0] {
        return Some("CI builds xtask first: it uses none of our crates".to_string());
    }
    let own = ORDER.iter().position(|known| *known == name)?;
    (theirs >= own).then(|| format!("it points back; the line is {}", ORDER.join(" <- ")))
}

fn not_for(name: &str, to: &str, kind: DependencyKind) -> Option<String> {
    // Tests may look at a database from outside, and compare a count with another's.
    let is_test = kind == DependencyKind::Development;
    let known = PURE_USES.iter().any(|(it, of, _)| *it == to && (*of == kind || is_test));
    if PURE.contains(&name) && !known && !ORDER.contains(&to) && to != TESTKIT {
        let list: Vec<&str> = PURE_USES.iter().map(|(name, ..)| *name).collect();
        return Some(format!("a pure crate uses {} and nothing else", list.join(", ")));
    }
    let (_, may) = KEPT.iter().find(|(kept, _)| *kept == to)?;
    (!may.contains(&name) && !is_test).then(|| format!("only {} may", may.join(" and ")))
}

fn sql(file: &File) -> Vec<Finding> {
    let texts = code(&file.text).into_iter().filter(|token| token.sort == Sort::Text);
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
    use cargo_metadata::DependencyKind::{self, Build, Development, Normal};

    use super::check;
    use crate::tidy::packages::Package;
    use xtask::tree::File;

    fn found(name: &str, to: &str, kind: DependencyKind) -> Vec<String> {
        let package = Package {
            name: name.to_string(),
            manifest: format!("{name}/Cargo.toml"),
            dependencies: vec![(to.to_string(), kind)],
            roots: Vec::new(),
        };
        let file = File::new(&package.manifest, &format!("[dependencies]\n{to} = \"1\"\n"));
        check(&[file], &[package]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn nothing_points_back() {
        let found_here = found("ambit-store", "ambit", Development);
        let expected = "ambit-store/Cargo.toml:2: ambit-store depends on ambit: it points back; \
                        the line is ambit-text <- ambit-wire <- ";
        assert!(found_here[0].starts_with(expected), "{found_here:?}");
        for (name, to) in [("ambit-core", "ambit-store"), ("ambit", "ambit-cli")] {
            assert!(found(name, to, Normal)[0].contains("points back"), "{name}");
        }
        for (name, to) in
            [("ambit", "ambit-store"), ("ambit-core", "ambit-text"), ("bench", "ambit")]
        {
            assert_eq!(found(name, to, Normal), [""; 0]);
        }
    }

    #[test]
    fn tools_and_the_test_kit_do_not_ship() {
        assert!(found("ambit", "ambit-testkit", Normal)[0].contains("for tests alone"));
        assert_eq!(found("ambit", "ambit-testkit", Development), [""; 0]);
        assert_eq!(found("faults", "ambit-testkit", Normal), [""; 0]);
        assert!(found("ambit", "xtask", Development)[0].contains("nothing that ships"));
        assert_eq!(found("bench", "xtask", Normal), [""; 0]);
        assert!(found("xtask", "ambit-core", Normal)[0].contains("CI builds xtask first"));
        assert!(found("xtask", "rusqlite", Normal)[0].contains("only ambit-store"));
    }

    #[test]
    fn pure_crates_use_little() {
        assert!(found("ambit-core", "rand", Normal)[0].contains("a pure crate uses serde"));
        assert!(found("ambit-text", "tiktoken", Normal)[0].contains("a pure crate"));
        for kind in [Build, Development] {
            assert_eq!(found("ambit-text", "tiktoken", kind), [""; 0]);
        }
        assert_eq!(found("ambit-wire", "serde", Normal), [""; 0]);
    }

    #[test]
    fn only_the_interfaces_know_how_to_speak() {
        assert_eq!(found("ambit", "clap", Normal).len(), 1);
        assert_eq!(found("ambit-cli", "clap", Normal).len(), 0);
        assert_eq!(found("ambit-cli", "rusqlite", Normal).len(), 1);
        assert_eq!(found("ambit-cli", "rusqlite", Development).len(), 0);
    }

    #[test]
    fn a_new_crate_needs_a_place_in_the_order() {
        assert!(found("ambit-web", "serde", Normal)[0].contains("without a place"));
    }

    #[test]
    fn only_the_store_speaks_sql() {
        let source =
            "const A: &str = \"\n  SELECT 1\"; // \"SELECT 1\"\nconst B: &str = \"SELECT\";";
        let found = |path: &str| -> Vec<String> {
            check(&[File::new(path, source)], &[]).iter().map(ToString::to_string).collect()
        };
        let expected = ["crates/ambit/src/a.rs:1: SQL: only ambit-store speaks it"];
        assert_eq!(found("crates/ambit/src/a.rs"), expected);
        assert_eq!(found("crates/ambit-store/src/a.rs"), [""; 0]);
    }
}
