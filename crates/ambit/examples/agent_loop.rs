//! An agent loop whose memory is Ambit, around an OpenAI-compatible chat endpoint.
//!
//! ```text
//! ambit init
//! OPENAI_BASE_URL=http://localhost:8080/v1 OPENAI_MODEL=some-model \
//!     cargo run -p ambit --example agent_loop "why does login time out?"
//! ```
//!
//! The loop appends each message, composes what the model is shown, and lets the model open
//! scopes, note findings and return by itself. It uses plain HTTP, as local servers do, and needs
//! no crate but this one.

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use ambit::{Caller, Engine, Location, Request};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const SYSTEM: &str = "You answer questions about the files in this folder. Open a scope before you \
look into something, note what you find, and go back to main with the result before you answer.";

/// The maximum number of requests for one answer.
const STEPS_MAX: usize = 30;

/// The maximum size of a file for the model, and of a server's response.
const FILE_BYTES_MAX: u64 = 100_000;
const ANSWER_BYTES_MAX: u64 = 16 << 20;

/// The endpoint of the model.
pub struct Endpoint {
    /// For example `http://localhost:8080/v1`.
    pub base: String,
    pub model: String,
    pub key: Option<String>,
}

impl Endpoint {
    fn from_environment() -> Result<Endpoint> {
        let variable = |name: &str| std::env::var(name).ok().filter(|it| !it.is_empty());
        Ok(Endpoint {
            base: variable("OPENAI_BASE_URL")
                .ok_or("set OPENAI_BASE_URL, such as http://localhost:8080/v1")?,
            model: variable("OPENAI_MODEL").unwrap_or_else(|| "default".into()),
            key: variable("OPENAI_API_KEY"),
        })
    }

    /// Returns the model's next message.
    fn ask(&self, messages: &[Value]) -> Result<Value> {
        let body = json!({"model": self.model, "messages": messages, "tools": tools()});
        let answer = self.post("/chat/completions", &body.to_string())?;
        match answer["choices"][0]["message"].clone() {
            Value::Null => Err(format!("the endpoint answered: {answer}").into()),
            message => Ok(message),
        }
    }

    /// Uses HTTP/1.0, so the response ends with the connection.
    fn post(&self, path: &str, body: &str) -> Result<Value> {
        let rest =
            self.base.strip_prefix("http://").ok_or("only http:// addresses are supported")?;
        let (host, root) = rest.split_once('/').unwrap_or((rest, ""));
        let address = if host.contains(':') { host.to_string() } else { format!("{host}:80") };
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(300)))?;
        let root = root.trim_end_matches('/');
        let root = if root.is_empty() { String::new() } else { format!("/{root}") };
        let key = self.key.as_ref().map(|key| format!("Authorization: Bearer {key}\r\n"));
        let head = format!(
            "POST {root}{path} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             {}Content-Length: {}\r\n\r\n",
            key.unwrap_or_default(),
            body.len(),
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body.as_bytes())?;
        let mut answer = String::new();
        stream.take(ANSWER_BYTES_MAX).read_to_string(&mut answer)?;
        let (head, content) = answer.split_once("\r\n\r\n").ok_or("the answer has no body")?;
        if head.split(' ').nth(1) != Some("200") {
            return Err(format!("the endpoint answered: {answer}").into());
        }
        Ok(serde_json::from_str(content)?)
    }
}

/// The tools that the model may call.
fn tools() -> Value {
    let tool = |name: &str, what: &str, arguments: &[&str]| {
        let properties: serde_json::Map<_, _> =
            arguments.iter().map(|it| (it.to_string(), json!({"type": "string"}))).collect();
        let parameters = json!({"type": "object", "properties": properties, "required": arguments});
        let function = json!({"name": name, "description": what, "parameters": parameters});
        json!({"type": "function", "function": function})
    };
    json!([
        tool("scope", "Open a scope for a sub-task; the note says why.", &["name", "note"]),
        tool("goto", "Go back to a scope; the note is the result.", &["name", "note"]),
        tool("note", "Keep what was found, in a line.", &["message"]),
        tool("read", "Read back what a handle stands for.", &["handle"]),
        tool("read_file", "Read a text file of this folder.", &["path"]),
    ])
}

/// Returns a tool's answer. Errors are answers too: the model can correct its call.
fn act(engine: &Engine, me: &Caller, name: &str, arguments: &Value) -> String {
    let word = |name: &str| arguments[name].as_str().unwrap_or_default();
    let done = match name {
        "scope" => engine.scope(me, word("name"), word("note")).map(|it| json!(it)),
        "goto" => engine.goto(me, word("name"), word("note")).map(|it| json!(it)),
        "note" => engine.note(me, word("message")).map(|it| json!(it)),
        "read" => engine.read_handle(me, word("handle")).map(|it| json!(it)),
        "read_file" => {
            return read_file(word("path")).unwrap_or_else(|why| format!("error: {why}"));
        }
        other => return format!("error: unknown tool {other}"),
    };
    match done {
        Ok(answer) => answer.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

/// Reads a file in or below the current folder.
fn read_file(path: &str) -> Result<String> {
    let root = std::env::current_dir()?.canonicalize()?;
    let path = root.join(path).canonicalize()?;
    if !path.starts_with(&root) {
        return Err("no such file in this folder".into());
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Asks until the model answers without calling a tool.
pub fn run(engine: &Engine, me: &Caller, model: &Endpoint, question: &str) -> Result<String> {
    engine.append_text(me, "user", question)?;
    let request = Request { system: Some(SYSTEM.into()), ..Request::default() };
    for _ in 0..STEPS_MAX {
        let shown = engine.compose(me, &request)?;
        eprintln!("{}: {} tokens", shown.scope, shown.tokens);
        let messages = shown.messages.iter().map(|it| serde_json::from_str(it.get()));
        let reply = model.ask(&messages.collect::<serde_json::Result<Vec<_>>>()?)?;
        engine.append_json(me, &reply.to_string())?;
        let calls = reply["tool_calls"].as_array().cloned().unwrap_or_default();
        if calls.is_empty() {
            return Ok(reply["content"].as_str().unwrap_or_default().to_string());
        }
        for call in calls {
            let function = &call["function"];
            let arguments = function["arguments"].as_str().unwrap_or("{}");
            let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
            // A switch carries the pending call along, so its reply is appended in the new scope.
            let name = function["name"].as_str().unwrap_or_default();
            let content = act(engine, me, name, &arguments);
            let reply = json!({"role": "tool", "tool_call_id": call["id"], "content": content});
            engine.append_json(me, &reply.to_string())?;
        }
    }
    Err(format!("no answer after {STEPS_MAX} steps").into())
}

fn main() -> Result<()> {
    let question = std::env::args().nth(1).ok_or("pass a question as the first argument")?;
    let engine = Engine::open(&Location::find(Path::new(&std::env::current_dir()?))?)?;
    let mut me = Caller::new("agent-loop");
    me.kind = ambit::ActorKind::Agent;
    println!("{}", run(&engine, &me, &Endpoint::from_environment()?, &question)?);
    Ok(())
}
