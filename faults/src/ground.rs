//! Where suites work: the program as it was built, a folder for files, a server for databases, and
//! the places (a vault of a store) that are written, looked at and checked.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use ambit::{Caller, Engine, Location, Request};
use rusqlite::Connection;
use tempfile::TempDir;

use xtask::postgres::Cluster;
use xtask::process;

/// What composes everything that is there.
const BUDGET: i64 = 10_000_000;

/// Who looks. It writes nothing, so it never becomes an actor.
const READER: &str = "reader";

pub struct Ground {
    folder: TempDir,
    program: PathBuf,
    cluster: OnceLock<Cluster>,
}

/// The databases there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Sqlite,
    Postgres,
}

impl Base {
    pub const ALL: [Base; 2] = [Base::Sqlite, Base::Postgres];

    pub fn name(self) -> &'static str {
        match self {
            Base::Sqlite => "SQLite",
            Base::Postgres => "PostgreSQL",
        }
    }
}

impl Ground {
    /// Builds the program and keeps a copy: what is built meanwhile must not change it.
    pub fn prepare() -> Result<Ground, String> {
        let folder = tempfile::Builder::new()
            .prefix("ambit-faults-")
            .tempdir()
            .map_err(|error| format!("no temporary folder: {error}"))?;
        let program = folder.path().join("ambit");
        process::build(&[], &program)?;
        Ok(Ground { folder, program, cluster: OnceLock::new() })
    }

    /// A folder of its own.
    pub fn folder(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    pub fn cluster(&self) -> Result<&Cluster, String> {
        if self.cluster.get().is_none() {
            let _ = self.cluster.set(Cluster::start()?);
        }
        self.cluster.get().ok_or_else(|| "no server".to_string())
    }

    /// A new place: a file of its own, or a vault of its own on the server.
    pub fn place(&self, base: Base, name: &str) -> Result<Place, String> {
        match base {
            Base::Sqlite => self.place_in(&self.folder(name)?),
            Base::Postgres => {
                let location = Location::parse(&self.cluster()?.address()).map_err(said)?;
                self.create(location, name)
            }
        }
    }

    /// A new place alone in its store: with PostgreSQL in a schema of its own.
    pub fn place_apart(&self, base: Base, name: &str) -> Result<Place, String> {
        match base {
            Base::Sqlite => self.place(base, name),
            Base::Postgres => {
                let address = format!("{}&schema={name}", self.cluster()?.address());
                self.create(Location::parse(&address).map_err(said)?, "default")
            }
        }
    }

    /// A new place in a file in a folder.
    pub fn place_in(&self, folder: &Path) -> Result<Place, String> {
        self.create(Location::Sqlite(folder.join("store.db")), "default")
    }

    /// A place that is there.
    pub fn place_at(&self, location: Location, vault: &str) -> Place {
        let (program, environment) = (self.program.clone(), Vec::new());
        Place { program, location, vault: vault.to_string(), environment }
    }

    /// Takes a place away that is done with.
    pub fn clear(&self, place: &Place) -> Result<(), String> {
        match place.file().and_then(Path::parent) {
            Some(folder) => std::fs::remove_dir_all(folder).map_err(said),
            // A vault is small, and the server goes with all of them.
            None => Ok(()),
        }
    }

    fn create(&self, location: Location, vault: &str) -> Result<Place, String> {
        let place = self.place_at(location, vault);
        place.done(&["init"])?;
        Ok(place)
    }
}

/// A vault of a store.
#[derive(Clone)]
pub struct Place {
    pub program: PathBuf,
    pub location: Location,
    pub vault: String,
    /// What the program finds in its environment.
    environment: Vec<(String, OsString)>,
}

impl Place {
    /// The same place for a program with more in its environment.
    pub fn with(&self, more: &[(&str, &OsStr)]) -> Place {
        let more = more.iter().map(|(name, value)| (name.to_string(), value.to_os_string()));
        let environment = self.environment.iter().cloned().chain(more).collect();
        Place { environment, ..self.clone() }
    }

    /// The store as the program is told of it.
    pub fn store(&self) -> String {
        match &self.location {
            Location::Sqlite(path) => format!("sqlite:{}", path.display()),
            Location::Postgres(address) => address.clone(),
        }
    }

    /// The program, at this place.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = process::command(&self.program.to_string_lossy());
        command.args(arguments);
        command.args(["--store", &self.store(), "--vault", &self.vault]);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Result<Output, String> {
        let ran = self.command(arguments).output();
        ran.map_err(|error| format!("the program could not be started: {error}"))
    }

    /// What it prints, where it succeeds.
    pub fn done(&self, arguments: &[&str]) -> Result<String, String> {
        let ran = self.run(arguments)?;
        let err = String::from_utf8_lossy(&ran.stderr);
        match ran.status.success() {
            true => Ok(String::from_utf8_lossy(&ran.stdout).into_owned()),
            false => Err(format!("{arguments:?} ended with {}: {}", ran.status, err.trim())),
        }
    }

    pub fn engine(&self) -> Result<Engine, String> {
        Engine::open(&self.location).map_err(said)
    }

    pub fn caller(&self, actor: &str) -> Caller {
        Caller { vault: self.vault.clone(), ..Caller::new(actor) }
    }

    /// All texts of users in sight in main, in order.
    pub fn texts(&self, engine: &Engine) -> Result<Vec<String>, String> {
        let request = Request { budget: Some(BUDGET), ..Request::default() };
        let shown = engine.compose(&self.caller(READER), &request).map_err(said)?;
        let mut texts = Vec::new();
        for message in &shown.messages {
            let value: serde_json::Value = serde_json::from_str(message.get()).map_err(said)?;
            if value["role"] == "user" {
                texts.push(value["content"].as_str().unwrap_or_default().to_string());
            }
        }
        Ok(texts)
    }

    /// The chain, every text and every row, and the database's own check.
    pub fn check(&self, engine: &Engine) -> Result<(), String> {
        let verified = engine.verify(&self.caller(READER), &|_| {}).map_err(said)?;
        if !verified.ok {
            return Err(format!("verify: {}", verified.problem.unwrap_or_default()));
        }
        self.file().map_or(Ok(()), integrity)
    }

    /// The store's file, where it is one.
    pub fn file(&self) -> Option<&Path> {
        match &self.location {
            Location::Sqlite(path) => Some(path),
            Location::Postgres(_) => None,
        }
    }
}

/// What SQLite itself says of a file.
fn integrity(path: &Path) -> Result<(), String> {
    let connection = Connection::open(path).map_err(said)?;
    let whole: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).map_err(said)?;
    let loose = connection
        .prepare("PRAGMA foreign_key_check")
        .and_then(|mut check| check.exists([]))
        .map_err(said)?;
    match (whole.as_str(), loose) {
        ("ok", false) => Ok(()),
        ("ok", true) => Err("integrity: a row refers to one that is not there".into()),
        _ => Err(format!("integrity: {whole}")),
    }
}

/// An error in words.
pub fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
