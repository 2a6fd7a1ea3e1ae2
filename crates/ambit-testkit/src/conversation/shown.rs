//! The model's composition for a reader, and the comparison with a real one.

use ambit::{ActorKind, Layout};
use serde_json::{Value, json};

use super::model::{Batch, Model, What, calls_of};

/// The expected form of one message in a composition.
#[derive(Clone, Debug)]
pub enum Expect {
    Exact(Value),
    /// Calls, whose ids may be made distinct.
    Calls(Value),
    /// A reply to one of the calls before it, by its number.
    Reply {
        call: usize,
        content: Value,
    },
    /// The synthetic reply that closes a call.
    Closing {
        call: usize,
    },
    /// Somebody else's turn as text: whose, and what it holds.
    Attributed {
        author: String,
        holds: Vec<String>,
    },
    Note(String),
}

/// A unit: messages that are shown or left out together.
#[derive(Debug)]
pub struct Unit {
    pub place: usize,
    pub is_note: bool,
    /// Instructions at the scope's start, which stay in sight.
    pub leads: bool,
    /// What its turns and notes are counted under: sequences and short hashes.
    pub counted: Vec<String>,
    pub messages: Vec<Expect>,
}

/// Everything that can be shown to a reader, in the reader's order.
#[derive(Debug)]
pub struct Shown {
    pub units: Vec<Unit>,
    /// How many units are shown.
    pub end: usize,
    end_place: usize,
    /// Where it ends but for open calls: the promised prefix ends there.
    settled_place: usize,
    /// The unit with the open calls, where it is shown.
    pub dangling: Option<usize>,
    fold: Option<usize>,
    pub insights: Vec<String>,
    inherited: Vec<String>,
    notes: Vec<(usize, String)>,
    notes_shown: usize,
}

/// A window of it: the layer's lines, and the messages in their places.
pub struct Window<'a> {
    pub lines: Vec<String>,
    pub messages: Vec<&'a Expect>,
    /// How many of them stand before the open calls; none where the window begins behind those.
    pub settled: Option<usize>,
}

pub fn shown(model: &Model, reader: usize, scope: usize) -> Shown {
    let silent = model.is_silent(reader, scope);
    let open = model.open_calls(reader, scope).filter(|_| !silent);
    let mut units = Vec::new();
    let mut notes = Vec::new();
    let mut leads = true;
    for (place, it) in model.scopes[scope].places.iter().enumerate() {
        let (is_note, counted, messages) = match &it.what {
            What::Note(line) => {
                notes.push((place, line.clone()));
                (true, vec![line[3..10].to_string()], vec![Expect::Note(line.clone())])
            }
            What::Turn(_) if !it.shown => continue,
            What::Turn(turn) => match turn_shown(model, reader, *turn, open == Some(place)) {
                Some(messages) => (false, counted(model, reader, *turn), messages),
                None => continue,
            },
        };
        if let What::Turn(turn) = it.what {
            let role = model.turns[turn].message["role"].as_str().unwrap_or_default();
            leads &= matches!(role, "system" | "developer") && is_plain(model, reader, turn);
        }
        units.push(Unit { place, is_note, leads: leads && !is_note, counted, messages });
    }
    let all = units.len();
    let waiting = open.map(|open| units.iter().position(|unit| unit.place == open).unwrap_or(all));
    let dangling = model.setting(scope, "dangling", "withhold");
    let (end, dangling) = match (waiting, dangling.as_str()) {
        (None, _) => (all, None),
        (Some(at), "withhold") => (at, None),
        (Some(at), "keep") => (at + 1, Some(at)),
        (Some(at), _) => (all, Some(at)),
    };
    let places = model.scopes[scope].places.len();
    Shown {
        settled_place: open.unwrap_or(places),
        end_place: units.get(end).map_or(places, |unit| unit.place),
        units,
        end,
        dangling,
        fold: model.fold(reader, scope),
        insights: model.insight_lines(scope),
        inherited: model.scopes[scope].inherited.clone(),
        notes,
        notes_shown: model.setting(scope, "notes_shown", "5").parse().unwrap_or(5),
    }
}

impl Shown {
    /// The window that begins with a unit.
    pub fn window(&self, start: usize, layout: Layout) -> Window<'_> {
        let fold = match layout {
            Layout::Layered => self.end_place,
            Layout::Stable => self.fold.unwrap_or(self.settled_place),
        };
        let first = self.units.get(start).map_or(self.end_place, |unit| unit.place);
        let bound = if start == 0 { fold } else { fold.max(first) };
        let own = self.notes.iter().filter(|(place, _)| *place < bound).map(|(_, line)| line);
        let mut lines: Vec<_> = self.inherited.iter().chain(own).cloned().collect();
        lines.drain(..lines.len().saturating_sub(self.notes_shown));
        let (mut messages, mut settled) = (Vec::new(), None);
        let behind = self.dangling.is_some_and(|dangling| dangling < start);
        for (index, unit) in self.units.iter().enumerate().take(self.end).skip(start) {
            if self.dangling == Some(index) {
                settled = Some(messages.len());
            }
            if !unit.is_note || unit.place >= bound {
                messages.extend(&unit.messages);
            }
        }
        let settled = (!behind).then(|| settled.unwrap_or(messages.len()));
        Window { lines, messages, settled }
    }
}

/// Whether a reader is shown a turn as it was written.
fn is_plain(model: &Model, reader: usize, turn: usize) -> bool {
    let turn = &model.turns[turn];
    let author = &model.actors[turn.author];
    match turn.message["role"].as_str().unwrap_or_default() {
        "user" => true,
        "system" | "developer" => turn.author == reader || author.kind == ActorKind::Operator,
        "assistant" => turn.author == reader,
        _ => false,
    }
}

/// The sequences of a turn, and of the replies that stand with it.
fn counted(model: &Model, reader: usize, turn: usize) -> Vec<String> {
    let own = |batch: &&Batch| batch.turn == turn && batch.author == reader;
    let replies = model.batches.iter().find(own).into_iter().flat_map(|it| it.replies.iter());
    let turns = [turn].into_iter().chain(replies.flatten().copied());
    turns.map(|turn| model.turns[turn].seq.to_string()).collect()
}

/// A turn's messages. None for a reply that stands with its call.
fn turn_shown(model: &Model, reader: usize, turn: usize, open: bool) -> Option<Vec<Expect>> {
    let it = &model.turns[turn];
    let own = it.author == reader;
    if own && it.answers.is_some() {
        return None;
    }
    if let Some(batch) = model.batches.iter().find(|batch| own && batch.turn == turn) {
        return Some(batch_shown(model, batch, open));
    }
    if is_plain(model, reader, turn) {
        return Some(normal(&it.message, false).map(Expect::Exact).into_iter().collect());
    }
    let author = model.actors[it.author].name.replace('"', "'").replace('<', "‹");
    Some(vec![Expect::Attributed { author, holds: texts(&it.message) }])
}

fn batch_shown(model: &Model, batch: &Batch, open: bool) -> Vec<Expect> {
    let message = &model.turns[batch.turn].message;
    if !batch.is_whole() && !open {
        return normal(message, false).map(Expect::Exact).into_iter().collect();
    }
    let mut out: Vec<_> = normal(message, true).map(Expect::Calls).into_iter().collect();
    let mut replies: Vec<_> = batch.replies.iter().flatten().copied().collect();
    replies.sort_unstable();
    for reply in replies {
        let call = batch.replies.iter().position(|it| *it == Some(reply)).unwrap_or_default();
        let reply = normal(&model.turns[reply].message, false).unwrap_or_default();
        out.push(Expect::Reply { call, content: reply["content"].clone() });
    }
    if model.setting(batch.scope, "dangling", "withhold") == "close" {
        let without = (0..batch.ids.len()).filter(|call| batch.replies[*call].is_none());
        out.extend(without.map(|call| Expect::Closing { call }));
    }
    out
}

/// A message as a provider takes it: nothing empty, no calls where they are not to be shown. None
/// where nothing is left of it.
fn normal(message: &Value, with_calls: bool) -> Option<Value> {
    let mut message = message.clone();
    let is_tool = message["role"] == "tool";
    let calls = with_calls && !calls_of(&message).is_empty();
    let fields = message.as_object_mut()?;
    if !calls {
        fields.shift_remove("tool_calls");
    }
    if let Some(Value::Array(parts)) = fields.get_mut("content") {
        parts.retain(|part| part["type"] != "text" || part["text"] != "");
    }
    let content = fields.get("content").cloned().unwrap_or_default();
    let hollow = content.is_null() || content == json!("") || content == json!([]);
    if hollow && is_tool {
        fields.insert("content".into(), json!(""));
    } else if content == json!([]) {
        fields.insert("content".into(), Value::Null);
    }
    (!hollow || calls || is_tool).then_some(message)
}

/// The texts of a message, those of its calls too.
fn texts(message: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_string);
    let mut out: Vec<String> = match &message["content"] {
        Value::Array(parts) => parts.iter().filter_map(|part| text(&part["text"])).collect(),
        content => text(content).into_iter().collect(),
    };
    for call in calls_of(message) {
        let function = &call["function"];
        out.extend([&function["name"], &function["arguments"]].into_iter().filter_map(text));
    }
    out
}

/// Whether messages are what is expected. With `stubs` a stub may stand for a text.
pub fn matches(expected: &[&Expect], messages: &[Value], stubs: bool) -> Result<(), String> {
    if expected.len() != messages.len() {
        return Err(format!("{} messages, not {}", messages.len(), expected.len()));
    }
    let mut ids: Vec<String> = Vec::new();
    for (index, (expect, message)) in expected.iter().zip(messages).enumerate() {
        let calls = calls_of(message);
        if !calls.is_empty() {
            let id = |call: &Value| call["id"].as_str().unwrap_or_default().to_string();
            ids = calls.iter().map(id).collect();
        }
        if !is(expect, message, &ids, stubs) {
            return Err(format!("message {index} is {message}, not {expect:?}"));
        }
    }
    Ok(())
}

fn is(expect: &Expect, message: &Value, ids: &[String], stubs: bool) -> bool {
    let replies_to = |call: usize| {
        message["role"] == "tool" && ids.get(call).is_some_and(|id| message["tool_call_id"] == **id)
    };
    match expect {
        Expect::Exact(value) => alike(value, message, stubs),
        Expect::Calls(value) => {
            let without_ids = |value: &Value| {
                let mut value = value.clone();
                let calls = value["tool_calls"].as_array_mut();
                calls.into_iter().flatten().for_each(|call| call["id"] = Value::Null);
                value
            };
            alike(&without_ids(value), &without_ids(message), stubs)
        }
        Expect::Reply { call, content } => {
            replies_to(*call) && alike(content, &message["content"], stubs)
        }
        Expect::Closing { call } => replies_to(*call),
        Expect::Attributed { author, holds } => {
            let text = message["content"].as_str().unwrap_or_default();
            let escaped = |it: &str| it.replace("</turn", "<\\/turn").replace("<turn", "<\\turn");
            message["role"] == "user"
                && text.starts_with(&format!("<turn author=\"{author}\""))
                && text.ends_with("</turn>")
                && (holds.iter().all(|it| text.contains(&escaped(it)))
                    || stubs && is_stub(&Value::from(text)))
        }
        Expect::Note(line) => {
            let text = message["content"].as_str().unwrap_or_default();
            let stub = format!("[EPISODIC MEMORY]\n{}(read ", line.get(..12).unwrap_or(line));
            message["role"] == "system"
                && (text == format!("[EPISODIC MEMORY]\n{line}")
                    || stubs && text.starts_with(&stub))
        }
    }
}

fn is_stub(value: &Value) -> bool {
    let text = value.as_str().or_else(|| value["text"].as_str()).unwrap_or_default();
    text.contains(" tokens left out here; read ") || text.starts_with("{\"left_out\":")
}

fn alike(expected: &Value, value: &Value, stubs: bool) -> bool {
    match (expected, value) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b, stubs))
        }
        _ if expected == value || stubs && is_stub(value) => true,
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, it)| b.get(key).is_some_and(|other| alike(it, other, stubs)))
        }
        _ => false,
    }
}
