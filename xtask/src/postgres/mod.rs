//! A private PostgreSQL server: a cluster in a temporary folder, on a Unix socket in that folder
//! and nowhere else, as durable as a real one. It is gone when its owner is, however that ended.

mod server;

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use crate::Outcome;
use crate::process;
pub use server::apt;

/// Tells tests where the server is. Those that need one fail without it.
pub const VARIABLE: &str = "AMBIT_TEST_POSTGRES";

/// The superuser of the cluster; who may open the socket's folder needs no password.
const USER: &str = "ambit";

/// Accounts to run the server as, where we are root: it refuses to be.
const ACCOUNTS: [&str; 2] = ["postgres", "nobody"];

const SETTINGS: &str = "
listen_addresses = ''
fsync = on
synchronous_commit = on
full_page_writes = on
max_connections = 200
";

/// Waits until nobody holds its input any more, then stops the server and takes its folder away.
/// It runs apart from us, so that neither a signal nor our death leaves a server behind.
const WATCH: &str = r#"read -r _; "$1" -D "$2/data" -m immediate stop; cd /; rm -rf -- "$2""#;

/// A user's and a group's number.
#[derive(Clone, Copy)]
struct Account {
    user: u32,
    group: u32,
}

/// A server that runs. Dropped, it is stopped and its data is gone.
pub struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    account: Option<Account>,
    watch: Child,
    /// As long as this is held the server stays.
    alive: Option<ChildStdin>,
}

impl Cluster {
    pub fn start() -> Result<Cluster, String> {
        let programs = server::programs()?;
        let account = account()?;
        let folder = folder(account)?;
        let mut watch = plain("sh", &folder, account);
        watch.args(["-c", WATCH, "watch"]).arg(programs.join("pg_ctl")).arg(&folder);
        watch.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut watch = watch.spawn().map_err(|error| format!("`sh` could not run: {error}"))?;
        let alive = watch.stdin.take();
        let cluster = Cluster { programs, folder, account, watch, alive };
        cluster.initialise()?;
        cluster.control(&["start", "-w"])?;
        Ok(cluster)
    }

    fn initialise(&self) -> Outcome {
        let data = self.data();
        let mut initdb = self.program("initdb");
        // What follows is synced; an empty cluster need not be.
        initdb.args(["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]);
        initdb.arg(format!("--username={USER}")).arg(&data);
        process::output(initdb).map_err(|why| {
            format!("{why} (the folder for temporary files must be open to other users)")
        })?;
        let file = data.join("postgresql.conf");
        let socket = format!("unix_socket_directories = '{}'\n", self.folder.display());
        std::fs::read_to_string(&file)
            .and_then(|text| std::fs::write(&file, text + SETTINGS + &socket))
            .map_err(|error| format!("{}: {error}", file.display()))
    }

    /// Has `pg_ctl` do something to the server.
    pub fn control(&self, arguments: &[&str]) -> Outcome {
        let log = self.folder.join("log");
        let mut control = self.program("pg_ctl");
        control.arg("-D").arg(self.data()).arg("-l").arg(&log).args(arguments);
        // The server would hold our pipes for as long as it lives.
        control.stdout(Stdio::null()).stderr(Stdio::null());
        process::run(control).map_err(|why| {
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            let lines: Vec<&str> = said.lines().rev().take(5).collect();
            let last: Vec<&str> = lines.into_iter().rev().collect();
            format!("{why}; the server's last words: {}", last.join(" | "))
        })
    }

    /// Where it is, as libpq understands it.
    pub fn address(&self) -> String {
        let folder = encoded(&self.folder.to_string_lossy());
        format!("postgres://{USER}@/postgres?host={folder}")
    }

    /// The number of the server's first process.
    pub fn process(&self) -> Result<u32, String> {
        let file = self.data().join("postmaster.pid");
        let text = std::fs::read_to_string(&file).map_err(|error| format!("no server: {error}"))?;
        let first = text.lines().next().and_then(|line| line.parse().ok());
        first.ok_or_else(|| format!("{} names no process", file.display()))
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn program(&self, name: &str) -> Command {
        plain(&self.programs.join(name).to_string_lossy(), &self.folder, self.account)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.alive.take());
        let _ = self.watch.wait();
    }
}

/// A program run as the server's account, heeding nothing that is set for another server.
fn plain(program: &str, folder: &Path, account: Option<Account>) -> Command {
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

/// The account to run as, or None for our own.
fn account() -> Result<Option<Account>, String> {
    if id(&["-u"])? != 0 {
        return Ok(None);
    }
    for name in ACCOUNTS {
        if let (Ok(user), Ok(group)) = (id(&["-u", name]), id(&["-g", name])) {
            return Ok(Some(Account { user, group }));
        }
    }
    let names = ACCOUNTS.join(" nor ");
    Err(format!("PostgreSQL does not run as root, and there is neither {names}: add an account"))
}

fn id(arguments: &[&str]) -> Result<u32, String> {
    let mut id = process::command("id");
    id.args(arguments);
    let said = process::output(id)?;
    said.trim().parse().map_err(|_| format!("`id` said {said:?}"))
}

/// A folder that only the server's account can open, and with it the socket.
fn folder(account: Option<Account>) -> Result<PathBuf, String> {
    let made = tempfile::Builder::new().prefix("ambit-pg-").tempdir();
    let folder = made.map_err(|error| format!("no temporary folder: {error}"))?.keep();
    let owned =
        account.map_or(Ok(()), |Account { user, group }| chown(&folder, Some(user), Some(group)));
    owned
        .and_then(|()| std::fs::set_permissions(&folder, Permissions::from_mode(0o700)))
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// For use within a URL.
fn encoded(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    text.bytes()
        .map(
            |byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") },
        )
        .collect()
}

/// `cargo xtask postgres`: a server to try things out with.
pub fn run(arguments: &[String]) -> Outcome {
    if let Some(word) = arguments.first() {
        return Err(format!("postgres takes no arguments, not {word:?}"));
    }
    let mut cluster = Cluster::start()?;
    println!("{}", cluster.address());
    eprintln!("PostgreSQL runs until you press Ctrl-C; then it and its data are gone.");
    cluster.watch.wait().map_err(|error| format!("the server cannot be watched: {error}"))?;
    Err("the server was stopped".into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::{Cluster, encoded};

    #[test]
    fn a_server_runs_until_it_is_dropped_and_leaves_nothing() {
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
    fn a_folder_is_spelt_for_a_url() {
        assert_eq!(encoded("/a b/ü-1._~"), "%2Fa%20b%2F%C3%BC-1._~");
    }
}
