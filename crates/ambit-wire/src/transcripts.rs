//! Reads the conversation files of agents, pi's sessions and tau-bench runs, as messages of a
//! provider's format.

use crate::json::{Json, Map, json};

use crate::Format;

/// Converts a line of a pi session to Anthropic's format. Returns `None` for a line without a
/// message.
pub fn pi(line: &Json) -> Option<Json> {
    let message = line.get("message").filter(|_| word(line, "type") == "message")?;
    match word(message, "role") {
        "user" => Some(json!({"role": "user", "content": content(message)})),
        "assistant" => {
            let parts = message.get("content").and_then(Json::as_array);
            let parts: Vec<Json> = parts.into_iter().flatten().map(pi_part).collect();
            Some(json!({"role": "assistant", "content": parts}))
        }
        "toolResult" => {
            let mut reply = Map::new();
            reply.insert("type".into(), json!("tool_result"));
            reply.insert("tool_use_id".into(), json!(word(message, "toolCallId")));
            reply.insert("content".into(), content(message));
            if message.get("isError").and_then(Json::as_bool) == Some(true) {
                reply.insert("is_error".into(), json!(true));
            }
            Some(json!({"role": "user", "content": vec![Json::Object(reply)]}))
        }
        // A command that the user ran outside the agent.
        "bashExecution" => {
            let (command, output) = (word(message, "command"), word(message, "output"));
            Some(json!({"role": "user", "content": format!("$ {command}\n{output}")}))
        }
        _ => None,
    }
}

fn content(message: &Json) -> Json {
    match message.get("content") {
        Some(Json::Array(parts)) => parts.iter().map(pi_part).collect(),
        Some(text @ Json::String(_)) => text.clone(),
        _ => Json::Array(Vec::new()),
    }
}

fn pi_part(part: &Json) -> Json {
    match word(part, "type") {
        "toolCall" => {
            let arguments = part.get("arguments").cloned().unwrap_or_else(|| json!({}));
            let (id, name) = (word(part, "id"), word(part, "name"));
            json!({"type": "tool_use", "id": id, "name": name, "input": arguments})
        }
        "thinking" => {
            let signature = part.get("thinkingSignature").cloned().unwrap_or(Json::Null);
            json!({"type": "thinking", "thinking": word(part, "thinking"), "signature": signature})
        }
        "image" => {
            let (kind, data) = (word(part, "mimeType"), word(part, "data"));
            let source = json!({"type": "base64", "media_type": kind, "data": data});
            json!({"type": "image", "source": source})
        }
        _ => part.clone(),
    }
}

/// Returns the messages of a tau-bench run, or of a list of runs, in Chat's format.
pub fn tau(run: &Json) -> Option<Vec<Json>> {
    run.get("traj")?.as_array().cloned()
}

fn word<'a>(value: &'a Json, field: &str) -> &'a str {
    value.get(field).and_then(Json::as_str).unwrap_or_default()
}

/// The format of a conversation file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Wire(Format),
    /// A pi session.
    Pi,
    /// A tau-bench run, by its number if a file holds several.
    Tau(Option<usize>),
}

impl Default for Source {
    fn default() -> Source {
        Source::Wire(Format::Openai)
    }
}

impl Source {
    pub const WORDS: [&str; 5] = ["openai", "responses", "anthropic", "pi", "tau"];

    pub fn parse(text: &str) -> Option<Source> {
        match text {
            "pi" => Some(Source::Pi),
            "tau" => Some(Source::Tau(None)),
            word => Format::parse(word).map(Source::Wire),
        }
    }

    /// Returns the format that the messages are converted to.
    pub fn format(self) -> Format {
        match self {
            Source::Wire(format) => format,
            Source::Pi => Format::Anthropic,
            Source::Tau(_) => Format::Openai,
        }
    }
}
