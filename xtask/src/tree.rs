//! Reads the working tree into plain data, so that every check is a function over texts.

use std::fs;
use std::path::{Path, PathBuf};

/// One file: its path from the root, with `/` between names, and its text, empty for a binary file.
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

    /// Returns the name of the folder in `crates/` that contains the file.
    pub fn krate(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }
}

/// Returns the workspace's root. The variable of cargo comes first: a binary built from another
/// tree must check the tree in which it runs.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map(Path::to_path_buf).unwrap_or(package)
}

/// Returns cargo's target folder. Other generated files are put there too, outside the tree.
pub fn target(root: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target.map_or_else(|| root.join("target"), |target| root.join(target))
}

/// Reads every file that git tracks or would add, sorted by path. Without git, reads every file
/// except `.git` and `target`.
pub fn read(root: &Path) -> Result<Vec<File>, String> {
    let mut paths = match listed_by_git(root) {
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
        // Git lists a deleted file until the deletion is staged.
        if let Ok(bytes) = fs::read(root.join(&path)) {
            files.push(File::new(&path, &String::from_utf8(bytes).unwrap_or_default()));
        }
    }
    Ok(files)
}

fn listed_by_git(root: &Path) -> Option<Vec<String>> {
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
    fn the_crate_of_a_file_is_found() {
        assert_eq!(File::new("crates/ambit-core/src/lib.rs", "").krate(), Some("ambit-core"));
        assert_eq!(File::new("xtask/src/main.rs", "").krate(), None);
    }
}
