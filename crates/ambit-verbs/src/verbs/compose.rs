//! `compose`: what a model would be shown.

use std::path::Path;

use ambit::{Composition, Format, Layout, Request, Via};
use ambit_wire::json::Json;
use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bars;
use crate::failure::Failure;
use crate::files;
use crate::output::Output;
use crate::session::Session;
use crate::table::Run;
use crate::text::{clean, counted, grouped, style, table};

/// Compose the messages to send to a model, within a token budget; writes nothing
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n\
\x20 ambit compose\n\
\x20 ambit compose --budget 8000 --json\n\
\x20 ambit compose --system @prompt.txt --layout layered")]
pub struct Compose {
    /// The provider's message format
    #[arg(long, value_parser = Format::WORDS, default_value = "openai")]
    #[serde(default = "super::openai")]
    #[schemars(extend("enum" = Format::WORDS))]
    pub format: String,
    /// The most tokens [default: the setting]
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<i64>,
    /// Notes in place (stable) or first (layered) [default: the setting]
    #[arg(long, value_parser = ["stable", "layered"])]
    #[schemars(extend("enum" = ["stable", "layered"]))]
    pub layout: Option<String>,
    /// A system prompt to put first, or @FILE to read it from
    #[arg(long, value_name = "TEXT|@FILE")]
    #[schemars(description = "A system prompt")]
    pub system: Option<String>,
    /// Show every message in full
    #[arg(long)]
    #[serde(skip)]
    pub full: bool,
    /// Compose as of an event or a time, in the layered layout
    #[arg(long, value_name = "SEQ|TIME", conflicts_with_all = ["layout", "expect_head"])]
    pub at: Option<String>,
    /// Refuse if the scope's head is not this event
    #[arg(long, value_name = "SEQ")]
    pub expect_head: Option<i64>,
}

/// How many characters of a message are shown on a terminal.
const PREVIEW_CHARS: usize = 400;

impl Run for Compose {
    type Answer = Composition;

    fn run(&self, session: &Session) -> Result<Output<Composition>, Failure> {
        let mut caller = session.caller();
        caller.expect_head = self.expect_head;
        let layout = self.layout.as_deref().map(|layout| match layout {
            "layered" => Layout::Layered,
            _ => Layout::Stable,
        });
        let format = Format::parse(&self.format);
        let system = self.system_prompt(session)?;
        let request = Request { budget: self.budget, layout, system, format };
        let answer = match &self.at {
            Some(at) => session.engine()?.compose_at(&caller, &request, at)?,
            None => session.engine()?.compose(&caller, &request)?,
        };
        let text = match (session.json, session.via) {
            (true, _) => String::new(),
            // A model is to see what it is shown, and nothing drawn.
            (false, Via::Mcp) => {
                Compose { full: true, ..self.clone() }.show(session, &answer, false)
            }
            (false, _) => self.show(session, &answer, true),
        };
        Ok(Output::new(text, answer))
    }
}

impl Compose {
    fn system_prompt(&self, session: &Session) -> Result<Option<String>, Failure> {
        let file = self.system.as_ref().and_then(|system| system.strip_prefix('@'));
        // Only who sits at the command line may have files read.
        let Some(path) = file.filter(|_| session.via == Via::Cli) else {
            return Ok(self.system.clone());
        };
        let hint = "--system takes a text, or @FILE with a file of UTF-8";
        files::read_text(Path::new(path), u64::MAX - 1, hint).map(Some)
    }

    fn show(&self, session: &Session, answer: &Composition, receipt: bool) -> String {
        let (bold, dim, off) = (style::BOLD, style::DIM, style::OFF);
        let mut text = String::new();
        if let Some(system) = &answer.system {
            let message = format!("{{\"role\":\"system\",\"content\":{system}}}");
            text += &self.show_message(&message, None);
        }
        for (message, id) in answer.messages.iter().zip(&answer.ids) {
            text += &self.show_message(message.get(), id.as_deref());
        }
        text += &format!(
            "{bold}{}{off}: {} of {} tokens, {}\n",
            clean(&answer.scope),
            grouped(answer.tokens),
            grouped(answer.budget),
            counted(answer.messages.len() as i64, "message"),
        );
        if receipt {
            text += &layers(answer);
            text += &format!(
                "{dim}{} tokens are a stable prefix; this call costs {} with a prompt cache, \
             {} without{off}\n",
                grouped(answer.stable_prefix_tokens),
                grouped(answer.cost.cached),
                grouped(answer.cost.uncached),
            );
        }
        if !answer.left_out.is_empty() {
            let rows = answer.left_out.iter().map(|out| {
                let handle = out.handle.clone().unwrap_or_default();
                vec![out.id.clone(), out.why.to_string(), grouped(out.tokens), handle]
            });
            text += &table(session, &["left out", "why", "tokens", "read"], rows.collect());
        }
        text
    }

    fn show_message(&self, json: &str, id: Option<&str>) -> String {
        let (cyan, dim, off) = (style::CYAN, style::DIM, style::OFF);
        let id = id.map(|id| format!(" {dim}{id}{off}")).unwrap_or_default();
        let message = Json::parse(json).unwrap_or_default();
        let kind = message["type"].as_str().unwrap_or("?");
        let role = clean(message["role"].as_str().unwrap_or(kind));
        let mut body = said(&message);
        let chars = body.chars().count();
        if chars > PREVIEW_CHARS && !self.full {
            let head: String = body.chars().take(PREVIEW_CHARS).collect();
            let more = grouped((chars - PREVIEW_CHARS) as i64);
            body = format!("{head}… ({more} more characters; --full shows them)");
        }
        format!("{cyan}{role}{off}{id}\n{}\n\n", indent(&clean(&body)))
    }
}

/// What a message says, in any format: its texts, and its calls by name.
fn said(message: &Json) -> String {
    let mut lines = Vec::new();
    let mut called = |call: &Json, arguments: &Json| {
        let name = call["name"].as_str().unwrap_or("?");
        let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_string);
        lines.push(format!("→ {name}({text})"));
    };
    match message["type"].as_str() {
        Some("function_call") => called(message, &message["arguments"]),
        Some("custom_tool_call" | "tool_use") => called(message, &message["input"]),
        _ => {
            for field in ["content", "output", "text", "thinking", "refusal"] {
                match &message[field] {
                    Json::String(text) if !text.is_empty() => lines.push(text.clone()),
                    Json::Array(parts) => lines.extend(parts.iter().map(said)),
                    _ => {}
                }
            }
        }
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let body = if call["custom"].is_object() { &call["custom"] } else { &call["function"] };
        let text = body["arguments"].as_str().or(body["input"].as_str()).unwrap_or_default();
        lines.push(format!("→ {}({text})", body["name"].as_str().unwrap_or("?")));
    }
    if lines.is_empty() && message["type"].is_string() {
        return message.to_string();
    }
    lines.join("\n")
}

fn layers(answer: &Composition) -> String {
    let largest = answer.layers.iter().map(|layer| layer.tokens).max().unwrap_or(0);
    let line = |layer: &ambit::LayerReceipt| {
        format!(
            "  {:<9} {} {:>9} tokens in {}\n",
            layer.name,
            bars::padded(layer.tokens, largest),
            grouped(layer.tokens),
            grouped(layer.items),
        )
    };
    answer.layers.iter().map(line).collect()
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
