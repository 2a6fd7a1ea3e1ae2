//! Finds the Rust files that cargo compiles, starting from the roots of its targets.

use std::collections::BTreeSet;

use super::dead::resolve;
use super::packages::Package;
use crate::source::{TokenKind, code};
use xtask::tree::File;

/// Returns the Rust files that no root declares, directly or indirectly.
pub fn unreached<'a>(files: &'a [File], packages: &[Package]) -> Vec<&'a File> {
    let mut reached = BTreeSet::new();
    let roots = packages.iter().flat_map(|package| package.roots.iter().cloned());
    let mut waiting: Vec<(String, bool)> = roots.map(|path| (path, true)).collect();
    while let Some((path, is_root)) = waiting.pop() {
        let Some(file) = files.iter().find(|file| file.path == path) else { continue };
        if reached.insert(path) {
            waiting.extend(children(file, is_root).into_iter().map(|path| (path, false)));
        }
    }
    let rust = files.iter().filter(|file| file.is_rust());
    rust.filter(|file| !reached.contains(&file.path)).collect()
}

/// Returns the possible paths of the modules that a file declares.
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
        if !token.is("mod") || name.kind != TokenKind::Word {
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

/// Returns the value of a `#[path = "…"]` among the attributes before a `mod`.
fn path_above<'a>(code: &[crate::source::Token<'a>]) -> Option<&'a str> {
    let begin = code.iter().rposition(|token| token.is(";") || token.is("}") || token.is("{"));
    let above = &code[begin.map_or(0, |at| at + 1)..];
    let at = above.windows(2).position(|pair| pair[0].is("path") && pair[1].is("="))?;
    above.get(at + 2).filter(|token| token.kind == TokenKind::String).map(|token| token.text)
}

#[cfg(test)]
mod tests {
    use super::unreached;
    use crate::tidy::packages::Package;
    use xtask::tree::File;

    #[test]
    fn files_that_no_module_declares_are_found() {
        let files = [
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
        let files: Vec<File> = files.iter().map(|(path, text)| File::new(path, text)).collect();
        let package = Package {
            name: "a".to_string(),
            manifest: "a/Cargo.toml".to_string(),
            dependencies: Vec::new(),
            roots: ["a/build.rs", "a/src/lib.rs", "a/tests/t.rs"].map(str::to_string).to_vec(),
        };
        let dead = unreached(&files, &[package]);
        let dead: Vec<&str> = dead.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(dead, ["a/src/f.rs", "a/src/b/h.rs"]);
    }
}
