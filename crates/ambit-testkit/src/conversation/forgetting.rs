//! Forgetting in the model: marks replace texts, and readers that are shown them start new epochs.

use serde_json::{Value, json};

use super::model::{Model, What};

const MARK: &str = "[forgotten]";
const CALL_MARK: &str = r#"{"forgotten":true}"#;

impl Model {
    /// Returns the target of a step: a turn, its first block, a note, or nothing.
    pub fn forget_name(&self, pick: usize) -> String {
        let notes = self.scopes.iter().flat_map(|scope| &scope.places);
        let notes = notes.filter_map(|place| match &place.what {
            What::Note(line) => Some(line[3..10].to_string()),
            What::Turn(_) => None,
        });
        let turns =
            self.turns.iter().flat_map(|it| [format!("{}", it.seq), format!("{}.0", it.seq)]);
        let insights = self.insights.iter().map(|it| it.hash().to_string());
        let names: Vec<_> = turns.chain(notes).chain(insights).chain(["1".to_string()]).collect();
        names[pick % names.len()].clone()
    }

    pub fn can_forget(&self, name: &str) -> bool {
        name != "1"
    }

    /// Returns true if there was something to forget.
    pub fn forget(&mut self, actor: usize, name: &str) -> bool {
        let (seq, block) = match name.split_once('.') {
            Some((seq, _)) => (seq, true),
            None => (name, false),
        };
        let turn = self.turns.iter().position(|turn| turn.seq.to_string() == seq);
        let changed = match turn {
            Some(turn) if block => self.forget_block(turn),
            Some(turn) => self.forget_turn(turn),
            None => self.forget_note(name),
        };
        if changed {
            self.last = self.now;
            self.actors[actor].registered = true;
        }
        changed
    }

    fn forget_turn(&mut self, turn: usize) -> bool {
        let it = &mut self.turns[turn];
        let mut next = it.message.clone();
        let mut changed = false;
        for slot in slots(&mut next) {
            changed |= mark(slot);
        }
        let plain = it.message["content"].is_string() && it.message.as_object().unwrap().len() == 2;
        if !plain && !it.shapeless {
            (it.shapeless, changed) = (true, true);
            next = bare(&next);
        }
        it.message = next;
        self.start_epochs(turn, changed)
    }

    fn forget_block(&mut self, turn: usize) -> bool {
        let first = slots(&mut self.turns[turn].message).into_iter().next();
        let changed = first.is_some_and(mark);
        self.start_epochs(turn, changed)
    }

    /// Starts a new epoch in every scope that shows a turn, if the turn changed.
    fn start_epochs(&mut self, turn: usize, changed: bool) -> bool {
        let moment = self.tick();
        let shows = |what: &What| matches!(what, What::Turn(it) if *it == turn);
        for scope in self.scopes.iter_mut().filter(|_| changed) {
            if scope.places.iter().any(|place| place.shown && shows(&place.what)) {
                scope.boundary = moment;
            }
        }
        changed
    }

    fn forget_note(&mut self, hash: &str) -> bool {
        let mut changed = false;
        let mut forget = |line: &mut String| {
            if line[3..10] == *hash && !line.ends_with(MARK) {
                // The direction of a move consists of names, and stays.
                let text = &line[12..];
                let way = text.split_once("] ").filter(|_| text.starts_with(['[']));
                let way = way.map(|(way, _)| way).filter(|way| way.contains(['→', '←']));
                let way = way.map_or(String::new(), |way| format!("{way}] "));
                *line = format!("- [{hash}] {way}{MARK}");
                changed = true;
            }
        };
        for scope in &mut self.scopes {
            for place in &mut scope.places {
                if let What::Note(line) = &mut place.what {
                    forget(line);
                }
            }
            scope.inherited.iter_mut().for_each(&mut forget);
        }
        self.insights.iter_mut().for_each(|it| forget(&mut it.line));
        if changed {
            self.boundary = self.tick();
        }
        changed
    }
}

/// Returns the texts of a message, in the order of its blocks.
fn slots(message: &mut Value) -> Vec<&mut Value> {
    let fields = message.as_object_mut().unwrap();
    let (mut content, mut calls) = (None, None);
    for (name, value) in fields.iter_mut() {
        match name.as_str() {
            "content" => content = Some(value),
            "tool_calls" => calls = Some(value),
            _ => {}
        }
    }
    let mut out = Vec::new();
    match content {
        Some(Value::Array(parts)) => out.extend(parts.iter_mut()),
        Some(text @ Value::String(_)) => out.push(text),
        _ => {}
    }
    let calls = calls.and_then(Value::as_array_mut).into_iter().flatten();
    out.extend(calls.map(|call| &mut call["function"]["arguments"]));
    out
}

/// Replaces a text by a mark. Returns false if there is no text, or a mark already.
fn mark(slot: &mut Value) -> bool {
    let marked = match slot {
        Value::String(text) if text.starts_with('{') => json!(CALL_MARK),
        Value::String(text) if text.is_empty() => return false,
        Value::String(_) => json!(MARK),
        part if part["text"] == "" => return false,
        _ => json!({"type": "text", "text": MARK}),
    };
    std::mem::replace(slot, marked.clone()) != marked
}

/// Returns a message reduced to its blocks.
fn bare(message: &Value) -> Value {
    let content = match &message["content"] {
        Value::Array(parts) => match parts.as_slice() {
            [] => Value::Null,
            [part] => part["text"].clone(),
            parts => json!(parts),
        },
        content => content.clone(),
    };
    let mut bare = json!({"role": message["role"], "content": content});
    if message["role"] == "tool" {
        bare["tool_call_id"] = json!("");
    }
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let call = |call: &Value| {
        let arguments = &call["function"]["arguments"];
        let function = json!({"name": "forgotten", "arguments": arguments});
        json!({"id": "", "type": "function", "function": function})
    };
    let calls: Vec<_> = calls.into_iter().flatten().map(call).collect();
    if !calls.is_empty() {
        bare["tool_calls"] = json!(calls);
    }
    bare
}
