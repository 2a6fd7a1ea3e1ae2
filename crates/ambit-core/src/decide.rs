//! `decide`: turns a command into events, or refuses it.
//!
//! A [`Draft`] collects events one by one and applies each to its own copy of the State. The next
//! event is decided on the State that the previous ones have left.

use std::sync::Arc;

use crate::search::Bag;
use crate::{
    ActorKind, ActorNo, ActorRefusal, ActorRow, Answer, Body, Command, Content, ContentNo,
    ContentRef, Context, Counted, Event, Fresh, Hash, Key, Logged, Millis, PresenceChange, Reach,
    Refusal, Registered, ScopeNo, ScopeRefusal, ScopeRow, State, VaultCreated, What, chain, digest,
    key_of,
};

/// The outcome of a command.
#[derive(Debug)]
pub enum Decision {
    Done(Box<Done>),
    /// The State is too small: call `decide` again with this part of it.
    Need(Reach),
    Refused(Refusal),
    /// The State is inconsistent: names the missing row.
    Damaged(String),
}

/// The result of an accepted command.
#[derive(Debug)]
pub struct Done {
    pub events: Vec<Logged>,
    pub contents: Vec<Content>,
    /// The term vector of each of the contents.
    pub bags: Vec<Arc<Bag>>,
    pub answer: Answer,
    /// The State after the events.
    pub state: State,
}

/// Why deciding stopped early.
pub(crate) enum Stop {
    Need(Reach),
    Refuse(Refusal),
    Damaged(String),
}

impl<R: Into<Refusal>> From<R> for Stop {
    fn from(refusal: R) -> Self {
        Stop::Refuse(refusal.into())
    }
}

/// Decides a command: returns its events and its answer, or why there are none.
pub fn decide(state: &State, context: &Context, command: &Command, fresh: &mut Fresh) -> Decision {
    let mut draft = Draft::new(state.clone(), context, fresh);
    let taken = draft.check_redaction(command).and_then(|()| draft.check_fate(command));
    let answer = taken.and_then(|()| command.verb().decide(&mut draft));
    match answer {
        Ok(answer) => Decision::Done(Box::new(Done {
            events: draft.events,
            contents: draft.contents,
            bags: draft.bags,
            answer,
            state: draft.state,
        })),
        Err(Stop::Need(more)) => Decision::Need(more),
        Err(Stop::Refuse(refusal)) => Decision::Refused(refusal),
        Err(Stop::Damaged(what)) => Decision::Damaged(what),
    }
}

/// Returns the first event of a vault, which also creates the scope `main`.
pub fn create_vault(now: Millis, fresh: &mut Fresh) -> Logged {
    let (id, main_id) = (fresh.id("vlt"), fresh.id("scp"));
    let what = What::VaultCreated(VaultCreated { id, main: ScopeNo(1), main_id });
    let body = Body {
        what,
        opens: None,
        ends_view: false,
        here: Vec::new(),
        told_in: Vec::new(),
        via: None,
    };
    let event = Event { seq: 1, time: now, actor: ActorNo(0), view: None, body };
    seal(&Hash::default(), event)
}

/// Serialises an event's body, the only time that this is done, and chains it to the event before.
fn seal(previous: &Hash, event: Event) -> Logged {
    // Serialising plain data to a string cannot fail.
    let text = serde_json::to_string(&event.body).unwrap_or_default();
    let hash = chain(previous, event.seq, event.time, event.actor, event.view, &text);
    Logged { event, text, hash }
}

/// A command in the process of being decided, with its events so far.
pub(crate) struct Draft<'a> {
    pub state: State,
    pub context: &'a Context,
    pub fresh: &'a mut Fresh,
    pub now: Millis,
    pub events: Vec<Logged>,
    pub contents: Vec<Content>,
    pub bags: Vec<Arc<Bag>>,
    /// The heads of the scopes before the command, for the snapshots of its notes.
    pub before: Vec<(ScopeNo, i64, Option<Hash>)>,
    /// The next event is its view's last.
    pub ending: bool,
}

/// How an event counts for its actor's open calls and answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// A turn that is not a reply.
    Turn { assistant: bool },
    /// A reply, or a chain carried along: calls stay open.
    Reply,
    /// Anything else.
    Other,
}

impl<'a> Draft<'a> {
    fn new(state: State, context: &'a Context, fresh: &'a mut Fresh) -> Self {
        let before =
            state.scopes.iter().map(|(scope, at)| (*scope, at.row.head, at.head_hash)).collect();
        // Times in the log never decrease, even if the clock was set back.
        let now = context.now.max(state.vault.time);
        let (events, contents, bags) = (Vec::new(), Vec::new(), Vec::new());
        Draft { state, context, fresh, now, events, contents, bags, before, ending: false }
    }

    /// Appends an event: assigns its sequence and its view, seals it, and applies it to the State.
    pub(crate) fn emit(&mut self, what: What, here: Vec<PresenceChange>) -> Result<(), Stop> {
        let left = matches!(what, What::Left(_));
        let ends_view = std::mem::take(&mut self.ending) || left;
        let (view, opens) = self.view_for(&what)?;
        let actor = match &what {
            What::Registered(Registered { actor, .. }) => *actor,
            _ => self.registered()?.actor,
        };
        let told_in = match what.capture().is_some() && what.visit().is_none() {
            true => self.frames_in_mind(&what, self.pinned()?),
            false => Vec::new(),
        };
        let body = Body { what, opens, ends_view, here, told_in, via: Some(self.context.via) };
        let seq = self.state.vault.head_seq + 1;
        let logged =
            seal(&self.state.vault.head_hash, Event { seq, time: self.now, actor, view, body });
        self.state.apply(&logged);
        self.events.push(logged);
        Ok(())
    }

    /// Refuses texts that were not redacted by the vault's current settings. The caller retries.
    fn check_redaction(&self, command: &Command) -> Result<(), Stop> {
        let held = self.state.settings.redaction();
        if command.brings_texts() && held.on && held != self.context.redaction {
            return Err(Refusal::RedactionChanged.into());
        }
        Ok(())
    }

    /// Refuses commands of a subagent that has ended, except that a rejoin may be repeated.
    fn check_fate(&self, command: &Command) -> Result<(), Stop> {
        let fate = self.state.actor.as_ref().and_then(|actor| actor.fate);
        match fate {
            Some((fate, event)) if !command.verb().by_ended_actor() => {
                Err(ActorRefusal::Ended { name: self.context.actor.clone(), fate, event }.into())
            }
            _ => Ok(()),
        }
    }

    /// Returns the acting actor; the system itself before the actor is registered.
    pub(crate) fn actor(&self) -> ActorNo {
        self.state.actor.as_ref().map_or(ActorNo::SYSTEM, |actor| actor.actor)
    }

    /// Returns the row of the acting actor, which must be registered.
    pub(crate) fn registered(&self) -> Result<&ActorRow, Stop> {
        let missing = || Stop::Damaged("the row of the acting actor is missing".into());
        self.state.actor.as_ref().ok_or_else(missing)
    }

    /// Registers the actor if this is its first accepted change.
    pub(crate) fn ensure_actor(&mut self) -> Result<(), Stop> {
        if self.state.actor.is_some() {
            return Ok(());
        }
        let name = &self.context.actor;
        self.state.check_actor(name)?;
        if self.context.kind == ActorKind::Subagent {
            return Err(ActorRefusal::NotForked { name: name.clone() }.into());
        }
        let what = What::Registered(Registered {
            actor: ActorNo(self.allot()),
            id: self.fresh.id("act"),
            name: name.clone(),
            kind: self.context.kind,
            home: ScopeNo(self.allot()),
            home_id: self.fresh.id("scp"),
            main: self.state.vault.main,
        });
        self.emit(what, Vec::new())
    }

    /// Returns whether a row of a table has this name. `Verb::needs` must have asked about it.
    pub(crate) fn is_taken(&self, table: &'static str, name: &str) -> Result<bool, Stop> {
        let taken = self.state.names.get(&(table, name.to_string())).copied();
        taken.ok_or_else(|| Stop::Damaged(format!("the {table} {name:?} was not looked up")))
    }

    /// Allots the next integer of the vault. It stays taken once an event names it.
    pub(crate) fn allot(&mut self) -> i64 {
        let number = self.state.vault.next;
        self.state.vault.next += 1;
        number
    }

    /// Returns the reference to a text, and adds the text to the contents unless it is stored.
    pub(crate) fn content(&mut self, text: &Counted) -> ContentRef {
        if let Some(stored) = self.state.texts.get(&text.text) {
            return stored.clone();
        }
        let salt = self.fresh.salt();
        let bytes = text.text.as_bytes();
        let content = Content {
            content: ContentNo(self.allot()),
            key: key_of(&salt, bytes),
            salt,
            digest: digest(bytes),
            tokens: text.tokens,
            text: bytes.to_vec(),
        };
        let reference =
            ContentRef { content: content.content, key: content.key, tokens: text.tokens };
        self.state.texts.insert(text.text.clone(), reference.clone());
        self.contents.push(content);
        self.bags.push(text.bag.clone());
        reference
    }

    /// Returns how an event in a scope changes its actor's presence there.
    pub(crate) fn presence_change(&self, scope: ScopeNo, act: Act) -> PresenceChange {
        let epoch = self.state.epoch(scope, self.now);
        let open = self.state.open_batch(self.actor(), scope);
        let answers = act == Act::Turn { assistant: true };
        let next = self.state.scopes.get(&scope).map_or(0, |scope| scope.row.next_position);
        // The composition that an assistant turn answers ended before the first open call, or
        // passed over it after a silence.
        let end = open.filter(|_| !epoch.silent).unwrap_or(next);
        PresenceChange {
            scope,
            boundary: epoch.silent,
            gives_up: open.is_some()
                && match act {
                    Act::Turn { .. } => true,
                    Act::Reply => false,
                    Act::Other => epoch.silent,
                },
            answered: answers.then_some(end),
            folds: answers && epoch.fold.is_none(),
        }
    }

    pub(crate) fn setting(&self, scope: ScopeNo, key: Key) -> i64 {
        self.state.settings.get(scope, key)
    }

    /// Returns the scope that the command works in. Its head must be the one the caller expects.
    pub(crate) fn working(&self) -> Result<ScopeRow, Stop> {
        let scope = self.state.working_scope(self.context.pin.as_deref())?;
        if let Some(name) = &self.context.pin {
            self.state.open_scope(name)?;
        }
        expect_head(scope, self.context.expect_head)?;
        Ok(scope.clone())
    }

    pub(crate) fn row(&self, scope: ScopeNo) -> Result<&ScopeRow, Stop> {
        let row = self.state.scopes.get(&scope).map(|scope| &scope.row);
        row.ok_or_else(|| Stop::Damaged(format!("the row of scope {scope} is missing")))
    }
}

/// Refuses a command if the scope's head is not the one that the caller expects.
pub(crate) fn expect_head(scope: &ScopeRow, expected: Option<i64>) -> Result<(), ScopeRefusal> {
    match expected {
        Some(expected) if expected != scope.head => Err(ScopeRefusal::HeadMoved {
            scope: scope.name.clone().unwrap_or_default(),
            head: scope.head,
            expected,
        }),
        _ => Ok(()),
    }
}
