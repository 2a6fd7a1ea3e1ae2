//! `demo`: shows in a few seconds what this is for, by running the engine on a made-up bug hunt.

mod kill;
mod script;
pub mod writer;

use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use ambit::{Caller, Composition, Engine, Kind, Location, Outside, Request};
use ambit_verbs::text::{clean, counted, grouped, style};
use ambit_verbs::{Erased, Failure, Output, padded};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use crate::session::{ACTOR, SCOPE, STORE, VAULT};
use kill::Killed;
use script::{STORY, Step};

/// What the demo ignores.
const AMBIT_VARIABLES: [&str; 4] = [STORE, VAULT, ACTOR, SCOPE];

/// Show what Ambit does, in a few seconds; needs no setup and leaves no files
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ambit demo")]
pub struct Demo {}

impl Demo {
    pub fn run(&self) -> Result<Erased, Failure> {
        let folder = tempfile::tempdir().map_err(|error| {
            let message = format!("cannot make a temporary folder: {error}");
            Failure::new(Kind::Store, message, "set TMPDIR to a folder that can be written")
        })?;
        let (engine, _) = Engine::create(&Location::within(folder.path()))?;
        let engine = engine.with_outside(repeatable());
        engine.create_vault("default")?;
        let mut hunt = Hunt::new(engine);
        for step in STORY {
            hunt.step(step)?;
        }
        let killed = kill::run(folder.path())?;
        hunt.finish(&killed)
    }
}

/// A clock that ticks at each read, and seeds that count: the demo is identical on every machine,
/// hashes included.
fn repeatable() -> Outside {
    const BEGIN_MS: i64 = 1_767_261_600_000;
    let (ticks, seeds) = (AtomicI64::new(0), AtomicI64::new(0));
    Outside::given(
        move || BEGIN_MS + 1_000 * ticks.fetch_add(1, Relaxed),
        move || {
            let mut seed = [0; 32];
            seed[..8].copy_from_slice(&seeds.fetch_add(1, Relaxed).to_be_bytes());
            seed
        },
    )
}

/// One call to the provider: what is sent, and what a plain transcript would send.
#[derive(Debug, Serialize)]
struct Call {
    scope: String,
    messages: i64,
    tokens: i64,
    cost: i64,
    transcript_messages: i64,
    transcript_tokens: i64,
    transcript_cost: i64,
}

struct Hunt {
    engine: Engine,
    agent: Caller,
    text: String,
    calls: Vec<Call>,
    /// What a plain transcript holds by now.
    transcript_messages: i64,
    transcript_tokens: i64,
    next_id: usize,
}

impl Hunt {
    fn new(engine: Engine) -> Hunt {
        let (bold, off) = (style::BOLD, style::OFF);
        let text = format!(
            "{bold}A bug hunt over three scopes.{off} For each call to the model: what it is \
             shown,\nand what a plain transcript would have sent.\n"
        );
        Hunt {
            engine,
            agent: Caller { kind: ambit::ActorKind::Agent, ..Caller::new("agent") },
            text,
            calls: Vec::new(),
            transcript_messages: 0,
            transcript_tokens: 0,
            next_id: 1,
        }
    }

    fn step(&mut self, step: &Step) -> Result<(), Failure> {
        let (cyan, green, off) = (style::CYAN, style::GREEN, style::OFF);
        match step {
            Step::User(text) => {
                self.text += &format!("\n{cyan}the person:{off} {text}\n");
                self.append(&json!({"role": "user", "content": text}))
            }
            Step::Says(text) => {
                self.call()?;
                self.text += &format!("{cyan}the model:{off} {text}\n");
                self.append(&json!({"role": "assistant", "content": text}))
            }
            Step::Uses { tool, arguments, reply } => {
                self.call()?;
                let id = self.calls_tool(tool, arguments)?;
                let reply = reply();
                self.append(&json!({"role": "tool", "tool_call_id": id, "content": reply}))
            }
            Step::Scope { name, note } => {
                self.call()?;
                let arguments = json!({"name": name, "note": note}).to_string();
                let id = self.calls_tool("scope", &arguments)?;
                let answer = self.engine.scope(&self.agent, name, note)?;
                self.switched(&id, &answer)
            }
            Step::Goto { name, note } => {
                self.call()?;
                let arguments = json!({"name": name, "note": note}).to_string();
                let id = self.calls_tool("goto", &arguments)?;
                let answer = self.engine.goto(&self.agent, name, note)?;
                self.switched(&id, &answer)
            }
            Step::Notes(note) => {
                let answer = self.engine.note(&self.agent, note)?;
                self.text += &format!("{green}note {}{off} {note}\n", &answer.hash[..7]);
                Ok(())
            }
        }
    }

    fn switched(&mut self, id: &str, answer: &ambit::SwitchAnswer) -> Result<(), Failure> {
        let (green, off) = (style::GREEN, style::OFF);
        self.text += &format!(
            "{green}{} → {}{off} (the pending call came along: {} turn; no orphan in either)\n",
            answer.origin, answer.scope, answer.carried
        );
        let reply = format!("now in {}", answer.scope);
        self.append(&json!({"role": "tool", "tool_call_id": id, "content": reply}))
    }

    fn calls_tool(&mut self, tool: &str, arguments: &str) -> Result<String, Failure> {
        let (cyan, off) = (style::CYAN, style::OFF);
        let id = format!("call_{}", self.next_id);
        self.next_id += 1;
        self.text += &format!("{cyan}the model:{off} {tool}({arguments})\n");
        let call = json!({"id": id, "type": "function",
            "function": {"name": tool, "arguments": arguments}});
        self.append(&json!({"role": "assistant", "content": null, "tool_calls": [call]}))?;
        Ok(id)
    }

    fn append(&mut self, message: &Value) -> Result<(), Failure> {
        let answer = self.engine.append_json(&self.agent, &message.to_string())?;
        self.transcript_messages += 1;
        self.transcript_tokens += answer.tokens;
        Ok(())
    }

    /// Composes what this call sends, and sets it beside the transcript.
    fn call(&mut self) -> Result<(), Failure> {
        let shown = self.engine.compose(&self.agent, &Request::default())?;
        // A transcript only grows, so its cached part is the whole call before.
        let cached = self.calls.last().map_or(0, |call| call.transcript_tokens);
        let fresh = self.transcript_tokens - cached;
        self.show(&shown);
        self.calls.push(Call {
            scope: shown.scope,
            messages: shown.messages.len() as i64,
            tokens: shown.tokens,
            cost: shown.cost.cached,
            transcript_messages: self.transcript_messages,
            transcript_tokens: self.transcript_tokens,
            transcript_cost: (100 * cached + 1250 * fresh + 500) / 1000,
        });
        Ok(())
    }

    fn show(&mut self, shown: &Composition) {
        let (bold, dim, off) = (style::BOLD, style::DIM, style::OFF);
        let scale = self.transcript_tokens.max(shown.tokens);
        self.text += &format!("\n{bold}call {} in {}{off}\n", self.calls.len() + 1, shown.scope);
        for message in &shown.messages {
            self.text += &format!("{dim}  {}{off}\n", summary(message.get()));
        }
        let line = |what: &str, messages: i64, tokens: i64| {
            let bar = padded(tokens, scale);
            let messages = counted(messages, "message");
            format!("  {what:<10} {bar} {:>6} tokens, {messages}\n", grouped(tokens))
        };
        self.text += &line("shown", shown.messages.len() as i64, shown.tokens);
        self.text += &line("transcript", self.transcript_messages, self.transcript_tokens);
    }

    fn finish(mut self, killed: &Killed) -> Result<Erased, Failure> {
        let (bold, off) = (style::BOLD, style::OFF);
        let sum = |part: fn(&Call) -> i64| self.calls.iter().map(part).sum::<i64>();
        let peak = |part: fn(&Call) -> i64| self.calls.iter().map(part).max().unwrap_or(0);
        let pairs = [
            ("tokens sent", sum(|c| c.tokens), sum(|c| c.transcript_tokens)),
            ("largest call", peak(|c| c.tokens), peak(|c| c.transcript_tokens)),
            ("cost, cached", sum(|c| c.cost), sum(|c| c.transcript_cost)),
        ];
        self.text += &format!("\n{bold}All {} calls{off}\n", self.calls.len());
        for (what, ours, theirs) in pairs {
            let saved = (100 * (theirs - ours) + theirs / 2) / theirs.max(1);
            self.text += &format!(
                "  {what:<13} {} {:>7} with scopes ({saved} % less)\n  \
                 {:13} {} {:>7} as a transcript\n",
                padded(ours, theirs),
                grouped(ours),
                "",
                padded(theirs, theirs),
                grouped(theirs),
            );
        }
        self.notes()?;
        let verified = self.engine.verify(&self.agent, &|_| {})?;
        self.text += &format!(
            "\n{bold}A kill in the middle of a write{off}\n  a second process said it had stored \
             {} messages, then got SIGKILL;\n  the store was opened again: {} messages are there, \
             verify says {}\n",
            grouped(killed.acknowledged),
            grouped(killed.found),
            if killed.verified { "all is well" } else { "DAMAGED" },
        );
        self.text += &format!(
            "\n{bold}verify{off}: {} events, {} texts, chain and rows {}\n",
            verified.events,
            verified.contents,
            if verified.ok { "are whole" } else { "are DAMAGED" },
        );
        let whole = verified.ok && killed.verified && killed.found >= killed.acknowledged;
        let answer = json!({"calls": self.calls, "killed": killed, "verify": verified});
        let alarm = (!whole).then_some(Kind::Store);
        Output { alarm, ..Output::new(self.text, answer) }.erase()
    }

    fn notes(&mut self) -> Result<(), Failure> {
        let (bold, off) = (style::BOLD, style::OFF);
        let notes = self.engine.notes(&self.agent, Some("main"))?;
        self.text += &format!("\n{bold}What main keeps of it{off}\n");
        for note in notes.notes {
            self.text += &format!("  {} {}\n", &note.hash[..7], clean(&note.message));
        }
        Ok(())
    }
}

/// A message in one line.
fn summary(json: &str) -> String {
    const CHARS: usize = 84;
    let message: Value = serde_json::from_str(json).unwrap_or_default();
    let role = message["role"].as_str().unwrap_or("?");
    let call = &message["tool_calls"][0]["function"];
    let body = match (message["content"].as_str(), call["name"].as_str()) {
        (Some(text), _) => text.replace('\n', " "),
        (None, Some(name)) => format!("→ {name}({})", call["arguments"].as_str().unwrap_or("")),
        _ => String::new(),
    };
    let head: String = body.chars().take(CHARS).collect();
    let more = if body.chars().count() > CHARS { "…" } else { "" };
    format!("{role:<9} {}{more}", clean(&head))
}
