//! Standard input and output as a transport: one message a line. A thread reads and a thread
//! writes, so that neither a silent client nor one that never reads holds up the protocol; what a
//! client may do to this process has limits here.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use ambit::repair_surrogates;
use rmcp::model::{ClientNotification, ClientRequest, ErrorCode, ErrorData, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{Notify, mpsc, oneshot};

/// The longest line that is read. A longer one is skipped and answered with an error.
const LINE_BYTES_MAX: u64 = 16 << 20;

/// The most requests whose answers the client has not read. At the limit no further request is
/// read, which bounds the memory that a client can use.
const ASKED_MAX: usize = 64;

/// How many messages wait to be handled, and to be written.
const WAITING_MAX: usize = 16;

/// The arguments of a call, verbatim. The protocol's own types do not keep the spelling of a
/// number, so the text travels next to the call.
#[derive(Clone)]
pub struct SpeltArguments(pub String);

/// A request of the newest revisions names its revision itself, here; they begin with this one.
const REVISION: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
const WITHOUT_HANDSHAKE: &str = "2026-07-28";

/// The methods that those revisions removed. Before the handshake, the protocol's library would
/// still answer them.
const GONE: [&str; 2] = ["initialize", "ping"];

type Incoming = RxJsonRpcMessage<RoleServer>;
type Outgoing = TxJsonRpcMessage<RoleServer>;

/// A line to write, and the channel to notify once it is written.
type Line = (String, oneshot::Sender<()>);

/// What the reading thread reports.
enum Arrived {
    Message(Box<Incoming>),
    /// A line that is no message, and what to answer to it.
    Wrong(Box<Outgoing>),
    /// The client is gone.
    End,
}

pub struct Pipes {
    incoming: mpsc::Receiver<Arrived>,
    outgoing: mpsc::Sender<Line>,
    asked: Arc<Asked>,
    patience: Duration,
}

/// The requests that wait for their answers to be read.
#[derive(Default)]
struct Asked {
    ids: Mutex<HashSet<RequestId>>,
    fewer: Notify,
}

impl Asked {
    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request came, or one is no longer waited for.
    fn heard(&self, message: &Incoming) {
        match message {
            Incoming::Request(request) => drop(self.ids().insert(request.id.clone())),
            Incoming::Notification(it) => {
                if let ClientNotification::CancelledNotification(cancelled) = &it.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.ids().remove(id);
                }
            }
            _ => {}
        }
    }

    fn answered(&self, id: Option<RequestId>) {
        if id.is_some_and(|id| self.ids().remove(&id)) {
            self.fewer.notify_one();
        }
    }
}

/// Notifies once everything is written.
pub struct Written(oneshot::Receiver<()>);

impl Written {
    pub async fn wait(self, patience: Duration) {
        let _ = tokio::time::timeout(patience, self.0).await;
    }
}

impl Pipes {
    pub fn open(patience: Duration) -> io::Result<(Pipes, Written)> {
        let (arrived, incoming) = mpsc::channel(WAITING_MAX);
        let (outgoing, lines) = mpsc::channel(WAITING_MAX);
        let (done, written) = oneshot::channel();
        let gone = arrived.clone();
        let broken = Arc::new(AtomicBool::new(false));
        let seen = broken.clone();
        thread::Builder::new().name("mcp-out".into()).spawn(move || {
            if !write_all(lines) {
                // The client no longer reads: accept nothing new.
                broken.store(true, Ordering::Relaxed);
                let _ = gone.blocking_send(Arrived::End);
            }
            let _ = done.send(());
        })?;
        thread::Builder::new().name("mcp-in".into()).spawn(move || {
            read_all(&arrived, &seen);
            let _ = arrived.blocking_send(Arrived::End);
        })?;
        let asked = Arc::default();
        Ok((Pipes { incoming, outgoing, asked, patience }, Written(written)))
    }
}

impl Transport<RoleServer> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        item: Outgoing,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let (outgoing, patience) = (self.outgoing.clone(), self.patience);
        let asked = self.asked.clone();
        let id = match &item {
            Outgoing::Response(response) => Some(response.id.clone()),
            Outgoing::Error(error) => error.id.clone(),
            _ => None,
        };
        async move {
            let text = serde_json::to_string(&item)?;
            let (done, out) = oneshot::channel();
            let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
            let written = async {
                outgoing.send((text, done)).await.map_err(|_| gone())?;
                out.await.map_err(|_| gone())
            };
            match tokio::time::timeout(patience, written).await {
                Ok(written) => {
                    asked.answered(id);
                    written
                }
                // Nobody reads the answers, and they would pile up. Each call is committed or not:
                // exiting here breaks nothing.
                Err(_) => {
                    let seconds = patience.as_secs();
                    eprintln!("ambit mcp: the client read nothing for {seconds} s: leaving");
                    std::process::exit(6)
                }
            }
        }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        loop {
            while self.asked.ids().len() >= ASKED_MAX {
                self.asked.fewer.notified().await;
            }
            match self.incoming.recv().await? {
                Arrived::Message(message) => {
                    self.asked.heard(&message);
                    return Some(*message);
                }
                Arrived::Wrong(answer) => drop(tokio::spawn(self.send(*answer))),
                Arrived::End => return None,
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.incoming.close();
        Ok(())
    }
}

/// Writes lines until all senders are gone. Returns false if a write fails.
fn write_all(mut lines: mpsc::Receiver<Line>) -> bool {
    let mut out = io::stdout().lock();
    while let Some((mut text, done)) = lines.blocking_recv() {
        text.push('\n');
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
            return false;
        }
        let _ = done.send(());
    }
    true
}

/// Reads lines until the client closes its end.
fn read_all(arrived: &mpsc::Sender<Arrived>, broken: &AtomicBool) {
    let mut input = BufReader::new(io::stdin().lock());
    while !broken.load(Ordering::Relaxed) {
        let parsed = match read_line(&mut input) {
            Ok(Some(line)) if line.trim_ascii().is_empty() => continue,
            Ok(Some(line)) => parse(&line),
            Ok(None) => return,
            Err(error) => {
                eprintln!("ambit mcp: standard input cannot be read: {error}");
                return;
            }
        };
        let next = match parsed {
            Ok(message) => Arrived::Message(Box::new(message)),
            Err(Refused { why, answer }) => {
                eprintln!("ambit mcp: {why}");
                let Some(answer) = answer else { continue };
                Arrived::Wrong(answer)
            }
        };
        if arrived.blocking_send(next).is_err() {
            return;
        }
    }
}

/// A line that is no message, and what to answer to it.
struct Refused {
    why: String,
    answer: Option<Box<Outgoing>>,
}

/// Reads a line, or the start of one over the limit; returns `None` at the end of input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = input.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line)?;
    if read as u64 > LINE_BYTES_MAX && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
        // One byte over the limit shows that the line is longer.
        return Ok(Some(line));
    }
    // A line without a newline is a truncated message.
    Ok((line.last() == Some(&b'\n')).then_some(line))
}

/// A call with its arguments as they are spelt.
#[derive(Deserialize)]
struct Spelt<'a> {
    #[serde(borrow)]
    params: SpeltParams<'a>,
}

#[derive(Deserialize)]
struct SpeltParams<'a> {
    #[serde(borrow)]
    arguments: &'a RawValue,
}

/// What of a message says whom to answer.
#[derive(Deserialize)]
struct Identified {
    id: Option<RequestId>,
}

fn parse(line: &[u8]) -> Result<Incoming, Refused> {
    if line.len() as u64 > LINE_BYTES_MAX {
        let why = format!("a line has more than {LINE_BYTES_MAX} bytes and was passed over");
        let error = ErrorData::invalid_request(why.clone(), None);
        return Err(Refused { why, answer: Some(Box::new(Outgoing::error(error, None))) });
    }
    // A client that sends invalid JSON could not match an answer to a request.
    let garbage = |why: String| Refused {
        why: format!("a line that is no JSON was passed over: {why}"),
        answer: None,
    };
    let text = std::str::from_utf8(line).map_err(|error| garbage(error.to_string()))?;
    let (text, _) = repair_surrogates(text.trim_start_matches('\u{FEFF}'));
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        // JSON that is too deep, or has a number that is too large: the client waits for an answer.
        let id = serde_json::from_str(&text).ok().and_then(|Identified { id }| id);
        id.map_or_else(|| garbage(error.to_string()), |id| unreadable(&error, Some(id)))
    })?;
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    if let Some(method) = gone(&value) {
        let why = format!("there is no method {method:?} in the revision that the request names");
        let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why.clone(), None);
        // A message without an id is a notification: it gets no answer.
        let answer = id.is_some().then(|| Box::new(Outgoing::error(error, id)));
        return Err(Refused { why, answer });
    }
    let mut message = serde_json::from_value(value).map_err(|error| unreadable(&error, id))?;
    if let Incoming::Request(request) = &mut message
        && let ClientRequest::CallToolRequest(call) = &mut request.request
        && let Ok(Spelt { params }) = serde_json::from_str(&text)
    {
        call.extensions.insert(SpeltArguments(params.arguments.get().to_string()));
    }
    Ok(message)
}

/// Refuses JSON that is not a message of the protocol.
fn unreadable(error: &serde_json::Error, id: Option<RequestId>) -> Refused {
    let why = format!("a line that is no message of the protocol: {error}");
    let error = ErrorData::invalid_request(why.clone(), None);
    Refused { why, answer: Some(Box::new(Outgoing::error(error, id))) }
}

/// Returns the method of a request that the revision it names has removed. A client that starts
/// with a complete handshake is exempt.
fn gone(request: &Value) -> Option<&str> {
    let revision = request.pointer(REVISION)?.as_str()?;
    let method = request["method"].as_str().filter(|method| GONE.contains(method))?;
    let handshake = request.pointer("/params/protocolVersion").is_some();
    (revision >= WITHOUT_HANDSHAKE && !handshake).then_some(method)
}

#[cfg(test)]
mod tests {
    use super::{LINE_BYTES_MAX, parse, read_line};

    #[test]
    fn lines_are_read_one_by_one_and_a_long_one_is_cut() {
        let long = vec![b'x'; LINE_BYTES_MAX as usize + 9];
        let mut input = b"a\n".to_vec();
        input.extend(&long);
        input.extend(b"\nb\nbroken off");
        let mut input = input.as_slice();
        assert_eq!(read_line(&mut input).unwrap().unwrap(), b"a\n");
        let cut = read_line(&mut input).unwrap().unwrap();
        assert_eq!(cut.len() as u64, LINE_BYTES_MAX + 1);
        assert!(parse(&cut).is_err_and(|refused| refused.answer.is_some()));
        assert_eq!(read_line(&mut input).unwrap().unwrap(), b"b\n");
        assert_eq!(read_line(&mut input).unwrap(), None);
    }
}
