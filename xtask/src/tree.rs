//! The working tree as plain data, so that every check is a function over texts.

use std::fs;
use std::path::{Path, PathBuf};

/// One file: its path from the root, with `/` between names. A file that is no text has an empty
/// one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: String,
    pub text: String,
}

impl File {
    pub fn new(path: &str, text: &str) -> File {
        File { path: path.to_string(), text: text.to_string() }
    }

    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The folder below `crates/` it lies in.
    pub fn krate(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }
}

/// The workspace's root. Cargo names the package it runs; a copy built elsewhere must not answer
/// for the tree it was built from.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map(Path::to_path_buf).unwrap_or(package)
}

/// Where cargo builds; whatever else is made lies beside it, and is never in the tree.
pub fn target(root: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target.map_or_else(|| root.join("target"), |target| root.join(target))
}

/// Every file that is in the tree or would be added to it, by path. Without git, every file but
/// what is hidden or built.
pub fn read(root: &Path) -> Result<Vec<File>, String> {
    let mut paths = match listed(root) {
        Some(paths) => paths,
        None => {
            let mut paths = Vec::new();
            walk(root, "", &mut paths).map_err(|error| format!("{}: {error}", root.display()))?;
            paths
        }
    };
    paths.sort();
    paths.dedup();
    let mut files = Vec::new();
    for path in paths {
        // A file that was deleted is listed until that is recorded.
        if let Ok(bytes) = fs::read(root.join(&path)) {
            files.push(File::new(&path, &String::from_utf8(bytes).unwrap_or_default()));
        }
    }
    Ok(files)
}

fn listed(root: &Path) -> Option<Vec<String>> {
    if !root.join(".git").exists() {
        return None;
    }
    let mut git = std::process::Command::new("git");
    git.current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = git.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.split('\0').filter(|path| !path.is_empty()).map(str::to_string).collect())
}

fn walk(root: &Path, below: &str, paths: &mut Vec<String>) -> std::io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        if entry.file_type()?.is_dir() {
            if name != "target" && name != ".git" {
                walk(root, &path, paths)?;
            }
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{File, read, root, walk};

    #[test]
    fn the_tree_is_read_with_and_without_git() {
        let files = read(&root()).unwrap();
        assert!(files.iter().any(|file| file.path == "xtask/src/tree.rs" && file.is_rust()));
        let mut paths = Vec::new();
        walk(&root(), "", &mut paths).unwrap();
        assert!(paths.iter().any(|path| path == "xtask/src/tree.rs"));
    }

    #[test]
    fn a_file_knows_its_crate() {
        assert_eq!(File::new("crates/ambit-core/src/lib.rs", "").krate(), Some("ambit-core"));
        assert_eq!(File::new("xtask/src/main.rs", "").krate(), None);
    }
}
