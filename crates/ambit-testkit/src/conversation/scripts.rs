//! Random scripts of several actors: plain data, generated from a seed.

use ambit::ActorKind;
use serde_json::{Value, json};

use crate::chance::Chance;

/// One command of one actor.
#[derive(Clone, Debug)]
pub enum Op {
    Scope {
        name: String,
        note: String,
    },
    Goto {
        name: String,
        note: String,
    },
    Note {
        text: String,
    },
    Insight {
        text: String,
    },
    /// One of the insights so far; now and then a note, or nothing at all.
    Retract {
        pick: usize,
    },
    Append {
        messages: Vec<Value>,
    },
    /// To one of the turns appended so far; now and then to none of them.
    Rewind {
        pick: usize,
    },
    Set {
        name: String,
        value: Option<String>,
    },
    /// A turn, its first block, or a note; now and then something that is not there.
    Forget {
        pick: usize,
    },
    /// One of the fixed Requests.
    Compose {
        request: usize,
    },
}

/// The head that a caller says it has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    Any,
    Right,
    Stale,
}

#[derive(Clone, Debug)]
pub struct Step {
    pub wait_ms: i64,
    pub actor: usize,
    pub pin: Option<String>,
    pub key: Option<String>,
    pub seen: Seen,
    pub op: Op,
}

#[derive(Clone, Debug)]
pub struct Script {
    pub actors: Vec<(String, ActorKind)>,
    pub steps: Vec<Step>,
}

/// Generates a script from a seed.
pub fn script(seed: u64, steps: usize) -> Script {
    let mut chance = Chance::new(seed);
    let names = ["ada", "bot", "cleo", "d\"<turn>"];
    let kinds = [ActorKind::Operator, ActorKind::Agent, ActorKind::Agent, ActorKind::Operator];
    let count = 1 + chance.below(4);
    // Any of them may be the one who is alone.
    let first = chance.below(4);
    let actors = (0..count).map(|n| (first + n) % 4).map(|n| (names[n].to_string(), kinds[n]));
    let actors: Vec<_> = actors.collect();
    let mut maker = Maker { chance, actors: count, scopes: vec!["main".into()], texts: 0, keys: 0 };
    let mut list: Vec<Step> = Vec::new();
    while list.len() < steps {
        let repeated = maker.chance.one_in(25);
        match list.iter().rev().find(|step| step.key.is_some()).filter(|_| repeated) {
            Some(step) => list.push(step.clone()),
            None => list.push(maker.step()),
        }
    }
    Script { actors, steps: list }
}

struct Maker {
    chance: Chance,
    actors: usize,
    scopes: Vec<String>,
    texts: usize,
    keys: usize,
}

impl Maker {
    fn step(&mut self) -> Step {
        let actor = self.chance.below(self.actors);
        let wait_ms = match self.chance.below(30) {
            0 => 299_000 + self.chance.below(4_000) as i64,
            1 => 150_000,
            2..=8 => 0,
            9 => -5_000,
            _ => 1 + self.chance.below(20_000) as i64,
        };
        let op = self.op();
        let moves = matches!(op, Op::Scope { .. } | Op::Goto { .. });
        let pinned = match op {
            _ if moves => self.chance.one_in(40),
            Op::Set { .. } => self.chance.one_in(2),
            _ => self.chance.one_in(8),
        };
        let pin = pinned.then(|| self.scope_name());
        let keyed = self.chance.one_in(12) && !matches!(op, Op::Compose { .. });
        let key = keyed.then(|| {
            // Now and then the key of another command.
            self.keys += usize::from(!self.chance.one_in(8));
            format!("key-{}", self.keys)
        });
        let seen = match self.chance.below(20) {
            0 => Seen::Stale,
            1 | 2 => Seen::Right,
            _ => Seen::Any,
        };
        Step { wait_ms, actor, pin, key, seen, op }
    }

    fn op(&mut self) -> Op {
        match self.chance.below(100) {
            0..6 => self.new_scope(),
            6..16 => Op::Goto { name: self.scope_name(), note: self.note() },
            16..22 => Op::Note { text: self.note() },
            22..24 => Op::Insight { text: self.note() },
            24 => Op::Retract { pick: self.chance.below(1_000) },
            25..66 => Op::Append { messages: self.messages() },
            66..70 => Op::Rewind { pick: self.chance.below(1_000) },
            70..77 => self.set(),
            77..81 => Op::Forget { pick: self.chance.below(1_000) },
            _ => Op::Compose { request: self.chance.below(1_000) },
        }
    }

    fn new_scope(&mut self) -> Op {
        let name = match self.chance.below(12) {
            0 => self.scope_name(),
            1 => " bad".to_string(),
            _ => format!("step-{}", self.scopes.len()),
        };
        if !self.scopes.contains(&name) && self.scopes.len() < 5 {
            self.scopes.push(name.clone());
        }
        Op::Scope { name, note: self.note() }
    }

    fn scope_name(&mut self) -> String {
        if self.chance.one_in(20) {
            return "nowhere".into();
        }
        // Main more often than the others, so that actors meet.
        match self.chance.one_in(3) {
            true => "main".into(),
            false => self.chance.pick(&self.scopes).clone(),
        }
    }

    fn note(&mut self) -> String {
        match self.chance.below(20) {
            0 => " \n".into(),
            1 => format!("{}\nand more", self.text(6)),
            _ => self.text(12),
        }
    }

    fn set(&mut self) -> Op {
        let numbers = |name: &str, values: &[&str], chance: &mut Chance| {
            let value = (!chance.one_in(4)).then(|| chance.pick(values).to_string());
            Op::Set { name: name.into(), value }
        };
        let chance = &mut self.chance;
        let switch = ["on", "off"];
        match chance.below(12) {
            11 => numbers("insights_shown", &["1", "3"], chance),
            0 => numbers("notes_shown", &["1", "2", "5", "8"], chance),
            1 => numbers("clear_on_note", &switch, chance),
            2 => numbers("clear_on_scope", &switch, chance),
            3 => numbers("clear_on_goto", &switch, chance),
            4 | 5 => numbers("dangling", &["withhold", "keep", "close"], chance),
            6 => numbers("layout", &["stable", "layered"], chance),
            7 => numbers("budget", &["200000", "700", "4000"], chance),
            8 => numbers("release_percent", &["50", "80"], chance),
            9 if chance.one_in(2) => numbers("idle_seconds", &["60", "600"], chance),
            9 => numbers("frame_size", &["1", "3", "7"], chance),
            _ => {
                let name = if chance.one_in(2) { "nonsense" } else { "scopes_max" };
                numbers(name, &["100"], chance)
            }
        }
    }

    /// A few words; mostly new ones, so that a mix-up shows.
    fn text(&mut self, words_max: usize) -> String {
        const WORDS: &[&str] = &[
            "timeout", "login", "session", "the", "cache", "is", "cold", "Zug", "修复", "</turn>",
        ];
        if self.chance.one_in(15) {
            return "said before".into();
        }
        self.texts += 1;
        let words = 1 + self.chance.below(words_max);
        let words: Vec<_> = (0..words).map(|_| *self.chance.pick(WORDS)).collect();
        format!("{} #{}", words.join(" "), self.texts)
    }

    fn messages(&mut self) -> Vec<Value> {
        match self.chance.below(20) {
            0 => Vec::new(),
            1..4 => self.round(),
            4..7 => vec![self.message(), self.message(), self.message()],
            _ => vec![self.message()],
        }
    }

    /// A batch of calls with all or most of its replies.
    fn round(&mut self) -> Vec<Value> {
        let calling = self.calling();
        let calls = calling["tool_calls"].as_array().cloned().unwrap_or_default();
        let mut ids: Vec<_> = calls.into_iter().map(|call| call["id"].clone()).collect();
        if self.chance.one_in(3) {
            ids.reverse();
        }
        if self.chance.one_in(5) {
            ids.pop();
        }
        let mut list = vec![calling];
        for id in ids {
            let text = self.text(20);
            list.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
        }
        list
    }

    fn message(&mut self) -> Value {
        let long = if self.chance.one_in(6) { 250 } else { 20 };
        match self.chance.below(20) {
            0..4 => json!({"role": "user", "content": self.text(long)}),
            4 => json!({"role": "system", "content": self.text(20)}),
            5 => json!({"role": "developer", "content": self.text(20)}),
            6..10 => json!({"role": "assistant", "content": self.text(long)}),
            10..13 => self.calling(),
            13..17 => self.reply(),
            17 => self.parts(),
            _ => self.empty(),
        }
    }

    fn id(&mut self) -> String {
        // Few ids, so that they repeat within a message and across messages.
        if self.chance.one_in(30) { String::new() } else { format!("c{}", self.chance.below(4)) }
    }

    fn calling(&mut self) -> Value {
        let calls: Vec<_> = (0..1 + self.chance.below(3))
            .map(|_| {
                let arguments = json!({"q": self.text(8)}).to_string();
                let function = json!({"name": "look", "arguments": arguments});
                json!({"id": self.id(), "type": "function", "function": function})
            })
            .collect();
        let content = match self.chance.below(4) {
            0 => json!(self.text(10)),
            1 => json!(""),
            2 => json!([{"type": "text", "text": self.text(5)}, {"type": "text", "text": ""}]),
            _ => Value::Null,
        };
        json!({"role": "assistant", "content": content, "tool_calls": calls})
    }

    fn reply(&mut self) -> Value {
        let id = self.id();
        match self.chance.below(8) {
            0 => json!({"role": "tool", "content": self.text(8)}),
            1 => {
                let part = json!({"type": "text", "text": self.text(8)});
                json!({"role": "tool", "tool_call_id": id, "content": [part]})
            }
            2 => json!({"role": "tool", "tool_call_id": id, "content": ""}),
            3 => json!({"role": "tool", "tool_call_id": id, "content": []}),
            _ => json!({"role": "tool", "tool_call_id": id, "content": self.text(30)}),
        }
    }

    fn parts(&mut self) -> Value {
        let text = json!({"type": "text", "text": self.text(10)});
        let image = json!({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}});
        let empty = json!({"type": "text", "text": ""});
        match self.chance.below(4) {
            0 => json!({"role": "user", "content": [text, image]}),
            1 => json!({"role": "user", "content": [empty, text], "name": "carl"}),
            2 => json!({"role": "assistant", "content": [text]}),
            _ => {
                json!({"role": "user", "content": [text, {"type": "text", "text": "said before"}]})
            }
        }
    }

    fn empty(&mut self) -> Value {
        let content = match self.chance.below(4) {
            0 => json!(""),
            1 => Value::Null,
            2 => json!([]),
            _ => json!([{"type": "text", "text": ""}]),
        };
        let role = *self.chance.pick(&["user", "assistant", "system"]);
        match self.chance.one_in(3) {
            true => json!({"role": "assistant", "content": self.text(4), "tool_calls": []}),
            false => json!({"role": role, "content": content}),
        }
    }
}
