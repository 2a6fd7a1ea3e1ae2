//! `cargo xtask conformance [PART...]`: runs independent MCP clients against `ambit mcp`. Clients
//! are installed by their package names into `target/conformance`, and nowhere else.

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
    run: fn(&Testbed, &mut Tally) -> Outcome,
}

const PARTS: &[Part] = &[
    Part { name: "python", run: python::run },
    Part { name: "inspector", run: inspector::run },
    Part { name: "suite", run: suite::run },
];

pub fn run(arguments: &[String]) -> Outcome {
    run_parts(&parse(arguments)?)
}

/// Runs the part that CI runs: it needs Python alone and takes seconds.
pub fn run_bounded() -> Outcome {
    run(&["python".to_string()])
}

fn parse(arguments: &[String]) -> Result<Vec<&'static Part>, String> {
    let part = |word: &String| {
        let names: Vec<_> = PARTS.iter().map(|part| part.name).collect();
        let unknown = || format!("unknown part {word:?}: expected one of {}", names.join(", "));
        PARTS.iter().find(|part| part.name == word).ok_or_else(unknown)
    };
    match arguments {
        [] => Ok(PARTS.iter().collect()),
        words => words.iter().map(part).collect(),
    }
}

fn run_parts(parts: &[&Part]) -> Outcome {
    let begun = Instant::now();
    let testbed = Testbed::prepare()?;
    let mut summary = Vec::new();
    let mut failed = 0;
    for part in parts {
        let mut tally = Tally { part: part.name, passed: 0, failed: 0 };
        if let Err(why) = (part.run)(&testbed, &mut tally) {
            tally.fail("could not continue", &why);
        }
        summary.push(format!("{} {} of {}", part.name, tally.passed, tally.passed + tally.failed));
        failed += tally.failed;
    }
    let took = begun.elapsed().as_secs();
    let summary = format!("conformance: {} checks passed in {took} s", summary.join(", "));
    match failed {
        0 => {
            println!("{summary}");
            Ok(())
        }
        failed => Err(format!("{summary}: {failed} FAILED")),
    }
}

/// Counts checks and prints a line for each.
struct Tally {
    part: &'static str,
    passed: usize,
    failed: usize,
}

impl Tally {
    fn pass(&mut self, what: &str) {
        self.passed += 1;
        self.print(&format!("ok      {what}"));
    }

    fn fail(&mut self, what: &str, why: &str) {
        self.failed += 1;
        self.print(&format!("FAILED  {what}: {why}"));
    }

    fn record(&mut self, what: &str, outcome: Outcome) {
        match outcome {
            Ok(()) => self.pass(what),
            Err(why) => self.fail(what, &why),
        }
    }

    /// Prints a line that is not a check.
    fn print(&self, line: &str) {
        println!("{:<10} {line}", self.part);
    }
}

/// The built program, a folder for stores, and a folder for installed clients.
struct Testbed {
    folder: TempDir,
    program: PathBuf,
    installed: PathBuf,
}

impl Testbed {
    fn prepare() -> Result<Testbed, String> {
        let folder = tempfile::Builder::new().prefix("ambit-conformance-").tempdir();
        let folder =
            folder.map_err(|error| format!("cannot create a temporary folder: {error}"))?;
        let program = folder.path().join("ambit");
        process::build(&["--bin", "ambit"], &program)?;
        let installed = tree::target(&tree::root()).join("conformance");
        Ok(Testbed { folder, program, installed })
    }

    /// Creates a folder with an empty store.
    fn store(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.empty(name)?;
        let mut init = process::command(&self.program.to_string_lossy());
        init.arg("init").current_dir(&folder);
        process::output(init)?;
        Ok(folder)
    }

    /// Creates an empty folder.
    fn empty(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.folder.path().join(name);
        std::fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder)
    }

    /// Installs packages into a folder, unless an earlier run did. A record of the packages is
    /// written last, so that an interrupted installation is repeated.
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

/// Runs a command with a time limit and returns its output; the error has the last lines of output.
fn output_within(command: Command, seconds: u64) -> Result<String, String> {
    let output = process::bounded(command, seconds)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let all = text(&output.stdout) + &text(&output.stderr);
    let last: Vec<_> = all.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &last[last.len().saturating_sub(ERROR_LINES_MAX)..];
    Err(format!("{}: {}", output.status, last.join("\n")))
}

/// How many lines of a failed program's output an error shows.
const ERROR_LINES_MAX: usize = 8;

#[cfg(test)]
mod tests {
    use super::{PARTS, parse};

    #[test]
    fn parts_are_selected_by_name() {
        let names = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(ToString::to_string).collect();
            parse(&words).map(|parts| parts.iter().map(|part| part.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).unwrap().len(), PARTS.len());
        assert_eq!(names(&["suite", "python"]).unwrap(), ["suite", "python"]);
        assert!(names(&["ruby"]).unwrap_err().contains("python, inspector, suite"));
    }
}
