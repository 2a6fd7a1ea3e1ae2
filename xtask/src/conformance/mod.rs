//! `cargo xtask conformance [PART...]`: clients that nobody here wrote, against `ambit mcp`. What a
//! part needs is installed by its package's name into a folder beside the builds, and nowhere else.

mod inspector;
mod node;
mod python;
mod suite;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;

use xtask::{Outcome, process, tree};

struct Part {
    name: &'static str,
    run: fn(&Ground, &mut Tally) -> Outcome,
}

const PARTS: &[Part] = &[
    Part { name: "python", run: python::run },
    Part { name: "inspector", run: inspector::run },
    Part { name: "suite", run: suite::run },
];

pub fn run(arguments: &[String]) -> Outcome {
    run_those(&parse(arguments)?)
}

/// What CI runs: it needs Python alone, and takes seconds.
pub fn run_bounded() -> Outcome {
    run(&["python".to_string()])
}

fn parse(arguments: &[String]) -> Result<Vec<&'static Part>, String> {
    let part = |word: &String| {
        let names: Vec<_> = PARTS.iter().map(|part| part.name).collect();
        let unknown = || format!("there is no part {word:?}; there are {}", names.join(", "));
        PARTS.iter().find(|part| part.name == word).ok_or_else(unknown)
    };
    match arguments {
        [] => Ok(PARTS.iter().collect()),
        words => words.iter().map(part).collect(),
    }
}

fn run_those(parts: &[&Part]) -> Outcome {
    let begun = Instant::now();
    let ground = Ground::prepare()?;
    let mut summary = Vec::new();
    let mut failed = 0;
    for part in parts {
        let mut tally = Tally { part: part.name, held: 0, failed: 0 };
        if let Err(why) = (part.run)(&ground, &mut tally) {
            tally.fails("could not go on", &why);
        }
        summary.push(format!("{} {} of {}", part.name, tally.held, tally.held + tally.failed));
        failed += tally.failed;
    }
    let took = begun.elapsed().as_secs();
    let summary = format!("conformance: {} checks hold, in {took} s", summary.join(", "));
    match failed {
        0 => {
            println!("{summary}");
            Ok(())
        }
        failed => Err(format!("{summary}: {failed} FAILED")),
    }
}

/// What was checked, one line each.
struct Tally {
    part: &'static str,
    held: usize,
    failed: usize,
}

impl Tally {
    fn holds(&mut self, what: &str) {
        self.held += 1;
        self.says(&format!("ok      {what}"));
    }

    fn fails(&mut self, what: &str, why: &str) {
        self.failed += 1;
        self.says(&format!("FAILED  {what}: {why}"));
    }

    fn is(&mut self, what: &str, outcome: Outcome) {
        match outcome {
            Ok(()) => self.holds(what),
            Err(why) => self.fails(what, &why),
        }
    }

    /// A line about no check.
    fn says(&self, line: &str) {
        println!("{:<10} {line}", self.part);
    }
}

/// The program as it was built, a folder for stores, and one for what is installed.
struct Ground {
    folder: TempDir,
    program: PathBuf,
    installed: PathBuf,
}

impl Ground {
    fn prepare() -> Result<Ground, String> {
        let folder = tempfile::Builder::new().prefix("ambit-conformance-").tempdir();
        let folder = folder.map_err(|error| format!("no temporary folder: {error}"))?;
        let program = folder.path().join("ambit");
        process::build(&[], &program)?;
        let installed = tree::target(&tree::root()).join("conformance");
        Ok(Ground { folder, program, installed })
    }

    /// A folder with an empty store in it.
    fn store(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.empty(name)?;
        let mut init = process::command(&self.program.to_string_lossy());
        init.arg("init").current_dir(&folder);
        process::output(init)?;
        Ok(folder)
    }

    fn empty(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.folder.path().join(name);
        std::fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder)
    }

    /// Has something installed into a folder, unless it is there from before. What was installed
    /// is written down there, last of all.
    fn install(
        &self,
        name: &str,
        packages: &[String],
        into: impl FnOnce(&Path) -> Outcome,
    ) -> Result<PathBuf, String> {
        let folder = self.installed.join(name);
        let (list, record) = (packages.join("\n"), folder.join("installed"));
        if std::fs::read_to_string(&record).is_ok_and(|installed| installed == list) {
            return Ok(folder);
        }
        println!("conformance: installing {}", packages.join(", "));
        let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(fail)?;
        }
        std::fs::create_dir_all(&folder).map_err(fail)?;
        into(&folder)?;
        std::fs::write(&record, list).map_err(fail)?;
        Ok(folder)
    }
}

/// What it prints, where it succeeds; else the last that it said.
fn said(command: Command, seconds: u64) -> Result<String, String> {
    let output = process::bounded(command, seconds)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let all = text(&output.stdout) + &text(&output.stderr);
    let last: Vec<_> = all.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &last[last.len().saturating_sub(LINES_TOLD)..];
    Err(format!("{}: {}", output.status, last.join("\n")))
}

/// How much is told of what a program said that failed.
const LINES_TOLD: usize = 8;

#[cfg(test)]
mod tests {
    use super::{PARTS, parse};

    #[test]
    fn parts_are_chosen_by_name() {
        let names = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(ToString::to_string).collect();
            parse(&words).map(|parts| parts.iter().map(|part| part.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).unwrap().len(), PARTS.len());
        assert_eq!(names(&["suite", "python"]).unwrap(), ["suite", "python"]);
        assert!(names(&["ruby"]).unwrap_err().contains("python, inspector, suite"));
    }
}
