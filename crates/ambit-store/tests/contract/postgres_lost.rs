//! Answers that are lost on the wire. A go-between cuts the connection right after the server was
//! told to commit: the write must count once, with a key and without one.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use ambit_core::ScopeNo;
use ambit_store::{Postgres, PostgresOptions, Store};
use tempfile::TempDir;

use crate::driver::{Driver, deciding, say};
use crate::server::fresh_schema;

/// Where a connection is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// The server hears of the commit, and nobody hears the answer.
    Answer,
    /// The server hears of a guess when the client has been told already that it was not kept.
    Late,
    /// The server never hears of it.
    Commit,
}

/// Listens where a server would, and passes everything on but for what it is told to cut.
struct Between {
    folder: TempDir,
    plan: Arc<Plan>,
    address: String,
}

struct Plan {
    cut: Cut,
    /// How many commits are still to be cut.
    cuts: AtomicUsize,
    /// How many guesses were cut.
    guesses: AtomicUsize,
    /// What is still on its way to the server.
    late: Mutex<Option<(UnixStream, Vec<u8>)>>,
}

impl Between {
    fn new(cut: Cut) -> Between {
        let address = fresh_schema();
        let folder = TempDir::new().unwrap();
        let (cuts, guesses) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let plan = Arc::new(Plan { cut, cuts, guesses, late: Mutex::new(None) });
        let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
        let server = socket(&address);
        let passing = plan.clone();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server = UnixStream::connect(&server).unwrap();
                pass(client, server, passing.clone());
            }
        });
        Between { folder, plan, address }
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
    /// The statements' names within messages that have them executed, and which are guesses.
    named: Vec<(Vec<u8>, bool)>,
}

impl Commit {
    /// What is said to be committed there: a guess, or what was sent before.
    fn find(&mut self, bytes: &[u8]) -> Option<bool> {
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
            let guess = found(COMMIT).is_none();
            self.named.push(([b"\0", name, b"\0"].concat(), guess));
            return None;
        }
        self.named.iter().find(|(named, _)| found(named).is_some()).map(|(_, guess)| *guess)
    }
}

fn pass(client: UnixStream, server: UnixStream, plan: Arc<Plan>) {
    let (mut from_server, mut to_client) =
        (server.try_clone().unwrap(), client.try_clone().unwrap());
    thread::spawn(move || {
        let _ = std::io::copy(&mut from_server, &mut to_client);
        let _ = to_client.shutdown(Shutdown::Both);
    });
    let (mut from_client, mut to_server) = (client, server);
    thread::spawn(move || {
        let mut buffer = vec![0; 1 << 20];
        let (mut commit, mut question) = (Commit::default(), Question::default());
        while let Ok(count) = from_client.read(&mut buffer) {
            let bytes = &buffer[..count];
            if question.is_answered(bytes) {
                plan.deliver();
            }
            let commits = commit.find(bytes);
            if commits.is_some_and(|guess| plan.cuts(guess)) {
                // Nobody hears the answer: that side is closed first.
                let _ = from_client.shutdown(Shutdown::Both);
                let guess = commits == Some(true);
                let late = Some((to_server.try_clone().unwrap(), bytes.to_vec()));
                *plan.late.lock().unwrap() = late.filter(|_| plan.cut != Cut::Commit);
                if plan.cut == Cut::Late && guess {
                    return;
                }
                plan.deliver();
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

impl Plan {
    /// Whether this commit is cut.
    fn cuts(&self, guess: bool) -> bool {
        let one_less = |left: usize| left.checked_sub(1);
        let cuts = self.cuts.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok();
        self.guesses.fetch_add(usize::from(cuts && guess), Ordering::SeqCst);
        cuts
    }

    fn deliver(&self) {
        if let Some((mut server, bytes)) = self.late.lock().unwrap().take() {
            let _ = server.write_all(&bytes);
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// How a client asks whether an event was kept: it has the question prepared, then executed, and
/// what it sends after that is sent in the knowledge of the answer.
#[derive(Default)]
struct Question {
    messages: usize,
}

impl Question {
    fn is_answered(&mut self, bytes: &[u8]) -> bool {
        const TEXT: &[u8] = b"SELECT hash FROM event";
        if self.messages > 0 || bytes.windows(TEXT.len()).any(|it| it == TEXT) {
            self.messages += 1;
        }
        self.messages > 2
    }
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
        let again = usize::from(cut == Cut::Commit && number % 2 == 1);
        between.plan.cuts.store(1 + again, Ordering::SeqCst);
        driver.key = key.then(|| format!("key {number}"));
        let command = say(&format!("number {number}"));
        let ask = driver.ask(&command);
        let decide = deciding(&ask, command);
        store.transact(ask, decide).unwrap();
        assert_eq!(between.plan.cuts.load(Ordering::SeqCst), 0, "it was cut");
        let messages = driver.rows().scopes[&ScopeNo(1)].messages;
        let expected = 1 + (number + 1) * (calm + 1);
        assert_eq!(messages, expected, "{cut:?}, key {key}: neither lost nor doubled");
    }
    driver.key = None;
    driver.must(&say("the last word"));
    assert!(calm == 0 || between.plan.guesses.load(Ordering::SeqCst) > 0, "guesses were cut");
}

/// So many undisturbed commands make a process trust in what it knows of a vault.
const CALM: i64 = 3;

#[test]
fn a_commit_whose_answer_was_lost_counts_once() {
    a_lost_answer_is_found_again(Cut::Answer, false, 0);
}

#[test]
fn a_commit_whose_answer_was_lost_counts_once_by_its_key() {
    a_lost_answer_is_found_again(Cut::Answer, true, 0);
}

#[test]
fn a_commit_that_never_arrived_is_made_again() {
    a_lost_answer_is_found_again(Cut::Commit, false, 0);
}

#[test]
fn a_guess_whose_answer_was_lost_counts_once() {
    a_lost_answer_is_found_again(Cut::Answer, false, CALM);
    a_lost_answer_is_found_again(Cut::Answer, true, CALM);
}

#[test]
fn a_guess_that_arrives_late_counts_once() {
    a_lost_answer_is_found_again(Cut::Late, false, CALM);
    a_lost_answer_is_found_again(Cut::Late, true, CALM);
}

#[test]
fn a_guess_that_never_arrived_is_made_again() {
    a_lost_answer_is_found_again(Cut::Commit, false, CALM);
}
