//! Commits that fail or are not answered. A proxy interferes when the server receives the
//! commit: the write must count once, with a key and without one, and nothing that may have been
//! written is reported as not written.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use ambit_core::ScopeNo;
use ambit_store::{Error, Postgres, PostgresOptions};
use tempfile::TempDir;

use crate::driver::{Driver, deciding, say};
use crate::server::fresh_schema;

/// What happens to a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// The server commits, and the connection breaks before the answer.
    Answer,
    /// The connection breaks at once, and the server receives the commit a moment later.
    Late,
    /// The server never receives the commit.
    Commit,
    /// The server commits, and the client is sent an error.
    AnswerByError,
    /// The server never receives the commit, and the client is sent an error.
    CommitByError,
    /// The server commits, and nobody can reach it from then on.
    Server,
}

/// Listens where a server would, and passes everything on but for the commits to cut.
struct Proxy {
    folder: TempDir,
    plan: Arc<Plan>,
    address: String,
}

struct Plan {
    cut: Cut,
    /// How many commits are still to be cut.
    cuts: AtomicUsize,
    /// Whether new connections are closed at once.
    down: AtomicBool,
}

impl Proxy {
    fn new(cut: Cut) -> Proxy {
        let address = fresh_schema();
        let folder = TempDir::new().unwrap();
        let plan = Plan { cut, cuts: AtomicUsize::new(0), down: AtomicBool::new(false) };
        let plan = Arc::new(plan);
        let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
        let server = socket(&address);
        let passing = plan.clone();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if !passing.down.load(Ordering::SeqCst) {
                    let server = UnixStream::connect(&server).unwrap();
                    pass(client, server, passing.clone());
                }
            }
        });
        Proxy { folder, plan, address }
    }

    fn address(&self) -> String {
        at_folder(&self.address, self.folder.path())
    }
}

/// A server's address, with a socket in another folder in place of its own.
pub fn at_folder(address: &str, folder: &Path) -> String {
    let (front, query) = address.split_once('?').unwrap();
    let mut pairs: Vec<String> =
        query.split('&').filter(|it| !it.starts_with("host=")).map(str::to_string).collect();
    pairs.push(format!("host={}", folder.display().to_string().replace('/', "%2F")));
    format!("{front}?{}", pairs.join("&"))
}

/// The socket that an address of the tests' server means.
pub fn socket(address: &str) -> PathBuf {
    let query = address.split_once('?').unwrap().1;
    let host = query.split('&').find_map(|pair| pair.strip_prefix("host=")).unwrap();
    Path::new(&host.replace("%2F", "/")).join(".s.PGSQL.5432")
}

/// The message that tells a server to commit.
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";

/// An error in the server's words: a message, and that the server is ready again.
const ERROR: &[u8] = b"E\0\0\0\x29SERROR\0VERROR\0CXX000\0Mit went wrong\0\0Z\0\0\0\x05I";

fn pass(client: UnixStream, server: UnixStream, plan: Arc<Plan>) {
    let (mut from_server, mut to_client) =
        (server.try_clone().unwrap(), client.try_clone().unwrap());
    let muted = Arc::new(AtomicBool::new(false));
    let mute = muted.clone();
    thread::spawn(move || {
        let mut buffer = vec![0; 1 << 20];
        while let Ok(count) = from_server.read(&mut buffer) {
            let heard = muted.load(Ordering::SeqCst);
            if count == 0 || heard || to_client.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
        if !muted.load(Ordering::SeqCst) {
            let _ = to_client.shutdown(Shutdown::Both);
        }
    });
    let (mut from_client, mut to_server) = (client, server);
    thread::spawn(move || {
        let mut buffer = vec![0; 1 << 20];
        while let Ok(count) = from_client.read(&mut buffer) {
            let bytes = &buffer[..count];
            if bytes.windows(COMMIT.len()).any(|it| it == COMMIT) && plan.cuts() {
                mute.store(true, Ordering::SeqCst);
                cut(plan.cut, bytes, &mut from_client, &mut to_server);
                break;
            }
            if count == 0 || to_server.write_all(bytes).is_err() {
                break;
            }
        }
        let _ = from_client.shutdown(Shutdown::Both);
        let _ = to_server.shutdown(Shutdown::Both);
    });
}

fn cut(cut: Cut, bytes: &[u8], client: &mut UnixStream, server: &mut UnixStream) {
    let moment = || thread::sleep(Duration::from_millis(50));
    match cut {
        Cut::Answer | Cut::Server => {
            server.write_all(bytes).unwrap();
            moment();
        }
        Cut::Late => {
            let _ = client.shutdown(Shutdown::Both);
            thread::sleep(Duration::from_millis(500));
            server.write_all(bytes).unwrap();
            moment();
        }
        Cut::AnswerByError => {
            server.write_all(bytes).unwrap();
            moment();
            client.write_all(ERROR).unwrap();
        }
        Cut::CommitByError => client.write_all(ERROR).unwrap(),
        Cut::Commit => {}
    }
}

impl Plan {
    /// Whether this commit is cut.
    fn cuts(&self) -> bool {
        let one_less = |left: usize| left.checked_sub(1);
        let cuts = self.cuts.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok();
        if cuts && self.cut == Cut::Server {
            self.down.store(true, Ordering::SeqCst);
        }
        cuts
    }
}

/// Gives a command whose commit is cut.
fn transact(driver: &mut Driver<'_>, text: &str) -> Result<(), Error> {
    let command = say(text);
    let ask = driver.ask(&command);
    let decide = deciding(&ask, command);
    driver.store.transact(ask, decide).map(drop)
}

/// Cuts five commits, each after so many that were left alone.
fn counts_once(cut: Cut, key: bool, calm: i64) {
    let proxy = Proxy::new(cut);
    let options = PostgresOptions::default();
    let (store, _) = Postgres::create(&proxy.address(), &|_| None, &options).unwrap();
    let mut driver = Driver::new(&store);
    driver.must(&say("first"));
    for number in 0..5i64 {
        driver.key = None;
        (0..calm).for_each(|calm| drop(driver.must(&say(&format!("calm {number} {calm}")))));
        // A commit that never arrived is made again, and may be cut again.
        let again = usize::from(cut == Cut::Commit && number % 2 == 1);
        proxy.plan.cuts.store(1 + again, Ordering::SeqCst);
        driver.key = key.then(|| format!("key {number}"));
        transact(&mut driver, &format!("number {number}")).unwrap();
        assert_eq!(proxy.plan.cuts.load(Ordering::SeqCst), 0, "it was cut");
        let messages = driver.rows().scopes[&ScopeNo(1)].messages;
        let expected = 1 + (number + 1) * (calm + 1);
        assert_eq!(messages, expected, "{cut:?}, key {key}: neither lost nor doubled");
    }
    driver.key = None;
    driver.must(&say("the last word"));
}

#[test]
fn a_commit_whose_answer_was_lost_counts_once() {
    counts_once(Cut::Answer, false, 0);
    counts_once(Cut::Answer, false, 3);
}

#[test]
fn a_commit_whose_answer_was_lost_counts_once_by_its_key() {
    counts_once(Cut::Answer, true, 0);
    counts_once(Cut::Answer, true, 3);
}

#[test]
fn a_commit_that_never_arrived_is_made_again() {
    counts_once(Cut::Commit, false, 0);
    counts_once(Cut::Commit, true, 3);
}

#[test]
fn a_commit_that_arrives_late_counts_once() {
    counts_once(Cut::Late, false, 0);
    counts_once(Cut::Late, true, 3);
}

#[test]
fn a_commit_that_was_answered_by_an_error_counts_once() {
    counts_once(Cut::AnswerByError, false, 0);
    counts_once(Cut::AnswerByError, true, 3);
}

#[test]
fn a_commit_that_failed_is_reported_by_its_error() {
    let proxy = Proxy::new(Cut::CommitByError);
    let options = PostgresOptions::default();
    let (store, _) = Postgres::create(&proxy.address(), &|_| None, &options).unwrap();
    let mut driver = Driver::new(&store);
    driver.must(&say("first"));
    proxy.plan.cuts.store(1, Ordering::SeqCst);
    let error = transact(&mut driver, "second").unwrap_err().to_string();
    assert!(error.contains("it went wrong (SQLSTATE XX000)"), "{error}");
    assert_eq!(driver.rows().scopes[&ScopeNo(1)].messages, 1);
    driver.must(&say("second"));
}

#[test]
fn a_commit_with_an_unreachable_server_is_reported_as_unknown() {
    let proxy = Proxy::new(Cut::Server);
    let options = PostgresOptions { wait_ms: 1_000, ..PostgresOptions::default() };
    let (store, _) = Postgres::create(&proxy.address(), &|_| None, &options).unwrap();
    let mut driver = Driver::new(&store);
    driver.must(&say("first"));
    proxy.plan.cuts.store(1, Ordering::SeqCst);
    let error = transact(&mut driver, "second").unwrap_err();
    assert!(matches!(error, Error::Lost), "{error}");
    proxy.plan.down.store(false, Ordering::SeqCst);
    assert_eq!(driver.rows().scopes[&ScopeNo(1)].messages, 2, "it was committed");
}
