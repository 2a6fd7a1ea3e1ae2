//! The independent, simple model of a vault after each step: plain lists, scanned from end to end;
//! no sums, no indices, no events. It is written from DESIGN.md, not from the code.

use std::collections::BTreeMap;

use ambit::{ActorKind, Kind};
use serde_json::Value;

use super::insights::Insight;
use super::scripts::{Op, Seen, Step};
pub use super::vault::{Actor, Batch, Place, Scope, Standing, Turn, What};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Assistant,
    OtherTurn,
    Reply,
    Other,
}

pub struct Model {
    pub now: i64,
    /// The time of the last event.
    pub last: i64,
    pub actors: Vec<Actor>,
    pub scopes: Vec<Scope>,
    pub turns: Vec<Turn>,
    pub batches: Vec<Batch>,
    pub insights: Vec<Insight>,
    pub settings: BTreeMap<String, String>,
    pub boundary: u64,
    /// The turns in sight of a note's scope before its command, by the note's hash.
    pub snapshots: Vec<(String, Vec<usize>)>,
    moment: u64,
}

/// The effect of a key on a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Key {
    New,
    Repeated,
    Clash,
}

impl Model {
    pub fn new(actors: &[(String, ActorKind)], now: i64) -> Model {
        let actor = |(name, kind): &(String, ActorKind)| Actor {
            name: name.clone(),
            kind: *kind,
            primary: 0,
            registered: false,
            keys: BTreeMap::new(),
        };
        let mut model = Model {
            now,
            last: now,
            actors: actors.iter().map(actor).collect(),
            scopes: Vec::new(),
            turns: Vec::new(),
            batches: Vec::new(),
            insights: Vec::new(),
            settings: BTreeMap::new(),
            boundary: 0,
            snapshots: Vec::new(),
            moment: 0,
        };
        model.open_scope("main", Vec::new());
        model
    }

    fn open_scope(&mut self, name: &str, inherited: Vec<String>) -> usize {
        self.scopes.push(Scope {
            name: name.to_string(),
            inherited,
            places: Vec::new(),
            boundary: 0,
            standing: vec![Standing::default(); self.actors.len()],
            settings: BTreeMap::new(),
        });
        self.scopes.len() - 1
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        self.scopes.iter().position(|scope| scope.name == name)
    }

    /// Returns the scope that a step works in.
    pub fn working(&self, step: &Step) -> Option<usize> {
        match &step.pin {
            Some(name) => self.find(name),
            None => Some(self.actors[step.actor].primary),
        }
    }

    /// Returns the effective value of a setting in a scope.
    pub fn setting(&self, scope: usize, name: &str, default: &str) -> String {
        let own = self.scopes[scope].settings.get(name).or_else(|| self.settings.get(name));
        own.cloned().unwrap_or_else(|| default.to_string())
    }

    pub fn key(&self, step: &Step, command: &str) -> Key {
        let actor = &self.actors[step.actor];
        match step.key.as_ref().and_then(|key| actor.keys.get(key)) {
            None => Key::New,
            Some(known) if known == command => Key::Repeated,
            Some(_) => Key::Clash,
        }
    }

    /// Returns every reason to refuse a step. Without a reason, the step succeeds.
    pub fn refusals(&self, step: &Step, to: i64) -> Vec<Kind> {
        let mut why = Vec::new();
        let mut rule = |broken: bool, kind: Kind| why.extend(broken.then_some(kind));
        let empty = |note: &str| note.trim().is_empty();
        let working = self.working(step);
        rule(working.is_none(), Kind::NotFound);
        let heeds_head = !matches!(step.op, Op::Set { .. } | Op::Forget { .. });
        rule(heeds_head && step.seen == Seen::Stale, Kind::Conflict);
        match &step.op {
            Op::Scope { name, note } => {
                rule(step.pin.is_some(), Kind::Refused);
                rule(name.trim() != name, Kind::Usage);
                rule(empty(note), Kind::Usage);
                rule(self.find(name).is_some(), Kind::Conflict);
            }
            Op::Goto { name, note } => {
                rule(step.pin.is_some(), Kind::Refused);
                rule(empty(note), Kind::Usage);
                rule(self.find(name).is_none(), Kind::NotFound);
                rule(self.find(name) == working, Kind::Conflict);
            }
            Op::Note { text } | Op::Insight { text } => rule(empty(text), Kind::Usage),
            Op::Retract { pick } => {
                let found = self.insight_named(&self.retract_name(*pick));
                rule(found.is_none(), Kind::NotFound);
                rule(found.is_some_and(|it| it.retracted), Kind::Conflict);
            }
            Op::Append { messages } => rule(messages.is_empty(), Kind::Usage),
            Op::Rewind { .. } => {
                let place = working.and_then(|scope| self.place_of(scope, to));
                rule(place.is_none(), Kind::NotFound);
            }
            Op::Set { name, .. } => {
                rule(name == "nonsense", Kind::Usage);
                rule(name == "scopes_max" && step.pin.is_some(), Kind::Usage);
            }
            Op::Forget { pick } => rule(!self.can_forget(&self.forget_name(*pick)), Kind::NotFound),
            Op::Compose { .. } => {}
        }
        why
    }

    /// Returns the place of a turn that a scope shows.
    fn place_of(&self, scope: usize, seq: i64) -> Option<usize> {
        self.scopes[scope].places.iter().position(|place| match place.what {
            What::Turn(turn) => place.shown && self.turns[turn].seq == seq,
            What::Note(_) => false,
        })
    }

    /// Returns the place of an actor's open calls in a scope.
    pub fn open_calls(&self, actor: usize, scope: usize) -> Option<usize> {
        let own = |batch: &&Batch| batch.author == actor && batch.scope == scope;
        self.batches.iter().filter(own).find(|batch| batch.is_open()).map(|batch| batch.root)
    }

    pub fn is_silent(&self, actor: usize, scope: usize) -> bool {
        let last = self.scopes[scope].standing[actor].last;
        let idle: i64 = self.setting(scope, "idle_seconds", "300").parse().unwrap_or(300);
        last.is_some_and(|last| self.now - last > idle * 1000)
    }

    /// Returns the time at which a reader's epoch began.
    pub fn epoch(&self, actor: usize, scope: usize) -> u64 {
        let at = &self.scopes[scope];
        self.boundary.max(at.boundary).max(at.standing[actor].boundary)
    }

    pub fn fold(&self, actor: usize, scope: usize) -> Option<usize> {
        let (end, moment) = self.scopes[scope].standing[actor].fold;
        let holds = moment > self.epoch(actor, scope) && !self.is_silent(actor, scope);
        holds.then_some(end)
    }

    pub fn answered(&self, actor: usize, scope: usize) -> Option<usize> {
        let (end, moment) = self.scopes[scope].standing[actor].answered;
        let holds = moment > self.epoch(actor, scope) && !self.is_silent(actor, scope);
        holds.then_some(end)
    }

    pub fn tick(&mut self) -> u64 {
        self.moment += 1;
        self.moment
    }

    /// Records an event of an actor in a scope.
    fn touch(&mut self, actor: usize, scope: usize, act: Act) {
        let silent = self.is_silent(actor, scope);
        let open = self.open_calls(actor, scope);
        if silent {
            self.scopes[scope].standing[actor].boundary = self.tick();
        }
        if act == Act::Assistant {
            // Read before `last` changes: the silence is already handled above.
            let all = self.scopes[scope].places.len();
            let end = if silent { all } else { open.unwrap_or(all) };
            let folded = !silent && self.fold(actor, scope).is_some();
            let moment = self.tick();
            let standing = &mut self.scopes[scope].standing[actor];
            standing.answered = (end, moment);
            if !folded {
                standing.fold = (end, moment);
            }
        }
        let gives_up = match act {
            Act::Assistant | Act::OtherTurn => true,
            Act::Reply => false,
            Act::Other => silent,
        };
        if gives_up {
            let own = |it: &&mut Batch| it.author == actor && it.scope == scope && it.is_open();
            self.batches.iter_mut().filter(own).for_each(|batch| batch.over = true);
        }
        self.scopes[scope].standing[actor].last = Some(self.now);
    }

    fn push(&mut self, scope: usize, what: What, root: Option<usize>) -> usize {
        let places = &mut self.scopes[scope].places;
        let place = places.len();
        places.push(Place { what, root: root.unwrap_or(place), shown: true });
        place
    }

    /// Applies a successful step. `head` and `hash` are from its answer. Returns how many turns
    /// were carried.
    pub fn follow(&mut self, step: &Step, to: i64, head: i64, hash: &str) -> usize {
        let mut carried = 0;
        if let Op::Forget { pick } = step.op {
            let name = self.forget_name(pick);
            self.forget(step.actor, &name);
            return 0;
        }
        let (actor, working) = (step.actor, self.working(step).unwrap());
        let before = std::mem::replace(&mut self.last, self.now);
        let known = std::mem::replace(&mut self.actors[actor].registered, true);
        let noted = match &step.op {
            Op::Scope { .. } | Op::Note { .. } => Some(working),
            Op::Goto { name, .. } => self.find(name),
            _ => None,
        };
        self.snapshots.extend(noted.map(|scope| (hash.to_string(), self.in_sight(scope))));
        match &step.op {
            Op::Scope { name, note } => {
                self.note(actor, working, hash, &format!("[→ {name}] {}", one_line(note)));
                let inherited = self.own_notes(0);
                let scope = self.open_scope(name, inherited);
                carried = self.carry(actor, working, scope);
                self.clear_if(actor, working, "clear_on_scope");
                self.actors[actor].primary = scope;
            }
            Op::Goto { name, note } => {
                let scope = self.find(name).unwrap();
                carried = self.carry(actor, working, scope);
                self.clear_if(actor, working, "clear_on_goto");
                self.actors[actor].primary = scope;
                let origin = &self.scopes[working].name;
                let text = format!("[← {origin}] {}", one_line(note));
                self.note(actor, scope, hash, &text);
            }
            Op::Note { text } => {
                self.note(actor, working, hash, &one_line(text));
                self.clear_if(actor, working, "clear_on_note");
            }
            Op::Insight { text } => {
                self.touch(actor, working, Act::Other);
                self.insight(actor, hash, &one_line(text));
            }
            Op::Retract { pick } => {
                let name = self.retract_name(*pick);
                self.touch(actor, working, Act::Other);
                self.retract(&name);
            }
            Op::Append { messages } => {
                let first = head - messages.len() as i64 + 1;
                for (seq, message) in (first..).zip(messages) {
                    self.append(actor, working, seq, message);
                }
            }
            Op::Rewind { .. } | Op::Set { .. } => {
                let changed = match &step.op {
                    Op::Set { name, value } => self.set(step, name, value.clone()),
                    _ => self.rewind(actor, working, to),
                };
                // A step without an effect writes no event, so the log's time does not change.
                if !changed && known {
                    self.last = before;
                }
            }
            Op::Forget { .. } | Op::Compose { .. } => {}
        }
        carried
    }

    fn note(&mut self, actor: usize, scope: usize, hash: &str, text: &str) {
        self.touch(actor, scope, Act::Other);
        self.push(scope, What::Note(format!("- [{}] {text}", &hash[..7])), None);
    }

    pub fn own_notes(&self, scope: usize) -> Vec<String> {
        let notes = self.scopes[scope].places.iter().filter_map(|place| match &place.what {
            What::Note(line) => Some(line.clone()),
            What::Turn(_) => None,
        });
        notes.collect()
    }

    fn append(&mut self, actor: usize, scope: usize, seq: i64, message: &Value) {
        let text = |name: &str| message.get(name).and_then(Value::as_str);
        let role = text("role").unwrap_or_default();
        // A reply belongs to its author's open batch here that holds its id, equal ids in order.
        let own = |it: &Batch| it.author == actor && it.scope == scope && it.is_open();
        let answers = text("tool_call_id").filter(|_| role == "tool").and_then(|id| {
            let batch = self.batches.iter().position(own)?;
            let it = &self.batches[batch];
            let waits = |n: &usize| it.ids[*n] == id && it.replies[*n].is_none();
            Some((batch, (0..it.ids.len()).find(waits)?))
        });
        let act = match (role, answers) {
            ("assistant", _) => Act::Assistant,
            ("tool", Some(_)) => Act::Reply,
            // A reply without a call: it gives up open calls only after a silence.
            ("tool", None) => Act::Other,
            _ => Act::OtherTurn,
        };
        self.touch(actor, scope, act);
        let turn = self.turns.len();
        let (author, message, shapeless) = (actor, message.clone(), false);
        self.turns.push(Turn { seq, author, message, shapeless, answers });
        let root = answers.map(|(batch, _)| self.batches[batch].root);
        let place = self.push(scope, What::Turn(turn), root);
        if let Some((batch, call)) = answers {
            self.batches[batch].replies[call] = Some(turn);
        }
        let message = &self.turns[turn].message;
        let calls = if role == "assistant" { calls_of(message) } else { Vec::new() };
        let id = |call: &Value| call["id"].as_str().unwrap_or_default().to_string();
        let ids: Vec<_> = calls.iter().map(id).collect();
        if !ids.is_empty() {
            let replies = vec![None; ids.len()];
            let root = place;
            self.batches.push(Batch {
                author: actor,
                turn,
                scope,
                root,
                ids,
                replies,
                over: false,
            });
        }
    }

    fn carry(&mut self, actor: usize, from: usize, to: usize) -> usize {
        let own = |it: &Batch| it.author == actor && it.scope == from && it.is_open();
        let Some(batch) = self.batches.iter().position(own) else {
            return 0;
        };
        self.touch(actor, from, Act::Reply);
        self.touch(actor, to, Act::OtherTurn);
        let root = self.batches[batch].root;
        let mut chain = Vec::new();
        for place in &mut self.scopes[from].places {
            if let What::Turn(turn) = place.what
                && place.root == root
                && place.shown
            {
                place.shown = false;
                chain.push(turn);
            }
        }
        let (new_root, carried) = (self.scopes[to].places.len(), chain.len());
        chain.into_iter().for_each(|turn| {
            self.push(to, What::Turn(turn), Some(new_root));
        });
        (self.batches[batch].scope, self.batches[batch].root) = (to, new_root);
        let moment = self.tick();
        for (other, standing) in self.scopes[from].standing.iter_mut().enumerate() {
            if other != actor {
                standing.boundary = moment;
            }
        }
        carried
    }

    fn clear_if(&mut self, actor: usize, scope: usize, switch: &str) {
        if self.setting(scope, switch, "off") == "off" || self.messages(scope) == 0 {
            return;
        }
        let open = self.batches.iter().filter(|it| it.scope == scope && it.is_open());
        let kept: Vec<_> = open.map(|batch| batch.root).collect();
        let goes =
            |it: &Place| it.shown && matches!(it.what, What::Turn(_)) && !kept.contains(&it.root);
        if self.scopes[scope].places.iter().any(goes) {
            self.touch(actor, scope, Act::Other);
            self.hide(scope, |_, root| !kept.contains(&root));
        }
    }

    /// Returns true if there was something to hide.
    fn rewind(&mut self, actor: usize, scope: usize, to: i64) -> bool {
        let place = self.place_of(scope, to).unwrap();
        let later = |it: &Place| it.shown && matches!(it.what, What::Turn(_)) && it.root > place;
        if !self.scopes[scope].places.iter().any(later) {
            return false;
        }
        self.touch(actor, scope, Act::Other);
        self.hide(scope, |_, root| root > place);
        true
    }

    /// Hides messages, together with their open calls.
    fn hide(&mut self, scope: usize, goes: impl Fn(usize, usize) -> bool) {
        for (index, place) in self.scopes[scope].places.iter_mut().enumerate() {
            if matches!(place.what, What::Turn(_)) && goes(index, place.root) {
                place.shown = false;
            }
        }
        for batch in self.batches.iter_mut().filter(|batch| batch.scope == scope) {
            batch.over |= !self.scopes[scope].places[batch.root].shown;
        }
        self.scopes[scope].boundary = self.tick();
    }

    /// Returns true if the setting changed.
    fn set(&mut self, step: &Step, name: &str, value: Option<String>) -> bool {
        let scope = step.pin.as_ref().and_then(|pin| self.find(pin));
        let settings = scope.map_or(&self.settings, |scope| &self.scopes[scope].settings);
        if settings.get(name) == value.as_ref() {
            return false;
        }
        if let Some(scope) = scope {
            self.touch(step.actor, scope, Act::Other);
        }
        let moment = self.tick();
        let (settings, boundary) = match scope {
            Some(scope) => {
                let scope = &mut self.scopes[scope];
                (&mut scope.settings, &mut scope.boundary)
            }
            None => (&mut self.settings, &mut self.boundary),
        };
        match value {
            Some(value) => drop(settings.insert(name.to_string(), value)),
            None => drop(settings.remove(name)),
        }
        let reads = ["notes_shown", "dangling", "layout", "budget", "release_percent"];
        let reads = reads.iter().chain(&["idle_seconds", "insights_shown"]).collect::<Vec<_>>();
        if reads.contains(&&name) {
            *boundary = moment;
        }
        true
    }

    /// Returns the turns that a scope shows.
    fn in_sight(&self, scope: usize) -> Vec<usize> {
        let shown = self.scopes[scope].places.iter().filter(|place| place.shown);
        let message = |place: &Place| match place.what {
            What::Turn(turn) => Some(turn),
            What::Note(_) => None,
        };
        shown.filter_map(message).collect()
    }

    /// Returns how many open calls an actor has in a scope.
    pub fn open_count(&self, actor: usize, scope: usize) -> usize {
        let own = |it: &&Batch| it.author == actor && it.scope == scope && it.is_open();
        let open = self.batches.iter().filter(own);
        open.map(|batch| batch.replies.iter().filter(|reply| reply.is_none()).count()).sum()
    }

    /// Returns how many turns a scope shows.
    pub fn messages(&self, scope: usize) -> usize {
        let shown = |it: &&Place| it.shown && matches!(it.what, What::Turn(_));
        self.scopes[scope].places.iter().filter(shown).count()
    }
}

pub fn calls_of(message: &Value) -> Vec<Value> {
    message.get("tool_calls").and_then(Value::as_array).cloned().unwrap_or_default()
}

/// A note is one line in the layer.
pub fn one_line(text: &str) -> String {
    text.trim().replace('\n', " ")
}
