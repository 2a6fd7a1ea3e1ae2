//! Measures `ambit mcp` from a client: the round trip of a tool against that of an empty tool plus
//! the engine's own time; the time to the first answer; and memory at rest.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use ambit::{Engine, Location};
use serde_json::{Value, json};

use super::cli::program;
use super::{Line, caller, median, micros};

const ROUNDS: usize = 500;
const STARTS: usize = 20;

/// The largest allowed ratio of a call to an empty tool and the engine together.
const RATIO_MAX: f64 = 2.0;
const START_MS_MAX: f64 = 50.0;
const IDLE_MB_MAX: f64 = 40.0;

pub fn run(folder: &Path) -> Vec<Line> {
    let Some(program) = program() else {
        eprintln!("cannot measure `ambit mcp`: not built; run `cargo build --release`");
        return Vec::new();
    };
    // A store for each: two processes that write to one store invalidate each other's cache.
    let (served, own) = (Location::within(folder), Location::Sqlite(folder.join("own.db")));
    for location in [&served, &own] {
        let (engine, _) = Engine::create(location).expect("a store");
        engine.create_vault("default").expect("a vault");
    }
    let (me, engine) = (caller(), Engine::open(&own).expect("a store"));
    engine.append_text(&me, "user", "the first").expect("an append");

    let mut starts: Vec<f64> =
        (0..STARTS).map(|_| micros(|| drop(Client::start(&program, folder)))).collect();
    let mut client = Client::start(&program, folder);
    let message = json!({"messages": [{"role": "user", "content": "why does login time out?"}]});
    let own_where = || drop(engine.where_am_i(&me).expect("where"));
    let own_append =
        || drop(engine.append_text(&me, "user", "why does login time out?").expect("an append"));
    let mut took = [const { Vec::new() }; 5];
    // The calls take turns: the machine is shared and noisy.
    for _ in 0..ROUNDS {
        took[0].push(micros(|| client.call("nothing", &json!({}))));
        took[1].push(micros(|| client.call("where", &json!({}))));
        took[2].push(micros(own_where));
        took[3].push(micros(|| client.call("append", &message)));
        took[4].push(micros(own_append));
    }
    let [nothing, place, own_place, append, own_append] = took.map(|mut it| median(&mut it));
    let line = |what: &str, call: f64, own: f64| {
        let detail = format!("{call:.0} µs against {nothing:.0} and {own:.0} µs");
        Line::at_most(format!("mcp: {what}"), call / (nothing + own), RATIO_MAX, &detail)
    };
    let mut lines = vec![
        line("where", place, own_place),
        line("append", append, own_append),
        Line::below_ms("mcp: start to first answer", median(&mut starts) / 1e3, START_MS_MAX),
    ];
    if let Some(megabytes) = client.resident() {
        lines.push(Line {
            what: "mcp: memory at rest".into(),
            measured: format!("{megabytes:.1} MB"),
            bound: format!("below {IDLE_MB_MAX} MB"),
            kept: megabytes < IDLE_MB_MAX,
        });
    }
    lines
}

struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Client {
    /// Starts a server and waits for its first answer.
    fn start(program: &Path, folder: &Path) -> Client {
        let mut child = Command::new(program)
            .args(["mcp", "--nothing", "--as", "bench"])
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program");
        let stdin = child.stdin.take().expect("its input");
        let stdout = BufReader::new(child.stdout.take().expect("its output"));
        let mut client = Client { child, stdin, stdout };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"}});
        client.ask("initialize", &hello);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin, "{message}").and_then(|()| self.stdin.flush()).expect("a line");
    }

    fn ask(&mut self, method: &str, params: &Value) -> String {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("an answer");
        line
    }

    fn call(&mut self, tool: &str, arguments: &Value) {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        assert!(answer.contains("\"ok\":true"), "{answer}");
    }

    /// Returns the resident memory of the process in megabytes, if the system reports it.
    fn resident(&self) -> Option<f64> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
        Some(kilobytes / 1024.0)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
