//! Which Rust files are reached from the roots that cargo compiles.

use std::collections::BTreeSet;

use super::dead::resolve;
use crate::source::{Sort, code};
use crate::tree::File;

/// Rust files below a package's folder that no root leads to.
pub fn unreached(files: &[File]) -> Vec<&File> {
    let mut reached = BTreeSet::new();
    let mut waiting = Vec::new();
    for manifest in files.iter().filter(|file| file.name() == "Cargo.toml") {
        let package = manifest.path.strip_suffix("Cargo.toml").unwrap_or_default();
        let mut roots = declared(package, &manifest.text);
        let auto = !manifest.text.contains("autotests = false");
        let own = files.iter().filter_map(|file| Some((file, file.path.strip_prefix(package)?)));
        roots
            .extend(own.filter(|(_, path)| is_root(path, auto)).map(|(file, _)| file.path.clone()));
        waiting.extend(roots.into_iter().map(|path| (path, true)));
    }
    while let Some((path, is_root)) = waiting.pop() {
        let Some(file) = files.iter().find(|file| file.path == path) else { continue };
        if reached.insert(path) {
            waiting.extend(children(file, is_root).into_iter().map(|path| (path, false)));
        }
    }
    let rust = files.iter().filter(|file| file.is_rust());
    rust.filter(|file| !reached.contains(&file.path)).collect()
}

/// Roots that a manifest names.
fn declared(package: &str, manifest: &str) -> Vec<String> {
    let values = manifest.lines().filter_map(|line| {
        let value = line.trim().strip_prefix("path")?.trim_start().strip_prefix('=')?;
        Some(value.trim().trim_matches('"'))
    });
    let rust = values.filter(|value| value.ends_with(".rs"));
    rust.map(|value| resolve(package, value)).collect()
}

/// Whether cargo takes a file for a root because of where it lies.
fn is_root(path: &str, autotests: bool) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["build.rs"] | ["src", "main.rs" | "lib.rs"] => true,
        ["src", "bin", _] | ["src", "bin", _, "main.rs"] => true,
        ["tests", _] | ["tests", _, "main.rs"] => autotests,
        ["benches" | "examples", _] | ["benches" | "examples", _, "main.rs"] => true,
        _ => false,
    }
}

/// The files that a file's `mod` lines name: each may be one of two.
fn children(file: &File, is_root: bool) -> Vec<String> {
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let own = if is_root || name == "mod.rs" {
        folder.to_string()
    } else {
        resolve(folder, name.trim_end_matches(".rs"))
    };
    let code = code(&file.text);
    let mut inline: Vec<(&str, usize)> = Vec::new();
    let mut depth = 0;
    let mut found = Vec::new();
    for (at, token) in code.iter().enumerate() {
        if token.is("{") {
            depth += 1;
        } else if token.is("}") {
            depth -= 1;
            inline.retain(|(_, from)| *from <= depth);
        }
        let (Some(name), Some(sign)) = (code.get(at + 1), code.get(at + 2)) else { continue };
        if !token.is("mod") || name.sort != Sort::Word {
            continue;
        }
        if sign.is("{") {
            inline.push((name.text, depth + 1));
        } else if sign.is(";") {
            let path = path_above(&code[..at]);
            let within: Vec<&str> = inline.iter().map(|(name, _)| *name).collect();
            let base = resolve(&own, &within.join("/"));
            match path {
                Some(path) if within.is_empty() => found.push(resolve(folder, path)),
                Some(path) => found.push(resolve(&base, path)),
                None => {
                    found.push(resolve(&base, &format!("{}.rs", name.text)));
                    found.push(resolve(&base, &format!("{}/mod.rs", name.text)));
                }
            }
        }
    }
    found
}

/// The `#[path = "…"]` among the attributes that end here.
fn path_above<'a>(code: &[crate::source::Token<'a>]) -> Option<&'a str> {
    let begin = code.iter().rposition(|token| token.is(";") || token.is("}") || token.is("{"));
    let above = &code[begin.map_or(0, |at| at + 1)..];
    let at = above.windows(2).position(|pair| pair[0].is("path") && pair[1].is("="))?;
    above.get(at + 2).filter(|token| token.sort == Sort::Text).map(|token| token.text)
}

#[cfg(test)]
mod tests {
    use super::unreached;
    use crate::tree::File;

    fn dead(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files.iter().map(|(path, text)| File::new(path, text)).collect();
        unreached(&files).iter().map(|file| file.path.clone()).collect()
    }

    #[test]
    fn modules_lead_to_files() {
        let files = [
            ("a/Cargo.toml", ""),
            ("a/build.rs", "#[path = \"src/odd.rs\"]\nmod layout;"),
            ("a/src/odd.rs", ""),
            ("a/src/lib.rs", "mod b;\npub(crate) mod c;\nmod d { mod e; }\n// mod f;"),
            ("a/src/b.rs", "mod g;"),
            ("a/src/b/g.rs", ""),
            ("a/src/c/mod.rs", "mod h;"),
            ("a/src/c/h.rs", ""),
            ("a/src/d/e.rs", ""),
            ("a/src/f.rs", ""),
            ("a/src/b/h.rs", ""),
            ("a/tests/t.rs", "mod common;"),
            ("a/tests/common/mod.rs", ""),
        ];
        assert_eq!(dead(&files), ["a/src/f.rs", "a/src/b/h.rs"]);
    }

    #[test]
    fn a_manifest_can_name_the_roots() {
        let manifest = "[package]\nautotests = false\n[[test]]\npath = \"tests/runner.rs\"\n";
        let files = [
            ("a/Cargo.toml", manifest),
            ("a/tests/runner.rs", "mod one;"),
            ("a/tests/one.rs", ""),
            ("a/tests/two.rs", ""),
        ];
        assert_eq!(dead(&files), ["a/tests/two.rs"]);
    }
}
