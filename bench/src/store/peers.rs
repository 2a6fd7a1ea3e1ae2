//! Measures other products on the same work: 1,000 short texts stored one by one, the last 50 read
//! back, and the size on disk. Each is installed by its package name into a temporary folder.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use ambit::{Caller, Request};
use serde_json::{Value, json};

use super::database::Database;
use super::figure::Figure;
use super::load::BYTES;
use crate::text;
use xtask::process;

const TEXTS: usize = 1_000;
const LAST: usize = 50;

/// Time limits, in seconds, of an installation and of the work.
const INSTALL: &str = "1200";
const WORK: &str = "180";

struct Peer {
    name: &'static str,
    install: fn(&Path) -> Result<(), String>,
    work: fn(&Path, &[String]) -> Result<Worked, String>,
    /// How the product was called.
    how: &'static str,
}

struct Worked {
    put: f64,
    read: f64,
}

const PEERS: [Peer; 4] = [
    Peer {
        name: "npm @modelcontextprotocol/server-memory",
        install: |folder| {
            let prefix = folder.to_string_lossy().into_owned();
            let package = "@modelcontextprotocol/server-memory";
            limited(INSTALL, &["npm", "install", "--silent", "--prefix", &prefix, package])
        },
        work: |folder, texts| {
            let script = "node_modules/@modelcontextprotocol/server-memory/dist/index.js";
            let script = folder.join(script).to_string_lossy().into_owned();
            graph(server(folder, &["node", &script]), texts)
        },
        how: "MCP over stdio; a file rewritten for each, not synced",
    },
    Peer {
        name: "crate mcp-memory",
        install: |folder| install(folder, "mcp-memory"),
        work: |folder, texts| {
            let program = program(folder, "mcp-memory");
            let command = [&program, "--enable-graph-read", "--enable-graph-write"];
            graph(server(folder, &command), texts)
        },
        how: "MCP over stdio; durability set to sync",
    },
    Peer {
        name: "crate ai-memory",
        install: |folder| install(folder, "ai-memory"),
        work: |folder, texts| {
            let file = folder.join("data").join("memory.db").to_string_lossy().into_owned();
            let program = program(folder, "ai-memory");
            let command = [&program, "--db", &file, "mcp", "--tier", "keyword"];
            memories(server(folder, &command), texts)
        },
        how: "MCP over stdio; its tier without a model",
    },
    Peer {
        name: "PyPI langgraph-checkpoint-sqlite",
        install: |folder| {
            let place = folder.join("env").to_string_lossy().into_owned();
            limited(INSTALL, &["python3", "-m", "venv", &place])?;
            let pip = format!("{place}/bin/pip");
            limited(INSTALL, &[&pip, "install", "--quiet", "langgraph-checkpoint-sqlite"])
        },
        work: checkpoints,
        how: "within its process; a checkpoint that holds only the new text",
    },
];

pub fn run(folder: &Path) -> Vec<Figure> {
    let texts: Vec<String> = (0..TEXTS).map(|it| text(BYTES, it as u64)).collect();
    let mut figures = vec![ours(folder, &texts)];
    for (number, peer) in PEERS.iter().enumerate() {
        let own = folder.join(format!("peer-{number}"));
        std::fs::create_dir_all(own.join("data")).expect("a folder");
        eprintln!("installing {} …", peer.name);
        let worked = (peer.install)(&own).and_then(|()| (peer.work)(&own, &texts));
        figures.push(match worked {
            Ok(worked) => figure(peer.name, &worked, size(&own.join("data")), peer.how),
            Err(why) => Figure::unbounded(peer.name, format!("did not run: {why}")),
        });
    }
    figures
}

fn figure(name: &str, worked: &Worked, bytes: u64, how: &str) -> Figure {
    let stored = (TEXTS * BYTES) as f64;
    let measured = format!(
        "{:.2} ms to store one, {:.1} ms to read {LAST} back, {:.1} × the text on disk ({how})",
        worked.put * 1e3 / TEXTS as f64,
        worked.read * 1e3,
        bytes as f64 / stored,
    );
    Figure::unbounded(name, measured)
}

fn ours(folder: &Path, texts: &[String]) -> Figure {
    let opened = Database::Sqlite(folder.to_path_buf()).open("peers");
    let me = Caller::new("bench");
    let put = seconds(|| {
        for text in texts {
            opened.engine.append_text(&me, "user", text).expect("appended");
        }
    });
    // Enough tokens for the last 50 wherever the window begins.
    let request = Request { budget: Some(8_000), ..Request::default() };
    let read = seconds(|| {
        let shown = opened.engine.compose(&me, &request).expect("composed").messages.len();
        assert!(shown >= LAST, "{shown}");
    });
    let how = "within its process; synced; composed for a model";
    figure("Ambit on SQLite", &Worked { put, read }, opened.bytes() as u64, how)
}

fn seconds(step: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    step();
    begun.elapsed().as_secs_f64()
}

/// Runs a program with a time limit in seconds.
fn limited(limit: &str, words: &[&str]) -> Result<(), String> {
    let mut command = process::command("timeout");
    command.arg(limit).args(words);
    process::output(command).map(drop)
}

fn install(folder: &Path, name: &str) -> Result<(), String> {
    let root = folder.to_string_lossy().into_owned();
    limited(INSTALL, &["cargo", "install", "--quiet", "--locked", "--root", &root, name])
}

fn program(folder: &Path, name: &str) -> String {
    folder.join("bin").join(name).to_string_lossy().into_owned()
}

/// Returns the bytes of all files in a folder.
fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|it| it.len()).sum()
}

/// An MCP server over stdio.
struct Server {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    next: u64,
}

fn server(folder: &Path, words: &[&str]) -> Result<Server, String> {
    let mut command = Command::new("timeout");
    command.arg(WORK).args(words).current_dir(folder.join("data"));
    command.env("MEMORY_FILE_PATH", folder.join("data").join("memory"));
    command.env("MCP_MEMORY_DURABILITY", "sync").env("HOME", folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("cannot open pipes to the server".into());
    };
    let mut server = Server { child, to, from: BufReader::new(from), next: 1 };
    let client = json!({"name": "bench", "version": "1"});
    server.ask(
        "initialize",
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
    )?;
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    Ok(server)
}

impl Server {
    fn send(&mut self, message: &Value) -> Result<(), String> {
        let sent = writeln!(self.to, "{message}").and_then(|()| self.to.flush());
        sent.map_err(|error| format!("the server closed its input: {error}"))
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.from.read_line(&mut line).map_err(|error| error.to_string())?;
            if read == 0 {
                return Err(format!("no answer to {method} within {WORK} s"));
            }
            let answer: Value = serde_json::from_str(&line).unwrap_or_default();
            if answer["id"] == id {
                let failed = answer["result"]["isError"] == true || answer["error"].is_object();
                return if failed { Err(format!("{method}: {line}")) } else { Ok(answer) };
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Measures a knowledge graph: each text is an observation of a separate entity.
fn graph(server: Result<Server, String>, texts: &[String]) -> Result<Worked, String> {
    let mut server = server?;
    let begun = Instant::now();
    for (number, text) in texts.iter().enumerate() {
        let name = format!("message-{number}");
        let entity = json!({"name": name, "entityType": "message", "observations": [text]});
        server.call("create_entities", json!({"entities": [entity]}))?;
    }
    let put = begun.elapsed().as_secs_f64();
    let names: Vec<String> = (TEXTS - LAST..TEXTS).map(|it| format!("message-{it}")).collect();
    let begun = Instant::now();
    let found = server.call("open_nodes", json!({"names": names}))?;
    let read = begun.elapsed().as_secs_f64();
    shows(&found, texts)?;
    Ok(Worked { put, read })
}

/// Measures a store of memories with titles.
fn memories(server: Result<Server, String>, texts: &[String]) -> Result<Worked, String> {
    let mut server = server?;
    let begun = Instant::now();
    for (number, text) in texts.iter().enumerate() {
        let title = format!("message {number}");
        server.call("memory_store", json!({"title": title, "content": text}))?;
    }
    let put = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let found = server.call("memory_list", json!({"limit": LAST, "format": "json"}))?;
    let read = begun.elapsed().as_secs_f64();
    shows(&found, texts)?;
    Ok(Worked { put, read })
}

/// Fails unless an answer contains the last texts stored.
fn shows(answer: &Value, texts: &[String]) -> Result<(), String> {
    let answer = answer.to_string();
    let last = texts.iter().rev().take(LAST);
    let missing = last.filter(|text| !answer.contains(text.as_str())).count();
    if missing > 0 {
        Err(format!("{missing} of the last {LAST} texts are missing"))
    } else {
        Ok(())
    }
}

const CHECKPOINTS: &str = r#"
import sqlite3, sys, time
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver
texts = open(sys.argv[1]).read().splitlines()
saver = SqliteSaver(sqlite3.connect(sys.argv[2], check_same_thread=False))
saver.setup()
config = {"configurable": {"thread_id": "1", "checkpoint_ns": ""}}
begun = time.perf_counter()
for number, text in enumerate(texts):
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"message": text}
    config = saver.put(config, checkpoint, {"source": "loop", "step": number}, {})
put = time.perf_counter() - begun
begun = time.perf_counter()
found = list(saver.list({"configurable": {"thread_id": "1"}}, limit=int(sys.argv[3])))
read = time.perf_counter() - begun
assert [it.checkpoint["channel_values"]["message"] for it in reversed(found)] == texts[-50:]
print(put, read)
"#;

fn checkpoints(folder: &Path, texts: &[String]) -> Result<Worked, String> {
    let (script, input) = (folder.join("work.py"), folder.join("texts"));
    let written = std::fs::write(&script, CHECKPOINTS)
        .and_then(|()| std::fs::write(&input, texts.join("\n")));
    written.map_err(|error| error.to_string())?;
    let mut command = process::command("timeout");
    command.arg(WORK).arg(folder.join("env/bin/python")).args([&script, &input]);
    command.arg(folder.join("data").join("checkpoints.db")).arg(LAST.to_string());
    let output = process::output(command)?;
    let numbers: Vec<f64> = output.split_whitespace().filter_map(|it| it.parse().ok()).collect();
    match numbers[..] {
        [put, read] => Ok(Worked { put, read }),
        _ => Err(format!("unexpected output {output:?}")),
    }
}
