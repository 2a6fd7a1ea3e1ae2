//! The rules of Anthropic Messages, from its API reference, its guides, and the errors of the
//! service.

mod blocks;
mod cache;
mod rules;

use std::collections::{HashMap, HashSet};

use crate::json::Json;

use super::{Faults, Path, RequestBody, kind, quoted, text};
use cache::Cache;
pub use rules::RULES;

const MESSAGES_MAX: usize = 100_000;

pub fn check(request: &RequestBody<'_>, faults: &mut Faults) {
    let mut cache = Cache::default();
    cache.tools(request.field("tools"), faults);
    system(request.field("system"), &mut cache, faults);
    let root = Path::root(request.name);
    let messages = faults.list(request);
    if messages.len() > MESSAGES_MAX {
        faults.add(&root, "too-many", format!("{} messages", messages.len()));
    }
    let mut ids = HashSet::new();
    let mut asked = Batch::default();
    for (index, message) in messages.iter().enumerate() {
        let at = root.index(index);
        // Only this message can answer the calls of the previous one.
        let mut before = std::mem::take(&mut asked);
        if !message.is_object() {
            faults.add(&at, "shape", format!("a message is {}, not an object", kind(message)));
            before.close(&root, faults);
            continue;
        }
        let role = role(message, index, &at, faults);
        let last = index + 1 == messages.len();
        let blocks = content(message, role, last, &at, faults);
        let at = at.field("content");
        for (place, block) in blocks.iter().enumerate() {
            let at = at.index(place);
            blocks::check(block, role, &at, &mut cache, faults);
            if let (Some("tool_use"), Some(id)) = (text(block, "type"), text(block, "id")) {
                if !ids.insert(id) {
                    let message = format!("a call before has the id {} too", quoted(id));
                    faults.add(&at.field("id"), "call-twice", message);
                }
                asked.call(id, index, place);
            }
        }
        order_of_thinking(blocks, &at, faults);
        before.results(blocks, &at, faults);
        before.close(&root, faults);
    }
    asked.close(&root, faults);
    cache.close(request, faults);
    thinking_missing(request, messages, faults);
}

fn role<'a>(message: &'a Json, index: usize, at: &Path<'_>, faults: &mut Faults) -> &'a str {
    let role = text(message, "role").unwrap_or_default();
    match role {
        "user" => {}
        "assistant" if index == 0 => {
            faults.add(at, "first-role", "the first message is the assistant's");
        }
        "assistant" => {}
        "" => faults.add(at, "role", "the message has no role"),
        other => faults.add(at, "role", format!("the role {} is not accepted", quoted(other))),
    }
    role
}

fn system(system: Option<&Json>, cache: &mut Cache, faults: &mut Faults) {
    let at = Path::root("system");
    match system {
        None | Some(Json::String(_)) => {}
        Some(Json::Array(list)) => {
            for (index, block) in list.iter().enumerate() {
                let at = at.index(index);
                if text(block, "type") == Some("text") {
                    blocks::check(block, "user", &at, cache, faults);
                } else {
                    faults.add(&at, "system", "a block of the system prompt is a text");
                }
            }
        }
        Some(other) => faults.add(&at, "system", format!("the system prompt is {}", kind(other))),
    }
}

/// Returns the blocks of a message. A string is short for one text.
fn content<'a>(
    message: &'a Json,
    role: &str,
    last: bool,
    at: &Path<'_>,
    faults: &mut Faults,
) -> &'a [Json] {
    let at = at.field("content");
    let prefill = last && role == "assistant";
    let (blocks, end): (&[Json], _) = match message.get("content") {
        Some(Json::String(text)) if text.trim().is_empty() => {
            if !(prefill && text.is_empty()) {
                let rule = if text.is_empty() { "content" } else { "empty-text" };
                faults.add(&at, rule, "the content is empty");
            }
            return &[];
        }
        Some(Json::String(text)) => (&[], Some(text.as_str())),
        Some(Json::Array(blocks)) => {
            if blocks.is_empty() && !prefill {
                faults.add(&at, "content", "the content has no blocks");
            }
            (blocks, blocks.last().and_then(|block| text(block, "text")))
        }
        other => {
            let is = other.map_or("missing", kind);
            faults.add(&at, "content", format!("the content is {is}"));
            return &[];
        }
    };
    if prefill && end.is_some_and(|end| !end.trim().is_empty() && end.trim_end() != end) {
        faults.add(&at, "trailing-space", "the assistant's last message ends with white space");
    }
    blocks
}

/// The calls of one message: their index, and whether they were answered.
#[derive(Default)]
struct Batch<'a> {
    calls: Vec<(usize, usize, &'a str)>,
    answered: HashMap<&'a str, bool>,
}

impl<'a> Batch<'a> {
    fn call(&mut self, id: &'a str, message: usize, place: usize) {
        if self.answered.insert(id, false).is_none() {
            self.calls.push((message, place, id));
        }
    }

    fn results(&mut self, blocks: &[Json], at: &Path<'_>, faults: &mut Faults) {
        let mut other = false;
        for (place, block) in blocks.iter().enumerate() {
            if text(block, "type") != Some("tool_result") {
                other = true;
                continue;
            }
            let at = at.index(place);
            let Some(id) = text(block, "tool_use_id") else { continue };
            match self.answered.get_mut(id) {
                None => {
                    let message = format!("no call right before it has the id {}", quoted(id));
                    faults.add(&at, "orphan-result", message);
                    continue;
                }
                Some(answered) if *answered => {
                    let message = format!("{} has a result before", quoted(id));
                    faults.add(&at, "answered-twice", message);
                }
                Some(answered) => *answered = true,
            }
            if other {
                faults.add(&at, "results-first", "other blocks come before the result");
            }
        }
    }

    fn close(&mut self, root: &Path<'_>, faults: &mut Faults) {
        for (message, place, id) in &self.calls {
            if self.answered.get(id) == Some(&false) {
                let at = root.index(*message);
                let at = at.field("content");
                let message = format!("the next message has no result for {}", quoted(id));
                faults.add(&at.index(*place), "unanswered", message);
            }
        }
    }
}

fn is_thinking(block: &Json) -> bool {
    matches!(text(block, "type"), Some("thinking" | "redacted_thinking"))
}

fn order_of_thinking(blocks: &[Json], at: &Path<'_>, faults: &mut Faults) {
    let Some(first) = blocks.iter().position(is_thinking) else { return };
    if first > 0 {
        faults.add(&at.index(first), "thinking-first", "other blocks come before the thinking");
    }
    if blocks.last().is_some_and(is_thinking) {
        faults.add(&at.index(blocks.len() - 1), "thinking-last", "nothing follows the thinking");
    }
}

/// Returns the open turn of a request: if its last message holds results, the assistant's messages
/// since the user's last text.
fn thinking_missing(request: &RequestBody<'_>, messages: &[Json], faults: &mut Faults) {
    let enabled = request.field("thinking").and_then(|thinking| text(thinking, "type"));
    if enabled != Some("enabled") {
        return;
    }
    let brings = |message: &Json| {
        let blocks = message.get("content").and_then(Json::as_array);
        blocks.into_iter().flatten().any(|block| text(block, "type") == Some("tool_result"))
    };
    if !messages.last().is_some_and(brings) {
        return;
    }
    let spoke = messages
        .iter()
        .rposition(|message| text(message, "role") == Some("user") && !brings(message));
    let from = spoke.map_or(0, |at| at + 1);
    let begins =
        (from..messages.len()).find(|index| text(&messages[*index], "role") == Some("assistant"));
    let Some(index) = begins else { return };
    let first = messages[index].get("content").and_then(|content| content.as_array()?.first());
    if !first.is_some_and(is_thinking) {
        let message = "the turn that is still open does not begin with thinking";
        faults.add(&Path::root(request.name).index(index), "thinking-missing", message);
    }
}
