//! An independent, simple model of attention: lists of names, and the effect of each command on
//! them.

use ambit::ActorKind;

use super::scripts::{Op, Step, kind_of};

/// An item of a frame: an object, or a note by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thing {
    Object(String),
    Note(usize),
}

/// The owner of a frame and a stream.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Frame {
    Actor(String),
    Scope(String),
}

/// One item in a frame, and the time of its last visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub thing: Thing,
    pub tick: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Rejoined,
    Abandoned,
}

/// The facts that decide whether the next action still belongs to a view.
#[derive(Clone, Debug, Default)]
pub struct Open {
    pub time: i64,
    pub pin: Option<String>,
    pub capture: Option<Frame>,
}

#[derive(Clone, Debug)]
pub struct Actor {
    pub name: String,
    pub kind: ActorKind,
    /// Most recently entered first.
    pub active: Vec<String>,
    pub primary: Option<String>,
    pub mind: Vec<Held>,
    pub broke: u64,
    /// The last view; `None` after a break.
    pub view: Option<usize>,
    pub open: Option<Open>,
    /// For a subagent: its parent, and the scope it was forked from. Its own scope has its name.
    pub forked: Option<(String, String)>,
    pub end: Option<End>,
}

#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub name: String,
    pub closed: bool,
    pub mind: Vec<Held>,
    pub size: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub name: String,
    pub kind: String,
    pub text: String,
    /// In the order in which it joined them.
    pub places: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub struct View {
    pub actor: String,
    pub previous: Option<usize>,
    pub streams: Vec<(Frame, Option<usize>)>,
    pub last: i64,
    pub merge: bool,
    pub summary: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The clock, and the log's time, which does not go back when the clock does.
    pub clock: i64,
    pub now: i64,
    pub last: i64,
    pub tick: u64,
    pub actors: Vec<Actor>,
    pub scopes: Vec<Scope>,
    pub objects: Vec<Object>,
    /// Texts, in the order in which they were written.
    pub notes: Vec<String>,
    pub views: Vec<View>,
    /// The capture of each change, and its frame.
    pub captures: Vec<(Vec<Thing>, Frame)>,
    pub size: Option<usize>,
}

pub const IDLE_MS: i64 = 300_000;
const FRAME_SIZE: usize = 7;

/// The types that never enter a frame; all others do (D0-11).
pub const PRIMITIVE: &[&str] = &["schema", "config", "metadata"];

impl Model {
    pub fn new(now: i64) -> Model {
        let scopes = vec![Scope { name: "main".into(), ..Scope::default() }];
        Model { clock: now, now, last: now, scopes, ..Model::default() }
    }

    pub fn actor(&self, name: &str) -> Option<&Actor> {
        self.actors.iter().find(|actor| actor.name == name)
    }

    fn own(&mut self, name: &str) -> &mut Actor {
        self.actors.iter_mut().find(|actor| actor.name == name).unwrap()
    }

    pub fn scope(&self, name: &str) -> Option<&Scope> {
        self.scopes.iter().find(|scope| scope.name == name)
    }

    pub fn object(&self, name: &str) -> Option<&Object> {
        self.objects.iter().find(|object| object.name == name)
    }

    /// Ignores a pin to a closed scope: closed scopes collect nothing.
    fn pin(&self, step: &Step) -> Option<String> {
        step.pin.clone().filter(|pin| self.scope(pin).is_some_and(|scope| !scope.closed))
    }

    pub fn active(&self, actor: &str) -> Vec<String> {
        self.actor(actor).map_or_else(|| vec!["main".into()], |actor| actor.active.clone())
    }

    /// Returns the scope that a command works in.
    pub fn working(&self, step: &Step) -> Option<String> {
        let primary = match self.actor(&step.actor) {
            Some(actor) => actor.primary.clone(),
            None => Some("main".into()),
        };
        step.pin.clone().or(primary)
    }

    pub fn size_of(&self, frame: &Frame) -> usize {
        let own = match frame {
            Frame::Actor(_) => None,
            Frame::Scope(name) => self.scope(name).and_then(|scope| scope.size),
        };
        own.or(self.size).unwrap_or(FRAME_SIZE)
    }

    pub fn mind(&self, frame: &Frame) -> &[Held] {
        match frame {
            Frame::Actor(name) => self.actor(name).map_or(&[], |actor| &actor.mind),
            Frame::Scope(name) => self.scope(name).map_or(&[], |scope| &scope.mind),
        }
    }

    pub fn ensure(&mut self, name: &str) {
        if self.actor(name).is_some() {
            return;
        }
        self.last = self.now;
        self.actors.push(Actor {
            name: name.to_string(),
            kind: kind_of(name),
            active: vec!["main".into()],
            primary: Some("main".into()),
            mind: Vec::new(),
            broke: 0,
            view: None,
            open: None,
            forked: None,
            end: None,
        });
    }

    /// Adds an action of an actor to its open view or to a new one.
    pub fn act(&mut self, who: &str, pin: &Option<String>, capture: Option<Frame>, ends: bool) {
        self.enter_act(who, pin, capture, ends, None);
    }

    fn enter_act(
        &mut self,
        who: &str,
        pin: &Option<String>,
        capture: Option<Frame>,
        ends: bool,
        entering: Option<&str>,
    ) {
        let (now, actor) = (self.now, self.actor(who).unwrap().clone());
        let goes_on = actor.open.as_ref().is_some_and(|open| {
            let same = capture.is_none() || open.capture.is_none() || capture == open.capture;
            now - open.time <= IDLE_MS && open.pin == *pin && same
        });
        let mut open = actor.open.filter(|_| goes_on).unwrap_or_default();
        if !goes_on {
            let scopes = entering.map(str::to_string).into_iter();
            let scopes = scopes.chain(actor.active.clone()).chain(pin.clone());
            let mut frames = vec![Frame::Actor(who.to_string())];
            for frame in scopes.map(Frame::Scope) {
                if !frames.contains(&frame) {
                    frames.push(frame);
                }
            }
            let streams = frames.into_iter().map(|frame| match &frame {
                Frame::Actor(_) => (frame, actor.view),
                Frame::Scope(_) => (frame.clone(), self.last_in(&frame)),
            });
            self.views.push(View {
                actor: who.to_string(),
                previous: actor.view,
                streams: streams.collect(),
                ..View::default()
            });
            open.pin.clone_from(pin);
            self.own(who).view = Some(self.views.len() - 1);
        }
        open.time = now;
        open.capture = capture.or(open.capture);
        let view = self.own(who).view.unwrap();
        self.views[view].last = now;
        self.own(who).open = (!ends).then_some(open);
        self.last = now;
    }

    fn last_in(&self, frame: &Frame) -> Option<usize> {
        self.views.iter().rposition(|view| view.streams.iter().any(|(it, _)| it == frame))
    }

    /// Returns the capture: the items visited since the actor's last break.
    fn capture(&mut self, who: &str, frame: &Frame) {
        let broke = self.actor(who).unwrap().broke;
        let held = self.mind(frame).iter().take(self.size_of(frame));
        let things = held.filter(|it| it.tick > broke).map(|it| it.thing.clone()).collect();
        self.captures.push((things, frame.clone()));
    }

    fn visit(&mut self, who: &str, thing: &Thing, pin: &Option<String>) {
        self.tick += 1;
        let mut frames = vec![Frame::Actor(who.to_string())];
        for scope in self.active(who).into_iter().chain(pin.clone()) {
            if !frames.contains(&Frame::Scope(scope.clone())) {
                frames.push(Frame::Scope(scope));
            }
        }
        for frame in frames {
            let (size, tick) = (self.size_of(&frame), self.tick);
            let mind = match &frame {
                Frame::Actor(name) => &mut self.own(name).mind,
                Frame::Scope(name) => {
                    &mut self.scopes.iter_mut().find(|it| it.name == *name).unwrap().mind
                }
            };
            mind.retain(|held| held.thing != *thing);
            mind.insert(0, Held { thing: thing.clone(), tick });
            mind.truncate(size);
        }
    }

    /// Returns the frame that a change of an object is captured from (D0-7).
    fn capture_frame(&self, who: &str, object: &str, pin: &Option<String>) -> Frame {
        let places: Vec<_> = self.object(object).unwrap().places.iter().collect();
        let open = |name: &String| self.scope(name).is_some_and(|it| !it.closed);
        let places: Vec<_> = places.into_iter().filter(|it| open(it)).cloned().collect();
        let actor = self.actor(who).unwrap();
        let first = pin.clone().or(actor.primary.clone());
        let chosen = first.into_iter().chain(actor.active.clone());
        let found = chosen.into_iter().find(|scope| places.contains(scope));
        match found.or(places.first().cloned()) {
            Some(scope) => Frame::Scope(scope),
            None => Frame::Actor(who.to_string()),
        }
    }

    fn change(&mut self, who: &str, object: &str, frame: Frame, pin: &Option<String>) {
        self.capture(who, &frame);
        if !PRIMITIVE.contains(&self.object(object).unwrap().kind.as_str()) {
            self.visit(who, &Thing::Object(object.to_string()), pin);
        }
        self.act(who, pin, Some(frame), false);
    }

    fn note(&mut self, who: &str, text: &str, mind: &str, pin: &Option<String>) {
        self.write(who, text, mind, pin, true, false);
    }

    /// Captures the note of a fork or a rejoin, which nobody visits.
    pub fn write(
        &mut self,
        who: &str,
        text: &str,
        mind: &str,
        pin: &Option<String>,
        visits: bool,
        ends: bool,
    ) {
        let frame = Frame::Scope(mind.to_string());
        self.capture(who, &frame);
        self.notes.push(text.to_string());
        if visits {
            let also = Some(mind.to_string());
            self.visit(who, &Thing::Note(self.notes.len() - 1), &also);
        }
        self.act(who, pin, Some(frame), ends);
    }

    /// Applies an accepted step.
    pub fn follow(&mut self, step: &Step) {
        let (who, pin) = (step.actor.as_str(), self.pin(step));
        let ended = self.actor(who).is_some_and(|actor| actor.end.is_some());
        if ended && matches!(step.op, Op::Get { .. } | Op::GetNote { .. }) {
            return;
        }
        let looks = matches!(
            step.op,
            Op::Get { no_visit: true, .. }
                | Op::GetNote { no_visit: true, .. }
                | Op::Restart
                | Op::Tidy
                | Op::Rejoin { .. }
        );
        let primitive = match &step.op {
            Op::Get { name, .. } => {
                let object = self.object(name);
                object.is_some_and(|it| PRIMITIVE.contains(&it.kind.as_str()))
            }
            _ => false,
        };
        if !looks && !primitive {
            self.ensure(who);
        }
        match &step.op {
            Op::Put { .. } | Op::Get { .. } | Op::GetNote { .. } | Op::Place { .. } => {
                self.follow_object(step, &pin, primitive);
            }
            Op::Note { text } => {
                let scope = self.working(step).unwrap();
                self.note(who, text, &scope, &pin);
            }
            Op::Break => {
                self.act(who, &pin, None, true);
                self.tick += 1;
                let tick = self.tick;
                let own = self.own(who);
                (own.broke, own.view) = (tick, None);
            }
            Op::Append { .. } => self.act(who, &pin, None, false),
            Op::Size { value } => self.resize(step, *value, &pin),
            Op::Fork { name, task, .. } => self.fork(step, name, task, &pin),
            Op::Rejoin { child, note, .. } => {
                let child = child.as_deref().unwrap_or(who);
                self.rejoin(who, child, note.as_deref(), &pin);
            }
            Op::Abandon { child, .. } => self.abandon(who, child, &pin),
            Op::Tidy => self.tidy(who),
            Op::Restart => {}
            _ => self.follow_stand(step),
        }
    }

    fn follow_object(&mut self, step: &Step, pin: &Option<String>, primitive: bool) {
        let who = step.actor.as_str();
        match &step.op {
            Op::Put { name, kind, text, into } => match self.object(name) {
                Some(_) => {
                    self.objects.iter_mut().find(|it| it.name == *name).unwrap().text =
                        text.clone();
                    let frame = self.capture_frame(who, name, pin);
                    self.change(who, name, frame, pin);
                }
                None => {
                    let scope = into.clone().or(self.working(step)).unwrap();
                    self.objects.push(Object {
                        name: name.clone(),
                        kind: kind.clone().unwrap_or("artifact".into()),
                        text: text.clone(),
                        places: vec![scope.clone()],
                    });
                    self.change(who, name, Frame::Scope(scope), pin);
                }
            },
            Op::Get { name, no_visit: false } if !primitive => {
                self.visit(who, &Thing::Object(name.clone()), pin);
                self.act(who, pin, None, false);
            }
            Op::GetNote { pick, no_visit: false } => {
                self.visit(who, &Thing::Note(pick % self.notes.len()), pin);
                self.act(who, pin, None, false);
            }
            Op::Place { name, scope, out } => {
                let frame = self.capture_frame(who, name, pin);
                let object = self.objects.iter_mut().find(|it| it.name == *name).unwrap();
                object.places.retain(|place| place != scope);
                if !out {
                    object.places.push(scope.clone());
                }
                self.change(who, name, frame, pin);
            }
            _ => {}
        }
    }

    fn follow_stand(&mut self, step: &Step) {
        let who = step.actor.as_str();
        match &step.op {
            Op::Enter { scope } => self.enter(who, scope, true),
            Op::Leave { scope } => self.leave(who, scope),
            Op::Focus { scope } => {
                let focused = self.actor(who).unwrap().primary.as_ref() == Some(scope);
                self.focus_unless(focused, who, scope);
            }
            Op::Scope { name, note } => {
                let origin = self.working(step).unwrap();
                self.note(who, note, &origin, &None);
                self.scopes.push(Scope { name: name.clone(), ..Scope::default() });
                self.act(who, &None, None, false);
                self.leave(who, &origin);
                self.enter(who, name, false);
                self.focus(who, name);
            }
            Op::Goto { name, note } => {
                let origin = self.working(step).unwrap();
                self.leave(who, &origin);
                if !self.active(who).contains(name) {
                    self.enter(who, name, false);
                }
                self.focus(who, name);
                self.note(who, note, name, &None);
            }
            _ => {}
        }
    }

    fn resize(&mut self, step: &Step, value: Option<usize>, pin: &Option<String>) {
        let size = match &step.pin {
            None => &mut self.size,
            Some(name) => &mut self.scopes.iter_mut().find(|it| it.name == *name).unwrap().size,
        };
        // A step without an effect is not an action.
        if std::mem::replace(size, value) != value {
            self.act(&step.actor, pin, None, false);
        }
    }

    fn enter(&mut self, who: &str, scope: &str, ends: bool) {
        self.enter_act(who, &None, None, ends, Some(scope));
        self.own(who).active.insert(0, scope.to_string());
    }

    fn leave(&mut self, who: &str, scope: &str) {
        self.act(who, &None, None, true);
        let own = self.own(who);
        own.active.retain(|it| it != scope);
        own.primary = own.primary.take().filter(|it| it != scope);
    }

    /// A step without an effect is not an action.
    fn focus_unless(&mut self, focused: bool, who: &str, scope: &str) {
        if !focused {
            self.focus(who, scope);
        }
    }

    fn focus(&mut self, who: &str, scope: &str) {
        self.act(who, &None, None, false);
        self.own(who).primary = Some(scope.to_string());
    }
}
