//! A temporary folder to run the program in, heeding nothing of the tests' own surroundings.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub struct Place {
    folder: TempDir,
    /// The server's address, where the store is not a file in the folder.
    server: Option<String>,
}

/// What a run gave.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Place {
    /// An empty folder.
    pub fn empty() -> Place {
        Place { folder: tempfile::tempdir().unwrap(), server: None }
    }

    /// An empty folder, and a server that its commands mean.
    pub fn on_server() -> Place {
        Place { server: Some(crate::server::fresh_schema()), ..Place::empty() }
    }

    /// A folder with a store.
    pub fn new() -> Place {
        let place = Place::empty();
        assert_eq!(place.run(&["init"]).code, 0);
        place
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    pub fn database(&self) -> std::path::PathBuf {
        self.path().join(".ambit/ambit.db")
    }

    /// Does to the database what only somebody else would.
    pub fn tamper(&self, sql: &str) {
        rusqlite::Connection::open(self.database()).unwrap().execute_batch(sql).unwrap();
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ambit"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("AMBIT_") {
                command.env_remove(name);
            }
        }
        command.env("USER", "ada").current_dir(self.path());
        command.envs(self.server.iter().map(|server| ("AMBIT_STORE", server)));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, b"")
    }

    pub fn run_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        run(self.command().args(arguments), input)
    }

    /// The result of a run that must succeed.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let mut with_json = vec!["--json"];
        with_json.extend(arguments);
        let ran = self.run(&with_json);
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        let envelope: Value = serde_json::from_str(&ran.out).unwrap();
        envelope["result"].clone()
    }

    /// How many events there are, and how far the vault has come: what a failure must not change.
    pub fn head(&self) -> (Value, Value) {
        let verified = self.json(&["verify"]);
        assert_eq!(verified["ok"], true);
        (verified["events"].clone(), verified["digest"].clone())
    }
}

pub fn run(command: &mut Command, input: &[u8]) -> Ran {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // Written beside reading: a large input and a large answer would wait for each other.
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Ran {
        code: status.code().unwrap_or(-1),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    }
}
