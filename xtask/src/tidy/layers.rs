//! Checks the order of the crates, and which dependencies each may have.

use cargo_metadata::DependencyKind;

use super::Finding;
use super::packages::Package;
use crate::source::{TokenKind, code};
use xtask::tree::File;

/// The crates in order: each may use those before it. Not all of them exist yet.
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

/// The crate for tests, which nothing that ships may use.
const TESTKIT: &str = "ambit-testkit";

/// Programs for developers. The first uses none of the project's crates, to stay quick to build.
const TOOLS: [&str; 3] = ["xtask", "bench", "faults"];

/// Crates without a clock, randomness or I/O.
pub const PURE: [&str; 3] = ["ambit-text", "ambit-wire", "ambit-core"];

/// The only external dependencies of the pure crates, with the reason.
const PURE_USES: [(&str, DependencyKind, &str); 9] = [
    ("serde", DependencyKind::Normal, "events and answers are serialised"),
    ("serde_json", DependencyKind::Normal, "providers' formats are JSON, stored as received"),
    ("schemars", DependencyKind::Normal, "the schema of an answer is derived from its struct"),
    ("indexmap", DependencyKind::Normal, "keys of a message stay in their order"),
    ("sha2", DependencyKind::Normal, "notes and the log's chain are hashed"),
    ("thiserror", DependencyKind::Normal, "a refusal's message is declared with its fields"),
    ("tiktoken", DependencyKind::Build, "the token table is generated at build time"),
    ("regex-syntax", DependencyKind::Build, "the character classes that split a text"),
    ("proptest", DependencyKind::Development, "random input with a printed seed"),
];

/// Dependencies that only some crates may have.
const RESTRICTED: [(&str, &[&str]); 10] = [
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

/// The first words of SQL statements.
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
        findings.push(finding(1, "a crate without a place in the order".to_string(), why));
    }
    for (to, kind) in &package.dependencies {
        let line =
            text.lines().position(|line| line.starts_with(to.as_str())).map_or(1, |at| at + 1);
        for why in
            [violates_order(name, to, *kind), is_not_allowed(name, to, *kind)].into_iter().flatten()
        {
            findings.push(finding(line, format!("{name} depends on {to}"), why));
        }
    }
    findings
}

fn violates_order(name: &str, to: &str, kind: DependencyKind) -> Option<String> {
    let is_tool = TOOLS.contains(&name);
    if TOOLS.contains(&to) {
        let shared = to == TOOLS[0] && (is_tool || name == TESTKIT);
        return (!shared).then(|| "nothing that ships depends on a tool".to_string());
    }
    if to == TESTKIT {
        let ships = !is_tool && kind != DependencyKind::Development;
        return (ships || name == TOOLS[0]).then(|| "it is for tests only".to_string());
    }
    let theirs = ORDER.iter().position(|known| *known == to)?;
    if name == TOOLS[0] {
        return Some("CI builds xtask first, so it must not use the project's crates".to_string());
    }
    let own = ORDER.iter().position(|known| *known == name)?;
    (theirs >= own).then(|| format!("it points back; the order is {}", ORDER.join(" <- ")))
}

fn is_not_allowed(name: &str, to: &str, kind: DependencyKind) -> Option<String> {
    // Tests may open a database directly, and compare token counts with another crate's.
    let is_test = kind == DependencyKind::Development;
    let known = PURE_USES.iter().any(|(it, of, _)| *it == to && (*of == kind || is_test));
    if PURE.contains(&name) && !known && !ORDER.contains(&to) && to != TESTKIT {
        let list: Vec<&str> = PURE_USES.iter().map(|(name, ..)| *name).collect();
        return Some(format!("a pure crate may use only {}", list.join(", ")));
    }
    let (_, may) = RESTRICTED.iter().find(|(name, _)| *name == to)?;
    (!may.contains(&name) && !is_test).then(|| format!("only {} may use it", may.join(" and ")))
}

fn sql(file: &File) -> Vec<Finding> {
    let texts = code(&file.text).into_iter().filter(|token| token.kind == TokenKind::String);
    let statements = texts.filter(|token| {
        let mut words = token.text.split_whitespace();
        let first = words.next().is_some_and(|word| SQL.contains(&word));
        first && words.next().is_some()
    });
    statements
        .map(|token| Finding::new(file, token.line, "SQL", "only ambit-store may contain SQL"))
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
    fn a_dependency_against_the_order_is_found() {
        let found_here = found("ambit-store", "ambit", Development);
        let expected = "ambit-store/Cargo.toml:2: ambit-store depends on ambit: it points back; \
                        the order is ambit-text <- ambit-wire <- ";
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
    fn shipped_crates_use_no_tools_and_no_test_kit() {
        assert!(found("ambit", "ambit-testkit", Normal)[0].contains("for tests only"));
        assert_eq!(found("ambit", "ambit-testkit", Development), [""; 0]);
        assert_eq!(found("faults", "ambit-testkit", Normal), [""; 0]);
        assert!(found("ambit", "xtask", Development)[0].contains("nothing that ships"));
        assert_eq!(found("bench", "xtask", Normal), [""; 0]);
        assert!(found("xtask", "ambit-core", Normal)[0].contains("CI builds xtask first"));
        assert!(found("xtask", "rusqlite", Normal)[0].contains("only ambit-store"));
    }

    #[test]
    fn pure_crates_use_only_listed_dependencies() {
        assert!(found("ambit-core", "rand", Normal)[0].contains("a pure crate may use only serde"));
        assert!(found("ambit-text", "tiktoken", Normal)[0].contains("a pure crate"));
        for kind in [Build, Development] {
            assert_eq!(found("ambit-text", "tiktoken", kind), [""; 0]);
        }
        assert_eq!(found("ambit-wire", "serde", Normal), [""; 0]);
    }

    #[test]
    fn restricted_dependencies_are_found_outside_their_crates() {
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
    fn sql_outside_the_store_is_found() {
        let source =
            "const A: &str = \"\n  SELECT 1\"; // \"SELECT 1\"\nconst B: &str = \"SELECT\";";
        let found = |path: &str| -> Vec<String> {
            check(&[File::new(path, source)], &[]).iter().map(ToString::to_string).collect()
        };
        let expected = ["crates/ambit/src/a.rs:1: SQL: only ambit-store may contain SQL"];
        assert_eq!(found("crates/ambit/src/a.rs"), expected);
        assert_eq!(found("crates/ambit-store/src/a.rs"), [""; 0]);
    }
}
