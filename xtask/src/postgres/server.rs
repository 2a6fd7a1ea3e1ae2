//! PostgreSQL's own programs: found where they are, or installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;

/// Debian keeps each version's programs in a folder of its own, outside the path.
const VERSIONS: &str = "/usr/lib/postgresql";

/// What is needed of a server.
const PROGRAMS: [&str; 3] = ["postgres", "initdb", "pg_ctl"];

/// What to do where nothing else helps.
const HINT: &str = "install PostgreSQL 15 or later (Debian: `apt-get install postgresql`), or put \
                    its `postgres`, `initdb` and `pg_ctl` on the path";

/// The folder of the server's programs. Where there is none, Debian's package is installed.
pub fn programs() -> Result<PathBuf, String> {
    if let Some(folder) = find() {
        return Ok(folder);
    }
    install().map_err(|why| format!("there is no PostgreSQL server here: {why}; {HINT}"))?;
    find().ok_or_else(|| format!("there is no PostgreSQL server here; {HINT}"))
}

/// The folder on the path that has all programs, else the newest version of Debian's.
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
    let whole = folders.filter(|(_, folder)| has_all(folder));
    whole.max_by_key(|(version, _)| *version).map(|(_, folder)| folder)
}

fn has_all(folder: &Path) -> bool {
    PROGRAMS.iter().all(|program| folder.join(program).is_file())
}

/// Installs Debian's package. It makes a cluster of its own and starts it: that is taken out again,
/// unless there was one before, which is not ours.
fn install() -> Result<(), String> {
    let data = Path::new("/var/lib/postgresql");
    let others = std::fs::read_dir(data).is_ok_and(|mut entries| entries.next().is_some());
    apt(&["postgresql"])?;
    if others {
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

/// Installs packages by Debian's package manager.
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
    fn the_newest_whole_version_is_taken() {
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
