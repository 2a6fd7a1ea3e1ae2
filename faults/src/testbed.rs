//! What every suite needs: the built program, a temporary folder, a PostgreSQL server, and places
//! (a vault of a store) to write, read and check.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use ambit::{Caller, Engine, Location, Request};
use rusqlite::Connection;
use tempfile::TempDir;

use xtask::postgres::{Cluster, apt};
use xtask::process;

/// A budget that fits everything.
const BUDGET: i64 = 10_000_000;

/// The caller of reads. It writes nothing, so it never becomes an actor.
const READER: &str = "reader";

/// The built program, a temporary folder and a server, shared by the suites.
pub struct Testbed {
    folder: TempDir,
    program: PathBuf,
    /// Additional environment variables of the program.
    environment: Vec<(String, OsString)>,
    cluster: OnceLock<Cluster>,
}

/// The supported databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Database {
    Sqlite,
    Postgres,
}

impl Database {
    pub const ALL: [Database; 2] = [Database::Sqlite, Database::Postgres];

    pub fn name(self) -> &'static str {
        match self {
            Database::Sqlite => "SQLite",
            Database::Postgres => "PostgreSQL",
        }
    }
}

impl Testbed {
    /// Builds the program and copies it, so that a later build does not change it.
    pub fn prepare() -> Result<Testbed, String> {
        Testbed::with(&["--bin", "ambit"])
    }

    /// Like `prepare`, but neither the program nor the server syncs anything.
    pub fn unsynced() -> Result<Testbed, String> {
        let mut testbed = Testbed::prepare()?;
        testbed.environment.push(("LD_PRELOAD".to_string(), eatmydata()?.into()));
        testbed.cluster()?.control(&["restart", "-w", "-o", "-c fsync=off"])?;
        Ok(testbed)
    }

    /// Like `prepare`, with a program that acknowledges writes before they are written.
    pub fn early() -> Result<Testbed, String> {
        Testbed::with(&["--bin", "early-writer"])
    }

    fn with(target: &[&str]) -> Result<Testbed, String> {
        let folder = tempfile::Builder::new()
            .prefix("ambit-faults-")
            .tempdir()
            .map_err(|error| format!("cannot create a temporary folder: {error}"))?;
        let program = folder.path().join("ambit");
        process::build(target, &program)?;
        Ok(Testbed { folder, program, environment: Vec::new(), cluster: OnceLock::new() })
    }

    /// Creates a folder.
    pub fn folder(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    pub fn cluster(&self) -> Result<&Cluster, String> {
        if self.cluster.get().is_none() {
            let _ = self.cluster.set(Cluster::start()?);
        }
        self.cluster.get().ok_or_else(|| "cannot start a server".to_string())
    }

    /// Creates a place: a new file, or a new vault on the server.
    pub fn place(&self, database: Database, name: &str) -> Result<Place, String> {
        match database {
            Database::Sqlite => self.place_in(&self.folder(name)?),
            Database::Postgres => {
                let location = Location::parse(&self.cluster()?.address()).map_err(describe)?;
                self.create(location, name)
            }
        }
    }

    /// Creates a place that is alone in its store: on PostgreSQL in a new schema.
    pub fn place_apart(&self, database: Database, name: &str) -> Result<Place, String> {
        match database {
            Database::Sqlite => self.place(database, name),
            Database::Postgres => {
                let address = format!("{}&schema={name}", self.cluster()?.address());
                self.create(Location::parse(&address).map_err(describe)?, "default")
            }
        }
    }

    /// Creates a place in a file of a folder.
    pub fn place_in(&self, folder: &Path) -> Result<Place, String> {
        self.create(Location::Sqlite(folder.join("store.db")), "default")
    }

    /// Returns a place that exists.
    pub fn place_at(&self, location: Location, vault: &str) -> Place {
        let (program, environment) = (self.program.clone(), self.environment.clone());
        Place { program, location, vault: vault.to_string(), environment }
    }

    /// Deletes a place.
    pub fn clear(&self, place: &Place) -> Result<(), String> {
        match place.file().and_then(Path::parent) {
            Some(folder) => std::fs::remove_dir_all(folder).map_err(describe),
            // A vault is small, and the server is deleted at the end.
            None => Ok(()),
        }
    }

    fn create(&self, location: Location, vault: &str) -> Result<Place, String> {
        let place = self.place_at(location, vault);
        place.output(&["init"])?;
        Ok(place)
    }
}

/// A vault of a store.
#[derive(Clone)]
pub struct Place {
    pub program: PathBuf,
    pub location: Location,
    pub vault: String,
    /// Additional environment variables of the program.
    environment: Vec<(String, OsString)>,
}

impl Place {
    /// Returns the same place with more environment variables for the program.
    pub fn with(&self, more: &[(&str, &OsStr)]) -> Place {
        let more = more.iter().map(|(name, value)| (name.to_string(), value.to_os_string()));
        let environment = self.environment.iter().cloned().chain(more).collect();
        Place { environment, ..self.clone() }
    }

    /// Returns the store as the value of `--store`.
    pub fn store(&self) -> String {
        match &self.location {
            Location::Sqlite(path) => format!("sqlite:{}", path.display()),
            Location::Postgres(address) => address.clone(),
        }
    }

    /// Returns a command that runs the program on this place.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = process::command(&self.program.to_string_lossy());
        command.args(arguments);
        command.args(["--store", &self.store(), "--vault", &self.vault]);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Result<Output, String> {
        let ran = self.command(arguments).output();
        ran.map_err(|error| format!("cannot start the program: {error}"))
    }

    /// Runs the program and returns its output; fails if the program fails.
    pub fn output(&self, arguments: &[&str]) -> Result<String, String> {
        let ran = self.run(arguments)?;
        let err = String::from_utf8_lossy(&ran.stderr);
        match ran.status.success() {
            true => Ok(String::from_utf8_lossy(&ran.stdout).into_owned()),
            false => Err(format!("{arguments:?} failed: {}: {}", ran.status, err.trim())),
        }
    }

    pub fn engine(&self) -> Result<Engine, String> {
        Engine::open(&self.location).map_err(describe)
    }

    pub fn caller(&self, actor: &str) -> Caller {
        Caller { vault: self.vault.clone(), ..Caller::new(actor) }
    }

    /// Returns all visible user texts of main, in order.
    pub fn texts(&self, engine: &Engine) -> Result<Vec<String>, String> {
        let request = Request { budget: Some(BUDGET), ..Request::default() };
        let shown = engine.compose(&self.caller(READER), &request).map_err(describe)?;
        let mut texts = Vec::new();
        for message in &shown.messages {
            let value: serde_json::Value = serde_json::from_str(message.get()).map_err(describe)?;
            if value["role"] == "user" {
                texts.push(value["content"].as_str().unwrap_or_default().to_string());
            }
        }
        Ok(texts)
    }

    /// Runs `verify` and the database's own integrity check.
    pub fn check(&self, engine: &Engine) -> Result<(), String> {
        let verified = engine.verify(&self.caller(READER), &|_| {}).map_err(describe)?;
        if !verified.ok {
            return Err(format!("verify: {}", verified.problem.unwrap_or_default()));
        }
        self.file().map_or(Ok(()), integrity)
    }

    /// Returns the store's file, if it is a file.
    pub fn file(&self) -> Option<&Path> {
        match &self.location {
            Location::Sqlite(path) => Some(path),
            Location::Postgres(_) => None,
        }
    }
}

/// Runs SQLite's checks on a file.
fn integrity(path: &Path) -> Result<(), String> {
    let connection = Connection::open(path).map_err(describe)?;
    let result: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).map_err(describe)?;
    let dangling = connection
        .prepare("PRAGMA foreign_key_check")
        .and_then(|mut check| check.exists([]))
        .map_err(describe)?;
    match (result.as_str(), dangling) {
        ("ok", false) => Ok(()),
        ("ok", true) => Err("integrity: a row references a missing row".into()),
        _ => Err(format!("integrity: {result}")),
    }
}

/// Returns the path of libeatmydata, which disables syncs; installs it if it is missing.
fn eatmydata() -> Result<PathBuf, String> {
    let find = || {
        let listed = std::fs::read_dir("/usr/lib").ok()?.flatten();
        let folders = listed.map(|entry| entry.path()).chain([PathBuf::from("/usr/lib")]);
        let mut files = folders.map(|folder| folder.join("libeatmydata.so"));
        files.find(|file| file.is_file())
    };
    if let Some(found) = find() {
        return Ok(found);
    }
    apt(&["libeatmydata1"])
        .map_err(|why| format!("did not run: cannot install libeatmydata: {why}"))?;
    find().ok_or_else(|| "did not run: cannot find libeatmydata".to_string())
}

/// Converts an error to its message.
pub fn describe(error: impl std::fmt::Display) -> String {
    error.to_string()
}
