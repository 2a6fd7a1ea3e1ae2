//! Reads the packages of the tree through cargo: dependencies and roots.

use std::path::Path;

use cargo_metadata::{DependencyKind, MetadataCommand};

/// The workspace, and the fuzz targets, which are a separate workspace.
const MANIFESTS: [&str; 2] = ["Cargo.toml", "fuzz/Cargo.toml"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    pub name: String,
    /// The path of its manifest from the tree's root.
    pub manifest: String,
    pub dependencies: Vec<(String, DependencyKind)>,
    /// The files that cargo compiles as roots of a library, a program or a test.
    pub roots: Vec<String>,
}

pub fn read(root: &Path) -> Result<Vec<Package>, String> {
    let mut packages = Vec::new();
    for manifest in MANIFESTS {
        let mut metadata = MetadataCommand::new();
        metadata.manifest_path(root.join(manifest)).no_deps();
        let metadata = metadata.exec().map_err(|error| format!("{manifest}: {error}"))?;
        let relative = |path: &Path| -> String {
            path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
        };
        packages.extend(metadata.packages.into_iter().map(|package| Package {
            name: package.name.to_string(),
            manifest: relative(package.manifest_path.as_std_path()),
            dependencies: package.dependencies.into_iter().map(|it| (it.name, it.kind)).collect(),
            roots: package.targets.iter().map(|it| relative(it.src_path.as_std_path())).collect(),
        }));
    }
    Ok(packages)
}

#[cfg(test)]
mod tests {
    use cargo_metadata::DependencyKind;

    use super::read;

    #[test]
    fn packages_of_both_workspaces_are_read() {
        let packages = read(&xtask::tree::root()).unwrap();
        let own = packages.iter().find(|it| it.name == "xtask").unwrap();
        assert_eq!(own.manifest, "xtask/Cargo.toml");
        assert_eq!(own.roots, ["xtask/src/lib.rs", "xtask/src/main.rs"]);
        let dependency = ("proc-macro2".to_string(), DependencyKind::Normal);
        assert!(own.dependencies.contains(&dependency));
        assert!(packages.iter().any(|it| it.manifest == "fuzz/Cargo.toml"));
    }
}
