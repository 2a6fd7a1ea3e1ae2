//! Runs a private PostgreSQL server: a cluster in a temporary folder that listens only on a Unix
//! socket in that folder, with full durability. It is stopped and deleted when its owner ends, even
//! if the owner is killed.

mod server;

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use crate::Outcome;
use crate::process;
pub use server::apt;

/// The variable with the server's address. Tests that need a server fail without it.
pub const VARIABLE: &str = "AMBIT_TEST_POSTGRES";

/// The superuser of the cluster. It needs no password; the permissions of the folder protect the
/// socket.
const USER: &str = "ambit";

/// Accounts to run the server as if the current user is root: PostgreSQL refuses to run as root.
const ACCOUNTS: [&str; 2] = ["postgres", "nobody"];

const SETTINGS: &str = "
listen_addresses = ''
fsync = on
synchronous_commit = on
full_page_writes = on
max_connections = 200
";

/// Waits until its standard input is closed, then stops the server and deletes its folder. It runs
/// in its own process group, so that neither a signal nor a kill of the owner leaves a server
/// behind.
const WATCH: &str = r#"read -r _; "$1" -D "$2/data" -m immediate stop; cd /; rm -rf -- "$2""#;

/// The ids of a user and a group.
#[derive(Clone, Copy)]
struct Account {
    user: u32,
    group: u32,
}

/// A running server. Dropping it stops the server and deletes its data.
pub struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    account: Option<Account>,
    watch: Child,
    /// The server runs while this pipe is open.
    keep_alive: Option<ChildStdin>,
}

impl Cluster {
    pub fn start() -> Result<Cluster, String> {
        let programs = server::programs()?;
        let account = account()?;
        let folder = folder(account)?;
        let mut watch = server_command("sh", &folder, account);
        watch.args(["-c", WATCH, "watch"]).arg(programs.join("pg_ctl")).arg(&folder);
        watch.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut watch = watch.spawn().map_err(|error| format!("cannot start `sh`: {error}"))?;
        let keep_alive = watch.stdin.take();
        let cluster = Cluster { programs, folder, account, watch, keep_alive };
        cluster.initialise()?;
        cluster.control(&["start", "-w"])?;
        Ok(cluster)
    }

    fn initialise(&self) -> Outcome {
        let data = self.data();
        let mut initdb = self.program("initdb");
        // Later writes are synced; an empty cluster need not be.
        initdb.args(["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]);
        initdb.arg(format!("--username={USER}")).arg(&data);
        process::output(initdb).map_err(|why| {
            format!("{why} (other users must have access to the folder for temporary files)")
        })?;
        let file = data.join("postgresql.conf");
        let socket = format!("unix_socket_directories = '{}'\n", self.folder.display());
        std::fs::read_to_string(&file)
            .and_then(|text| std::fs::write(&file, text + SETTINGS + &socket))
            .map_err(|error| format!("{}: {error}", file.display()))
    }

    /// Runs `pg_ctl` on the server.
    pub fn control(&self, arguments: &[&str]) -> Outcome {
        let log = self.folder.join("log");
        let mut control = self.program("pg_ctl");
        control.arg("-D").arg(self.data()).arg("-l").arg(&log).args(arguments);
        // The server would keep inherited pipes open.
        control.stdout(Stdio::null()).stderr(Stdio::null());
        process::run(control).map_err(|why| {
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            let lines: Vec<&str> = text.lines().rev().take(5).collect();
            let last: Vec<&str> = lines.into_iter().rev().collect();
            format!("{why}; last lines of the server's log: {}", last.join(" | "))
        })
    }

    /// Returns the server's address as a libpq URL.
    pub fn address(&self) -> String {
        let folder = percent_encode(&self.folder.to_string_lossy());
        format!("postgres://{USER}@/postgres?host={folder}")
    }

    /// Returns the id of the server's main process.
    pub fn process(&self) -> Result<u32, String> {
        let file = self.data().join("postmaster.pid");
        let text = std::fs::read_to_string(&file)
            .map_err(|error| format!("the server is not running: {error}"))?;
        let first = text.lines().next().and_then(|line| line.parse().ok());
        first.ok_or_else(|| format!("cannot read a process id from {}", file.display()))
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn program(&self, name: &str) -> Command {
        server_command(&self.programs.join(name).to_string_lossy(), &self.folder, self.account)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.keep_alive.take());
        let _ = self.watch.wait();
    }
}

/// Returns a command that runs as the server's account and ignores `PG*` variables.
fn server_command(program: &str, folder: &Path, account: Option<Account>) -> Command {
    let mut command = process::command(program);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("PG")) {
            command.env_remove(name);
        }
    }
    command.current_dir(folder).env("LC_ALL", "C");
    if let Some(Account { user, group }) = account {
        command.uid(user).gid(group);
    }
    command
}

/// Returns the account to run the server as, or `None` for the current user.
fn account() -> Result<Option<Account>, String> {
    if id(&["-u"])? != 0 {
        return Ok(None);
    }
    for name in ACCOUNTS {
        if let (Ok(user), Ok(group)) = (id(&["-u", name]), id(&["-g", name])) {
            return Ok(Some(Account { user, group }));
        }
    }
    let names = ACCOUNTS.join(" or ");
    Err(format!("cannot run PostgreSQL as root: add an account named {names}"))
}

fn id(arguments: &[&str]) -> Result<u32, String> {
    let mut id = process::command("id");
    id.args(arguments);
    let printed = process::output(id)?;
    printed.trim().parse().map_err(|_| format!("cannot parse the output of `id`: {printed:?}"))
}

/// Creates a folder that only the server's account can open; it holds the socket.
fn folder(account: Option<Account>) -> Result<PathBuf, String> {
    let made = tempfile::Builder::new().prefix("ambit-pg-").tempdir();
    let folder = made.map_err(|error| format!("cannot create a temporary folder: {error}"))?.keep();
    let owned =
        account.map_or(Ok(()), |Account { user, group }| chown(&folder, Some(user), Some(group)));
    owned
        .and_then(|()| std::fs::set_permissions(&folder, Permissions::from_mode(0o700)))
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Percent-encodes a text for a URL.
fn percent_encode(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    text.bytes()
        .map(
            |byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") },
        )
        .collect()
}

/// `cargo xtask postgres`: runs a server until Ctrl-C.
pub fn run(arguments: &[String]) -> Outcome {
    if let Some(word) = arguments.first() {
        return Err(format!("unexpected argument {word:?}: postgres takes none"));
    }
    let mut cluster = Cluster::start()?;
    println!("{}", cluster.address());
    eprintln!("PostgreSQL is running. Ctrl-C stops it and deletes its data.");
    cluster.watch.wait().map_err(|error| format!("cannot wait for the server: {error}"))?;
    Err("the server was stopped".into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::{Cluster, percent_encode};

    #[test]
    fn a_dropped_server_is_stopped_and_deleted() {
        let cluster = Cluster::start().unwrap();
        let folder = cluster.folder.clone();
        let socket = folder.join(".s.PGSQL.5432");
        UnixStream::connect(&socket).unwrap();
        cluster.control(&["restart", "-w", "-m", "immediate"]).unwrap();
        UnixStream::connect(&socket).unwrap();
        drop(cluster);
        assert!(!folder.exists());
    }

    #[test]
    fn a_path_is_percent_encoded() {
        assert_eq!(percent_encode("/a b/ü-1._~"), "%2Fa%20b%2F%C3%BC-1._~");
    }
}
