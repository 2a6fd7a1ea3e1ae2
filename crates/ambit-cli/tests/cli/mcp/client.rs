//! A small client of the protocol, written from its description: one JSON object a line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::place::Place;

/// How long an answer may take before a test has failed.
const WAIT: Duration = Duration::from_secs(30);

pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next: i64,
    /// What the server said of itself.
    pub server: Value,
}

impl Client {
    /// A process that nobody has spoken to yet.
    pub fn start(place: &Place, arguments: &[&str]) -> Client {
        let mut command = place.command();
        command.arg("mcp").args(arguments);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = pipes.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (line, lines) = channel();
        std::thread::spawn(move || {
            for text in stdout.lines().map_while(Result::ok) {
                if line.send(text).is_err() {
                    return;
                }
            }
        });
        Client { child, stdin, lines, next: 1, server: Value::Null }
    }

    /// A process that knows its client by this name.
    pub fn named(place: &Place, name: &str, arguments: &[&str]) -> Client {
        let mut client = Client::start(place, arguments);
        client.server = client.initialize(name, "2025-06-18")["result"].clone();
        client
    }

    pub fn new(place: &Place) -> Client {
        Client::named(place, "tester", &[])
    }

    pub fn initialize(&mut self, name: &str, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": name, "version": "1"},
        });
        let answer = self.request("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        answer
    }

    /// Sends a line as it is.
    pub fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a request without waiting. Gives its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next;
        self.next += 1;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&request.to_string());
        id
    }

    /// The next line, which must be an answer of the protocol.
    pub fn line(&self) -> Value {
        let line = self.lines.recv_timeout(WAIT).unwrap();
        let value: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        assert_eq!(value["jsonrpc"], "2.0", "{line}");
        value
    }

    /// The answer to a request: `result` or `error` is in it.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.line();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("result").is_some(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// What a tool answers, whether it succeeded or not.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The result of a tool that must succeed.
    pub fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments);
        assert_ne!(answer["isError"], true, "{tool}: {answer}");
        let envelope = &answer["structuredContent"];
        assert_eq!(envelope["ok"], true, "{answer}");
        assert!(envelope["actor"].is_string() && envelope["timestamp"].is_string(), "{answer}");
        envelope["result"].clone()
    }

    /// The error of a tool that must fail: `code`, `message`, `hint`.
    pub fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments);
        assert_eq!(answer["isError"], true, "{tool}: {answer}");
        let envelope = &answer["structuredContent"];
        assert_eq!(envelope["ok"], false, "{answer}");
        let text = answer["content"][0]["text"].as_str().unwrap();
        for part in ["code", "message", "hint"] {
            let part = envelope["error"][part].as_str().unwrap();
            assert!(!part.is_empty() && text.contains(part), "{answer}");
        }
        envelope["error"].clone()
    }

    /// Closes the client's end and waits for the process.
    pub fn leave(mut self, within: Duration) -> ExitStatus {
        drop(self.stdin.take());
        self.ended(within)
    }

    /// Waits for the process to end by itself.
    pub fn ended(&mut self, within: Duration) -> ExitStatus {
        let until = Instant::now() + within;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < until, "the process is still there after {within:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills the process, as a crash would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Whether the process says nothing for a while.
    pub fn silent(&self, during: Duration) -> bool {
        matches!(self.lines.recv_timeout(during), Err(RecvTimeoutError::Timeout))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A message that is a role and a text.
pub fn message(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}
