//! `sync`: every acknowledged text was written and synced before its acknowledgement. A trace of
//! system calls shows the text in a write to the log, then a sync of the log, then the
//! acknowledgement.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use ambit::Location;
use indicatif::ProgressBar;

use super::table::Row;
use super::testbed::{Database, Place, Testbed, describe};
use super::trace::{self, Call};
use xtask::process;

/// Arguments of strace. They show whole pages of a log, so that a text in them can be found.
const WATCH: [&str; 8] =
    ["-f", "-y", "-ttt", "-T", "-s", "70000", "-e", "trace=fsync,fdatasync,write,pwrite64"];

/// The time between two attempts to trace a server.
const PAUSE: Duration = Duration::from_millis(100);

pub fn run(testbed: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    trace::ready()?;
    bar.set_length(4);
    let mut rows = Vec::new();
    for (database, writers) in
        [(Database::Sqlite, 1), (Database::Sqlite, 4), (Database::Postgres, 4)]
    {
        let mut row = Row::new(format!("sync, {}, writers: {writers}", database.name()));
        row.rounds = rounds;
        if let Err(why) = trace_writers(testbed, database, writers, &mut row) {
            row.fault(why);
        }
        rows.push(row);
        bar.inc(1);
    }
    let mut row = Row::new("sync, a new file's folders");
    if let Err(why) = folders(testbed, &mut row) {
        row.fault(why);
    }
    rows.push(row);
    bar.inc(1);
    Ok(rows)
}

/// Traces one process with several writers; on PostgreSQL also the server.
fn trace_writers(
    testbed: &Testbed,
    database: Database,
    writers: u64,
    row: &mut Row,
) -> Result<(), String> {
    let name = format!("sync-{writers}");
    let trace = testbed.folder("traces")?.join("writer");
    let place = testbed.place(database, &name)?;
    let count = row.rounds.div_ceil(writers);
    match database {
        Database::Sqlite => {
            let calls = write(&place, writers, count, &trace)?;
            judge(&calls, &calls, "-wal>", row);
        }
        Database::Postgres => {
            let server = Server::watch(testbed.cluster()?.process()?, &trace.with_extension("pg"))?;
            let calls = write(&place, writers, count, &trace)?;
            judge(&calls, &server.calls()?, "/pg_wal/", row);
        }
    }
    Ok(())
}

fn write(place: &Place, writers: u64, count: u64, trace: &Path) -> Result<Vec<Call>, String> {
    let (writers, count) = (writers.to_string(), count.to_string());
    let writer = place.command(&["demo-writer", "--writers", &writers, "--count", &count]);
    let mut child =
        trace::around(&WATCH, trace, &writer).stdout(Stdio::piped()).spawn().map_err(describe)?;
    let out = child.stdout.take().ok_or("the writer has no standard output")?;
    let lines = BufReader::new(out).lines().count();
    let status = child.wait().map_err(describe)?;
    if !status.success() {
        return Err(format!("the writer failed after {lines} texts: {status}"));
    }
    trace::read(trace)
}

/// Checks for each acknowledgement that its text was written to the log and synced before.
fn judge(calls: &[Call], of_log: &[Call], log: &str, row: &mut Row) {
    let writes: Vec<&Call> =
        of_log.iter().filter(|call| call.is("pwrite64") && call.text.contains(log)).collect();
    let syncs: Vec<&Call> = of_log.iter().filter(|call| call.syncs(log)).collect();
    for ack in calls.iter().filter(|call| call.text.starts_with("write(1<")) {
        let Some(text) = ack.text.split('"').nth(1).and_then(|text| text.strip_suffix("\\n"))
        else {
            continue;
        };
        row.acknowledged += 1;
        let Some(written) = writes.iter().find(|call| holds(&call.text, text)) else {
            row.fault(format!("{text:?} was acknowledged and not written"));
            continue;
        };
        let between = |call: &&&Call| call.begun >= written.ended && call.ended <= ack.begun;
        match syncs.iter().find(between) {
            Some(sync) => {
                row.found += 1;
                row.took(Duration::from_secs_f64(sync.ended - sync.begun));
            }
            None => row.fault(format!("{text:?} was acknowledged before it was synced")),
        }
    }
    if row.acknowledged < row.rounds {
        row.fault("the trace does not show every acknowledgement");
    }
}

/// Whether a write contains a text. PostgreSQL's log has a header of 24 bytes on each page, the
/// second of them 0xD1, and a header may split a text.
fn holds(written: &str, text: &str) -> bool {
    const HEADER: usize = 24;
    if written.contains(text) {
        return true;
    }
    let (written, text) = (unescaped(written), text.as_bytes());
    let split = |at: usize| {
        let (first, second) = text.split_at(at);
        written.windows(text.len() + HEADER).any(|it| {
            it.starts_with(first) && it.ends_with(second) && it.get(at + 1) == Some(&0xD1)
        })
    };
    (1..text.len()).any(split)
}

/// Decodes bytes that strace shows in octal.
fn unescaped(shown: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(shown.len());
    let mut rest = shown.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.iter().take(3).take_while(|it| (b'0'..=b'7').contains(it)).count();
        if *first == b'\\' && digits == 0 {
            // An escape such as `\n`; its value does not matter here.
            bytes.push(b' ');
            rest = after.get(1..).unwrap_or_default();
        } else if *first == b'\\' {
            let octal = after[..digits].iter().fold(0u32, |sum, it| sum * 8 + u32::from(it - b'0'));
            bytes.push(octal as u8);
            rest = &after[digits..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    bytes
}

/// A trace of a server with all its processes.
struct Server {
    strace: Child,
    trace: PathBuf,
}

/// How often tracing a server is tried: it fails if one of its processes is just ending.
const ATTEMPTS: usize = 5;

impl Server {
    fn watch(process: u32, trace: &Path) -> Result<Server, String> {
        let mut watched = Server::attach(process, trace);
        for _ in 1..ATTEMPTS {
            if watched.is_ok() {
                break;
            }
            std::thread::sleep(PAUSE);
            watched = Server::attach(process, trace);
        }
        watched
    }

    fn attach(process: u32, trace: &Path) -> Result<Server, String> {
        let children = format!("/proc/{process}/task/{process}/children");
        let children = std::fs::read_to_string(&children).map_err(describe)?;
        let mut command = process::command("strace");
        command.args(WATCH).arg("-o").arg(trace).arg("-p").arg(process.to_string());
        for child in children.split_whitespace() {
            command.args(["-p", child]);
        }
        let mut strace = command.stderr(Stdio::piped()).spawn().map_err(describe)?;
        let mut err =
            strace.stderr.take().map(BufReader::new).ok_or("strace has no standard error")?;
        let server = Server { strace, trace: trace.to_path_buf() };
        for _ in 0..=children.split_whitespace().count() {
            let mut line = String::new();
            err.read_line(&mut line).map_err(describe)?;
            if !line.contains("attached") {
                return Err(format!("did not run: cannot trace the server: {}", line.trim()));
            }
        }
        // strace reports every process that starts or ends; the pipe must not fill up.
        std::thread::spawn(move || err.read_to_end(&mut Vec::new()));
        Ok(server)
    }

    /// Detaches from the server and returns the traced calls.
    fn calls(mut self) -> Result<Vec<Call>, String> {
        let mut interrupt = process::command("kill");
        interrupt.args(["-INT", &self.strace.id().to_string()]);
        process::output(interrupt)?;
        self.strace.wait().map_err(describe)?;
        trace::read(&self.trace)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.strace.kill();
        let _ = self.strace.wait();
    }
}

/// Checks that the folders of a new store are synced: syncing a file does not cover its name.
fn folders(testbed: &Testbed, row: &mut Row) -> Result<(), String> {
    let root = testbed.folder("sync-folders")?.canonicalize().map_err(describe)?;
    let location = Location::Sqlite(root.join("a/b/store.db"));
    let init = testbed.place_at(location, "default").command(&["init"]);
    let trace = testbed.folder("traces")?.join("init");
    process::output(trace::around(&WATCH, &trace, &init))?;
    let calls = trace::read(&trace)?;
    for folder in [root.join("a/b"), root.join("a"), root] {
        row.rounds += 1;
        let name = format!("<{}>", folder.display());
        if !calls.iter().any(|call| call.syncs(&name)) {
            row.fault(format!("{} was not synced", folder.display()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{holds, judge};
    use crate::table::Row;
    use crate::trace::Call;

    fn call(begun: f64, text: &str) -> Call {
        Call { begun, ended: begun + 0.1, text: text.to_string() }
    }

    fn judged(calls: &[Call]) -> bool {
        let mut row = Row::new("");
        row.rounds = 1;
        judge(calls, calls, "-wal>", &mut row);
        row.verdict.is_ok()
    }

    #[test]
    fn an_acknowledgement_must_follow_a_sync_that_follows_its_write() {
        let write = |at| call(at, "pwrite64(4</a-wal>, \"\\0writer 000001\\3\", 9, 0) = 9");
        let sync = |at| call(at, "fdatasync(4</a-wal>) = 0");
        let ack = |at| call(at, "write(1<pipe:[1]>, \"writer 000001\\n\", 14) = 14");
        assert!(judged(&[write(1.0), sync(2.0), ack(3.0)]));
        assert!(!judged(&[write(1.0), ack(3.0)]));
        assert!(!judged(&[sync(2.0), ack(3.0)]));
        assert!(!judged(&[sync(0.5), write(1.0), ack(3.0)]));
        assert!(!judged(&[write(1.0), ack(1.5), sync(2.0)]));
        assert!(!judged(&[write(1.0), sync(1.05), ack(3.0)]));
        assert!(!judged(&[]));
    }

    #[test]
    fn a_text_may_span_two_pages_of_a_log() {
        let header = format!("\\20\\321{}\\000", "\\0".repeat(21));
        assert!(holds(&format!("\\3writer 00{header}0001\\3"), "writer 000001"));
        assert!(holds("\\3writer 000001\\3", "writer 000001"));
        assert!(!holds(&format!("writer 00{header}0002"), "writer 000001"));
        assert!(!holds("writer 00\\3\\0\\00001", "writer 000001"));
    }
}
