//! Answers that are lost on the wire. A go-between cuts the connection right after the server was
//! told to commit: the write must count once, with a key and without one.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ambit_core::ScopeNo;
use ambit_store::{Postgres, PostgresOptions, Store};
use tempfile::TempDir;

use crate::driver::{Driver, deciding, say};
use crate::server::fresh_schema;

/// Where a connection is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// The server hears of the commit, and nobody hears the answer.
    AfterCommit,
    /// The server never hears of it.
    BeforeCommit,
}

/// Listens where a server would, and passes everything on but for what it is told to cut.
struct Between {
    folder: TempDir,
    /// How many commits are still to be cut.
    cuts: Arc<AtomicUsize>,
    address: String,
}

impl Between {
    fn new(cut: Cut) -> Between {
        let address = fresh_schema();
        let folder = TempDir::new().unwrap();
        let cuts = Arc::new(AtomicUsize::new(0));
        let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
        let server = socket(&address);
        let left = cuts.clone();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server = UnixStream::connect(&server).unwrap();
                pass(client, server, cut, left.clone());
            }
        });
        Between { folder, cuts, address }
    }

    /// The server's address, with the go-between's socket in place of its own.
    fn address(&self) -> String {
        let (front, query) = self.address.split_once('?').unwrap();
        let mut pairs: Vec<String> =
            query.split('&').filter(|it| !it.starts_with("host=")).map(str::to_string).collect();
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        pairs.push(format!("host={folder}"));
        format!("{front}?{}", pairs.join("&"))
    }
}

/// The socket that an address of the tests' server means.
pub fn socket(address: &str) -> PathBuf {
    let query = address.split_once('?').unwrap().1;
    let host = query.split('&').find_map(|pair| pair.strip_prefix("host=")).unwrap();
    Path::new(&host.replace("%2F", "/")).join(".s.PGSQL.5432")
}

/// How a client says that the server is to commit: statements that it once prepared. One is said
/// after others; on a guess, one is all there is.
#[derive(Default)]
struct Commit {
    /// The statements' names within messages that have them executed.
    named: Vec<Vec<u8>>,
}

impl Commit {
    fn is_in(&mut self, bytes: &[u8]) -> bool {
        const COMMIT: &[u8] = b"\0COMMIT\0";
        const CHECK: &[u8] = b" SELECT 1 / (CASE WHEN ";
        let found = |text: &[u8]| bytes.windows(text.len()).position(|it| it == text);
        let text = found(COMMIT).or_else(|| {
            let check = found(CHECK)?;
            bytes[..check].windows(6).rposition(|it| it == b"\0WITH ")
        });
        if let Some(at) = text {
            // The driver calls them s1, s2 and so on.
            let begin = bytes[..at].iter().rposition(|byte| *byte == b's');
            let name = &bytes[begin.unwrap_or(at)..at];
            self.named.push([b"\0", name, b"\0"].concat());
            return false;
        }
        self.named.iter().any(|named| found(named).is_some())
    }
}

fn pass(client: UnixStream, server: UnixStream, cut: Cut, left: Arc<AtomicUsize>) {
    let (mut from_server, mut to_client) =
        (server.try_clone().unwrap(), client.try_clone().unwrap());
    thread::spawn(move || {
        let _ = std::io::copy(&mut from_server, &mut to_client);
        let _ = to_client.shutdown(Shutdown::Both);
    });
    let (mut from_client, mut to_server) = (client, server);
    thread::spawn(move || {
        let mut buffer = vec![0; 1 << 20];
        let mut commit = Commit::default();
        while let Ok(count) = from_client.read(&mut buffer) {
            let bytes = &buffer[..count];
            let commits = commit.is_in(bytes);
            let one_less = |left: usize| left.checked_sub(1);
            let cuts =
                commits && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok();
            if cuts && cut == Cut::AfterCommit {
                // Nobody hears the answer: that side is closed first.
                let _ = from_client.shutdown(Shutdown::Both);
                let _ = to_server.write_all(bytes);
                thread::sleep(std::time::Duration::from_millis(50));
            }
            if count == 0 || cuts || to_server.write_all(bytes).is_err() {
                break;
            }
        }
        let _ = from_client.shutdown(Shutdown::Both);
        let _ = to_server.shutdown(Shutdown::Both);
    });
}

/// Cuts five commits, each after so many that were left alone.
fn a_lost_answer_is_found_again(cut: Cut, key: bool, calm: i64) {
    let between = Between::new(cut);
    let options = PostgresOptions::default();
    let (store, _) = Postgres::create(&between.address(), &|_| None, &options).unwrap();
    let mut driver = Driver::new(&store);
    driver.must(&say("first"));
    for number in 0..5i64 {
        driver.key = None;
        (0..calm).for_each(|calm| drop(driver.must(&say(&format!("calm {number} {calm}")))));
        // A commit that never arrived is made again, and may be cut again.
        let again = usize::from(cut == Cut::BeforeCommit && number % 2 == 1);
        between.cuts.store(1 + again, Ordering::SeqCst);
        driver.key = key.then(|| format!("key {number}"));
        let command = say(&format!("number {number}"));
        let ask = driver.ask(&command);
        let decide = deciding(&ask, command);
        store.transact(ask, decide).unwrap();
        assert_eq!(between.cuts.load(Ordering::SeqCst), 0, "it was cut");
        let messages = driver.rows().scopes[&ScopeNo(1)].messages;
        let expected = 1 + (number + 1) * (calm + 1);
        assert_eq!(messages, expected, "{cut:?}, key {key}: neither lost nor doubled");
    }
    driver.key = None;
    driver.must(&say("the last word"));
}

/// So many undisturbed commands make a process trust in what it knows of a vault.
const CALM: i64 = 3;

#[test]
fn a_commit_whose_answer_was_lost_counts_once() {
    a_lost_answer_is_found_again(Cut::AfterCommit, false, 0);
}

#[test]
fn a_commit_whose_answer_was_lost_counts_once_by_its_key() {
    a_lost_answer_is_found_again(Cut::AfterCommit, true, 0);
}

#[test]
fn a_commit_that_never_arrived_is_made_again() {
    a_lost_answer_is_found_again(Cut::BeforeCommit, false, 0);
}

#[test]
fn a_guess_whose_answer_was_lost_counts_once() {
    a_lost_answer_is_found_again(Cut::AfterCommit, false, CALM);
    a_lost_answer_is_found_again(Cut::AfterCommit, true, CALM);
}

#[test]
fn a_guess_that_never_arrived_is_made_again() {
    a_lost_answer_is_found_again(Cut::BeforeCommit, false, CALM);
}
