//! Random scripts of operators, agents and their subagents: plain data, generated from a seed.

use ambit::{ActorKind, Inherit};

use crate::chance::Chance;

/// One command of one actor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    Put {
        name: String,
        kind: Option<String>,
        text: String,
        into: Option<String>,
    },
    Get {
        name: String,
        no_visit: bool,
    },
    /// One of the notes so far.
    GetNote {
        pick: usize,
        no_visit: bool,
    },
    Place {
        name: String,
        scope: String,
        out: bool,
    },
    Note {
        text: String,
    },
    Enter {
        scope: String,
    },
    Leave {
        scope: String,
    },
    Focus {
        scope: String,
    },
    Scope {
        name: String,
        note: String,
    },
    Goto {
        name: String,
        note: String,
    },
    Break,
    Fork {
        name: String,
        task: String,
        inherit: Inherit,
    },
    /// The caller itself if nobody is named.
    Rejoin {
        child: Option<String>,
        note: Option<String>,
        deep: bool,
    },
    Abandon {
        child: String,
        deep: bool,
    },
    Tidy,
    Append {
        text: String,
    },
    /// The size of frames: of the vault, or of the pinned scope.
    Size {
        value: Option<usize>,
    },
    /// The store is closed and opened again.
    Restart,
}

#[derive(Clone, Debug)]
pub struct Step {
    pub wait_ms: i64,
    pub actor: String,
    /// Left out where there is no such scope by then, but for notes and messages.
    pub pin: Option<String>,
    pub op: Op,
}

#[derive(Clone, Debug)]
pub struct Script {
    pub steps: Vec<Step>,
}

/// What an actor becomes at its first change. Subagents that were never forked are agents.
pub fn kind_of(actor: &str) -> ActorKind {
    match actor {
        "ada" | "dan" => ActorKind::Operator,
        _ => ActorKind::Agent,
    }
}

const TYPES: &[&str] =
    &["artifact", "contact", "document", "note", "schema", "config", "metadata", "dashboard"];

pub const DAY_MS: i64 = 86_400_000;

/// Generates a script from a seed.
pub fn script(seed: u64, steps: usize) -> Script {
    let mut chance = Chance::new(seed);
    let mut names = vec!["ada", "bot", "cleo", "dan"];
    while names.len() > 2 && chance.one_in(2) {
        let index = chance.below(names.len());
        names.remove(index);
    }
    let mut maker = Maker {
        chance,
        actors: names.into_iter().map(str::to_string).collect(),
        subs: Vec::new(),
        parents: Vec::new(),
        ended: Vec::new(),
        scopes: vec!["main".into()],
        objects: Vec::new(),
        texts: 0,
        last: String::new(),
    };
    // The first exists from the start: forks and pins need it.
    maker.last.clone_from(&maker.actors[0]);
    let steps = (0..steps).map(|_| maker.step()).collect();
    Script { steps }
}

struct Maker {
    chance: Chance,
    actors: Vec<String>,
    subs: Vec<String>,
    /// Who forks each of them, and those that may have come to their end.
    parents: Vec<String>,
    ended: Vec<String>,
    scopes: Vec<String>,
    objects: Vec<String>,
    texts: usize,
    last: String,
}

impl Maker {
    fn step(&mut self) -> Step {
        let wait_ms = match self.chance.below(40) {
            0 => 299_000 + self.chance.below(3_000) as i64,
            1 | 2 => 400_000,
            3 => -7_000,
            4 if self.chance.one_in(2) => 91 * DAY_MS,
            5..16 => 0,
            _ => 1 + self.chance.below(20_000) as i64,
        };
        // The last actor usually continues: views then hold several actions.
        if self.last.is_empty() || !self.chance.one_in(2) {
            self.last = self.actor();
        }
        let mut actor = self.last.clone();
        let op = self.op(&actor);
        // Subagents are ended by who may, more often than not.
        if let Op::Rejoin { child: Some(child), .. } | Op::Abandon { child, .. } = &op {
            actor = self.ender(child, &actor);
            self.last.clone_from(&actor);
        }
        let pinned = match op {
            Op::Restart | Op::Tidy => false,
            Op::Enter { .. } | Op::Leave { .. } | Op::Focus { .. } => self.chance.one_in(40),
            Op::Scope { .. } | Op::Goto { .. } => self.chance.one_in(40),
            Op::Size { .. } => self.chance.one_in(2),
            _ => self.chance.one_in(9),
        };
        let pin = pinned.then(|| match (&op, self.chance.one_in(12)) {
            (Op::Note { .. } | Op::Append { .. }, true) => "nowhere".to_string(),
            _ => self.scope(),
        });
        Step { wait_ms, actor, pin, op }
    }

    fn actor(&mut self) -> String {
        match !self.subs.is_empty() && self.chance.one_in(2) {
            true => self.sub(),
            false => self.chance.pick(&self.actors).clone(),
        }
    }

    fn op(&mut self, actor: &str) -> Op {
        match self.chance.below(100) {
            0..20 => self.put(),
            20..34 => Op::Get { name: self.object(), no_visit: self.chance.one_in(5) },
            34..37 => {
                Op::GetNote { pick: self.chance.below(1_000), no_visit: self.chance.one_in(5) }
            }
            37..44 => {
                Op::Place { name: self.object(), scope: self.scope(), out: self.chance.one_in(2) }
            }
            44..49 => Op::Note { text: self.note() },
            49..56 => Op::Enter { scope: self.scope() },
            56..60 => Op::Leave { scope: self.scope() },
            60..64 => Op::Focus { scope: self.scope() },
            64..68 => self.new_scope(),
            68..72 => Op::Goto { name: self.scope(), note: self.note() },
            72..76 => Op::Break,
            76..83 => self.fork(actor),
            83..89 => self.rejoin(actor),
            89..91 => Op::Abandon { child: self.sub(), deep: self.chance.one_in(2) },
            91..94 => Op::Tidy,
            94..96 => Op::Append { text: self.text() },
            96..98 => {
                let sizes = [Some(1), Some(2), Some(3), Some(5), Some(9), None];
                Op::Size { value: *self.chance.pick(&sizes) }
            }
            _ => Op::Restart,
        }
    }

    fn put(&mut self) -> Op {
        if !self.objects.is_empty() && self.chance.one_in(2) {
            let kind = self.chance.one_in(20).then(|| "schema".to_string());
            let into = self.chance.one_in(20).then(|| self.scope());
            return Op::Put { name: self.object(), kind, text: self.text(), into };
        }
        let name = format!("thing-{}", self.objects.len() + 1);
        self.objects.push(name.clone());
        let typed = self.chance.one_in(2);
        let kind = typed.then(|| self.chance.pick(TYPES).to_string());
        let into = self.chance.one_in(4).then(|| self.scope());
        Op::Put { name, kind, text: self.text(), into }
    }

    fn object(&mut self) -> String {
        if self.objects.is_empty() || self.chance.one_in(25) {
            return "no-thing".into();
        }
        self.chance.pick(&self.objects).clone()
    }

    fn scope(&mut self) -> String {
        if self.chance.one_in(30) {
            return "nowhere".into();
        }
        match self.chance.below(4) {
            0 => "main".into(),
            // The newest: actors meet there.
            1 => self.scopes[self.scopes.len() - 1].clone(),
            _ => self.chance.pick(&self.scopes).clone(),
        }
    }

    fn new_scope(&mut self) -> Op {
        let name = match self.chance.one_in(8) {
            true => self.scope(),
            false => format!("scope-{}", self.scopes.len()),
        };
        if !self.scopes.contains(&name) && name != "nowhere" {
            self.scopes.push(name.clone());
        }
        Op::Scope { name, note: self.note() }
    }

    fn fork(&mut self, actor: &str) -> Op {
        let name = match self.chance.one_in(10) {
            true => self.scope(),
            false => format!("sub-{}", self.subs.len() + 1),
        };
        if name.starts_with("sub-") && !self.subs.contains(&name) {
            self.subs.push(name.clone());
            self.parents.push(actor.to_string());
            self.scopes.push(name.clone());
        }
        let inherit = *self.chance.pick(&[Inherit::None, Inherit::Notes, Inherit::Full]);
        let task = self.note();
        // The subagent usually acts next.
        if self.chance.one_in(2) && name.starts_with("sub-") {
            self.last.clone_from(&name);
        }
        Op::Fork { name, task, inherit }
    }

    /// Picks a subagent, usually one that is still running.
    fn sub(&mut self) -> String {
        let at_work = self.subs.iter().filter(|sub| !self.ended.contains(sub));
        let at_work: Vec<_> = at_work.cloned().collect();
        match self.chance.below(12) {
            0 => self.chance.pick(&self.actors).clone(),
            1 if !self.subs.is_empty() => self.chance.pick(&self.subs).clone(),
            _ if !at_work.is_empty() => self.chance.pick(&at_work).clone(),
            _ => self.chance.pick(&self.actors).clone(),
        }
    }

    /// Picks the actor that ends a subagent: its parent, the first actor, or any other.
    fn ender(&mut self, child: &str, actor: &str) -> String {
        if let Some(index) = self.subs.iter().position(|sub| sub == child) {
            self.ended.push(child.to_string());
            match self.chance.below(4) {
                0 | 1 => return self.parents[index].clone(),
                2 => return self.actors[0].clone(),
                _ => {}
            }
        }
        actor.to_string()
    }

    fn rejoin(&mut self, actor: &str) -> Op {
        let own = self.subs.iter().any(|sub| sub == actor) && self.chance.one_in(2);
        let child = (!own).then(|| self.sub());
        if own {
            self.ended.push(actor.to_string());
        }
        let note = self.chance.one_in(2).then(|| self.note());
        Op::Rejoin { child, note, deep: self.chance.one_in(3) }
    }

    fn note(&mut self) -> String {
        if self.chance.one_in(25) { " ".into() } else { self.text() }
    }

    fn text(&mut self) -> String {
        if self.chance.one_in(12) {
            return "said before".into();
        }
        self.texts += 1;
        format!("text {}", self.texts)
    }
}
