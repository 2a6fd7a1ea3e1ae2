//! Finds PostgreSQL's programs, or installs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;

/// Where Debian keeps the programs of each version, outside the path.
const VERSIONS: &str = "/usr/lib/postgresql";

/// The programs that a server needs.
const PROGRAMS: [&str; 3] = ["postgres", "initdb", "pg_ctl"];

/// The hint when the installation fails.
const HINT: &str = "install PostgreSQL 15 or later (Debian: `apt-get install postgresql`), or put \
                    its `postgres`, `initdb` and `pg_ctl` on the path";

/// Returns the folder of the server's programs. Installs Debian's package if there is none.
pub fn programs() -> Result<PathBuf, String> {
    if let Some(folder) = find() {
        return Ok(folder);
    }
    install().map_err(|why| format!("cannot install PostgreSQL: {why}; {HINT}"))?;
    find().ok_or_else(|| format!("cannot find a PostgreSQL server; {HINT}"))
}

/// Returns the folder on the path that has all programs, else Debian's newest version.
fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).find(|folder| has_all(folder));
    on_path.or_else(|| newest(Path::new(VERSIONS)))
}

fn newest(versions: &Path) -> Option<PathBuf> {
    let folders = std::fs::read_dir(versions).ok()?.flatten().filter_map(|entry| {
        let version: u32 = entry.file_name().to_str()?.parse().ok()?;
        Some((version, entry.path().join("bin")))
    });
    let complete = folders.filter(|(_, folder)| has_all(folder));
    complete.max_by_key(|(version, _)| *version).map(|(_, folder)| folder)
}

fn has_all(folder: &Path) -> bool {
    PROGRAMS.iter().all(|program| folder.join(program).is_file())
}

/// Installs Debian's package. The package creates and starts a cluster, which is removed again
/// unless the machine had one before.
fn install() -> Result<(), String> {
    let data = Path::new("/var/lib/postgresql");
    let had_clusters = std::fs::read_dir(data).is_ok_and(|mut entries| entries.next().is_some());
    apt(&["postgresql"])?;
    if had_clusters {
        return Ok(());
    }
    let listed = process::output(process::command("pg_lsclusters")).unwrap_or_default();
    for line in listed.lines().skip(1) {
        let mut words = line.split_whitespace();
        if let (Some(version), Some(name)) = (words.next(), words.next()) {
            let mut drop = process::command("pg_dropcluster");
            drop.args(["--stop", version, name]);
            process::output(drop)?;
        }
    }
    Ok(())
}

/// Installs packages with Debian's package manager.
pub fn apt(packages: &[&str]) -> Result<(), String> {
    eprintln!("installing {} …", packages.join(" "));
    let get = |arguments: &[&str]| -> Command {
        let mut command = process::command("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    process::output(get(&["update", "--quiet"]))?;
    let mut install = get(&["install", "--yes", "--quiet", "--no-install-recommends"]);
    install.args(packages);
    process::output(install).map(drop)
}

#[cfg(test)]
mod tests {
    use super::{PROGRAMS, newest};

    #[test]
    fn the_newest_complete_version_is_found() {
        let versions = tempfile::tempdir().unwrap();
        for (version, programs) in [("9", 3), ("15", 3), ("17", 2), ("notes", 3)] {
            let folder = versions.path().join(version).join("bin");
            std::fs::create_dir_all(&folder).unwrap();
            for program in &PROGRAMS[..programs] {
                std::fs::write(folder.join(program), "").unwrap();
            }
        }
        assert_eq!(newest(versions.path()), Some(versions.path().join("15").join("bin")));
        assert_eq!(newest(&versions.path().join("none")), None);
    }
}
