//! Writes a request in one format: its messages, each with its sources, and the system prompt if
//! the format keeps it separate.

use std::collections::HashSet;

use crate::json::{Json, Map, json};

use crate::elements::elements;
use crate::format::format_of;
use crate::message::plain;
use crate::{CallKind, Form, Format, Role, ShownBlock, ShownTurn, anthropic, openai, responses};

pub struct RequestWriter {
    format: Format,
    entries: Vec<Entry>,
    /// The instructions, for a format that keeps them separate.
    system: Vec<String>,
    /// The turn or note that is being written.
    id: Option<String>,
    /// Its blocks that the format does not support; they are shown as text.
    as_text: Vec<usize>,
    /// The number of entries, and of blocks in the last one, at the end of the composition that a
    /// cache may hold.
    cached: Option<(usize, usize)>,
    /// The ids of the written items: each may occur once.
    items: HashSet<String>,
    /// The messages next to replies of a batch; they are written after the last reply.
    beside: Option<Vec<Entry>>,
}

/// A message, and the turn or note it was made from.
struct Entry {
    id: Option<String>,
    body: Body,
}

enum Body {
    Json(String),
    /// A message that later content may be joined to.
    Joined {
        assistant: bool,
        content: Content,
        rest: Map,
    },
}

enum Content {
    Text(String),
    Blocks(Vec<Json>),
}

/// A composition in its format.
#[derive(Debug, Default)]
pub struct Written {
    pub messages: Vec<String>,
    pub ids: Vec<Option<String>>,
    /// Blocks of text, as JSON.
    pub system: Option<String>,
}

/// The text of the user's message that is added if a provider requires one.
const GOES_ON: &str = "[the conversation goes on]";

impl RequestWriter {
    pub fn new(format: Format) -> RequestWriter {
        let (entries, system, as_text) = (Vec::new(), Vec::new(), Vec::new());
        let (id, cached, items, beside) = (None, None, HashSet::new(), None);
        RequestWriter { format, entries, system, id, as_text, cached, items, beside }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Writes a turn, and returns which of its blocks are shown as text because the format does not
    /// support them. Returns `None` if nothing remains that a provider would accept.
    pub fn write(&mut self, id: &dyn Fn() -> String, said: &ShownTurn<'_>) -> Option<Vec<usize>> {
        let before = self.size();
        self.as_text.clear();
        self.id = Some(id());
        self.turn(said);
        self.id = None;
        (self.size() > before).then(|| std::mem::take(&mut self.as_text))
    }

    fn turn(&mut self, said: &ShownTurn<'_>) {
        let Some(shape) = said.shape else {
            let Some(block) = said.blocks.first() else {
                return;
            };
            return match said.role {
                Role::Tool => self.reply(block),
                role => self.say(role, &block.text),
            };
        };
        let (from, rest) = format_of(shape);
        if from == self.format {
            let Ok(rest) = Json::parse(rest) else {
                return;
            };
            return match self.format {
                Format::Openai => openai::native(self, said, rest),
                Format::Responses => responses::native(self, said, rest),
                Format::Anthropic => anthropic::native(self, said, rest),
            };
        }
        let forms: Vec<Form> = said.blocks.iter().map(|block| block.form).collect();
        let (from, elements) = elements(said.role, Some(shape), &forms);
        match self.format {
            Format::Openai => openai::foreign(self, said, from, &elements),
            Format::Responses => responses::foreign(self, said, from, &elements),
            Format::Anthropic => anthropic::foreign(self, said, from, &elements),
        }
    }

    /// Writes a reply that is only a text.
    fn reply(&mut self, block: &ShownBlock<'_>) {
        match &block.id {
            Some(id) => self.close(id, &block.text, block.answers),
            None => self.say(Role::User, &block.text),
        }
    }

    /// Writes a message that is only a role and a text.
    pub fn say(&mut self, role: Role, text: &str) {
        match self.format {
            Format::Anthropic if role.is_system() => self.instruct(text),
            Format::Anthropic if text.trim().is_empty() => {}
            Format::Anthropic => self.push_string(role, text, Map::new()),
            _ if text.is_empty() => {}
            _ => self.push(plain(role, text)),
        }
    }

    /// Does the same for a note or a turn as the source.
    pub fn say_as(&mut self, id: Option<String>, role: Role, text: &str) {
        self.id = id;
        self.say(role, text);
        self.id = None;
    }

    /// Writes a reply to a call.
    pub fn close(&mut self, call_id: &str, text: &str, kind: CallKind) {
        match self.format {
            Format::Openai => self.push(openai::closing(call_id, text)),
            Format::Responses => self.push(responses::closing(call_id, text, kind)),
            Format::Anthropic => {
                let reply = anthropic::closing(call_id, text);
                self.push_blocks(Role::Tool, vec![reply], Map::new());
            }
        }
    }

    /// Marks everything written so far as shown before: a cache may hold it.
    pub fn mark_cached(&mut self) {
        let blocks = match self.entries.last().map(|entry| &entry.body) {
            Some(Body::Joined { content: Content::Blocks(blocks), .. }) => blocks.len(),
            _ => 0,
        };
        self.cached = Some((self.entries.len(), blocks));
    }

    /// Returns a value that changes when something is written.
    fn size(&self) -> usize {
        let blocks = match self.entries.last().map(|entry| &entry.body) {
            Some(Body::Joined { content: Content::Blocks(blocks), .. }) => blocks.len(),
            Some(_) => 1,
            None => 0,
        };
        let beside = self.beside.as_ref().map_or(0, Vec::len);
        (self.entries.len() << 24) + blocks + self.system.len() + beside
    }

    pub(super) fn push(&mut self, json: String) {
        self.entries.push(Entry { id: self.id.clone(), body: Body::Json(json) });
    }

    /// Begins calls and their replies: nothing else may come between them.
    pub fn begin_batch(&mut self) {
        self.beside = Some(Vec::new());
    }

    pub fn end_batch(&mut self) {
        self.entries.extend(self.beside.take().into_iter().flatten());
    }

    /// Adds a message that came with a reply.
    pub(super) fn push_after_replies(&mut self, json: String) {
        let entry = Entry { id: self.id.clone(), body: Body::Json(json) };
        match &mut self.beside {
            Some(beside) => beside.push(entry),
            None => self.entries.push(entry),
        }
    }

    /// Writes an item. Drops its id if it is taken or not from the service; thinking requires an
    /// id, so it is then dropped as a whole.
    pub(super) fn push_item(&mut self, mut item: Json) {
        let kind = item.get("type").and_then(Json::as_str).unwrap_or("message");
        let front = match kind {
            "message" => "msg",
            "function_call" => "fc",
            "custom_tool_call" => "ctc",
            "reasoning" => "rs",
            _ => "",
        };
        let thinks = kind == "reasoning";
        let id = item.get("id").and_then(Json::as_str).map(str::to_string);
        let fits = |id: &String| (1..=64).contains(&id.chars().count()) && id.starts_with(front);
        let kept = id.filter(fits).is_some_and(|id| self.items.insert(id));
        if !kept && thinks {
            return;
        }
        if let (false, Some(item)) = (kept, item.as_object_mut()) {
            item.shift_remove("id");
        }
        self.push(item.to_string());
    }

    /// Records a block that the format does not support and that is shown as text.
    pub(super) fn named(&mut self, said: &ShownTurn<'_>, at: usize) -> String {
        let block = &said.blocks[at];
        // Cut and forgotten blocks are in the receipt already; an empty part is not reported.
        if block.instead.is_none() && !block.text.is_empty() {
            self.as_text.push(at);
        }
        said.named(at)
    }

    /// Writes an instruction in a format that keeps them separate: later ones become text.
    pub(super) fn instruct(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if self.entries.is_empty() {
            self.system.push(text.to_string());
        } else {
            let block = json!({"type": "text", "text": format!("[system]\n{text}")});
            self.push_blocks(Role::User, vec![block], Map::new());
        }
    }

    /// Writes a message with a string as content.
    pub(super) fn push_string(&mut self, role: Role, text: &str, rest: Map) {
        let joins = self.joins(role);
        if joins {
            let block = json!({"type": "text", "text": text});
            return self.push_blocks(role, vec![block], rest);
        }
        let assistant = role == Role::Assistant;
        let content = Content::Text(text.to_string());
        self.joined(assistant, content, rest);
    }

    /// Writes a message with a list of blocks as content. Roles alternate: consecutive messages of
    /// the same role are joined.
    pub(super) fn push_blocks(&mut self, role: Role, blocks: Vec<Json>, rest: Map) {
        let assistant = role == Role::Assistant;
        if self.joins(role) {
            let first = blocks.first().and_then(|block| block.get("type")).and_then(Json::as_str);
            // Thinking begins a message, so it is not joined to the previous one.
            if !matches!(first, Some("thinking" | "redacted_thinking")) {
                if let Some(Body::Joined { content, .. }) =
                    self.entries.last_mut().map(|entry| &mut entry.body)
                {
                    content.extend(blocks);
                    if !assistant {
                        content.replies_first();
                    }
                }
                return;
            }
            let id = self.id.take();
            self.joined(false, Content::Text(GOES_ON.into()), Map::new());
            self.id = id;
        }
        self.joined(assistant, Content::Blocks(blocks), rest);
    }

    fn joins(&self, role: Role) -> bool {
        let last = self.entries.last().map(|entry| &entry.body);
        let is = role == Role::Assistant;
        matches!(last, Some(Body::Joined { assistant, .. }) if *assistant == is)
    }

    fn joined(&mut self, assistant: bool, content: Content, rest: Map) {
        let body = Body::Joined { assistant, content, rest };
        self.entries.push(Entry { id: self.id.clone(), body });
    }

    pub fn finish(mut self) -> Written {
        if self.format == Format::Anthropic {
            self.settle();
        }
        let mut written = Written::default();
        for entry in self.entries {
            written.messages.push(entry.body.json());
            written.ids.push(entry.id);
        }
        if !self.system.is_empty() {
            let block = |text: &String| json!({"type": "text", "text": text});
            let mut blocks: Vec<Json> = self.system.iter().map(block).collect();
            blocks.last_mut().map(mark);
            written.system = Some(Json::Array(blocks).to_string());
        }
        written
    }

    /// Finishes the request: it begins with a user's message, does not end with white space, and
    /// has its cache markers.
    fn settle(&mut self) {
        let last = self.entries.len().saturating_sub(1);
        if let Some(Body::Joined { assistant: true, content, .. }) =
            self.entries.last_mut().map(|entry| &mut entry.body)
        {
            content.trim_end();
        }
        if let Some((entries, blocks)) = self.cached {
            let before = self.entries[..entries.min(last + 1)].iter_mut().rev();
            // In an entry that has grown since, only the earlier blocks count.
            let grown = |at: usize| if at == 0 && blocks > 0 { blocks } else { usize::MAX };
            let mut all = before.enumerate();
            all.any(|(at, entry)| entry.body.mark_last(grown(at)));
        }
        self.entries.iter_mut().rev().any(|entry| entry.body.mark_last(usize::MAX));
        let first = self.entries.first().map(|entry| &entry.body);
        if matches!(first, Some(Body::Joined { assistant: true, .. })) {
            let content = Content::Text(GOES_ON.into());
            let body = Body::Joined { assistant: false, content, rest: Map::new() };
            self.entries.insert(0, Entry { id: None, body });
        }
    }
}

impl Content {
    fn extend(&mut self, more: Vec<Json>) {
        if let Content::Text(text) = self {
            let text = std::mem::take(text);
            *self = Content::Blocks(vec![json!({"type": "text", "text": text})]);
        }
        if let Content::Blocks(blocks) = self {
            blocks.extend(more);
        }
    }

    /// Moves replies before all other blocks: joined messages may hold text between replies.
    fn replies_first(&mut self) {
        if let Content::Blocks(blocks) = self {
            blocks.sort_by_key(|block| block["type"].as_str() != Some("tool_result"));
        }
    }

    fn trim_end(&mut self) {
        match self {
            Content::Text(text) => text.truncate(text.trim_end().len()),
            Content::Blocks(blocks) => {
                let last = blocks.last_mut().and_then(|block| block.get_mut("text"));
                if let Some(Json::String(text)) = last {
                    text.truncate(text.trim_end().len());
                }
            }
        }
    }
}

impl Body {
    fn json(self) -> String {
        match self {
            Body::Json(json) => json,
            Body::Joined { assistant, content, mut rest } => {
                let content = match content {
                    Content::Text(text) => Json::String(text),
                    Content::Blocks(blocks) => Json::Array(blocks),
                };
                let role = if assistant { "assistant" } else { "user" };
                rest.insert("role".into(), Json::from(role));
                rest.insert("content".into(), content);
                Json::Object(rest).to_string()
            }
        }
    }

    /// Sets a cache marker on the last of the first blocks that may have one. A string cannot have
    /// one.
    fn mark_last(&mut self, blocks: usize) -> bool {
        match self {
            Body::Joined { content: Content::Blocks(all), .. } => {
                let count = all.len().min(blocks);
                all[..count].iter_mut().rev().any(mark)
            }
            _ => false,
        }
    }
}

/// Sets a cache marker on a block, if the provider accepts one there.
fn mark(block: &mut Json) -> bool {
    const MARKED: [&str; 5] = ["text", "image", "document", "tool_use", "tool_result"];
    let kind = block.get("type").and_then(Json::as_str).unwrap_or_default();
    if !MARKED.contains(&kind) {
        return false;
    }
    block["cache_control"] = json!({"type": "ephemeral"});
    true
}
