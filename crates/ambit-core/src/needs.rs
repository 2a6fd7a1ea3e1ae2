//! What State must hold before a command can be decided: the first guess, made from the command
//! alone. `decide` asks for more where what it finds calls for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{Command, Context, Counted, ItemNo};

/// What to read of a vault. The acting actor, its primary and active scopes, main, and the settings
/// of the vault and of these scopes are always read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Needs {
    pub actor: String,
    pub pin: Option<String>,
    pub scopes: Vec<String>,
    /// Every scope there is, to list them.
    pub all_scopes: bool,
    /// Where this turn stands in the working scope.
    pub turn: Option<i64>,
    pub reach: Reach,
    /// Texts that may be stored already.
    pub texts: Vec<Arc<str>>,
    /// What is to be forgotten or retracted.
    pub selected: Bearers,
    /// Objects, by id or name.
    pub objects: Vec<String>,
    /// A subagent by its name or id, with those that descend from it.
    pub kin: Option<String>,
    /// A name that an actor may have.
    pub name: Option<String>,
}

/// What bears texts: items, and turns by the rest of their message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bearers {
    pub items: BTreeSet<ItemNo>,
    pub shapes: BTreeSet<i64>,
    /// How far to count who else bears a text: one more than are selected tells.
    pub uses_max: i64,
}

/// How far State reaches for every scope at hand. `decide` may ask for more of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The containers of the scopes' frames and the actor's.
    pub frames: bool,
    /// The last view in each of those frames' streams.
    pub streams: bool,
    /// Everybody's open calls, not just the actor's.
    pub calls_of_all: bool,
    /// The items of the actor's pending chain in the working scope.
    pub chain: bool,
    /// The hashes of the scopes' head events.
    pub head_hashes: bool,
    /// The vault's own scope, where insights stand.
    pub insights: bool,
}

impl Reach {
    pub fn and(self, more: Reach) -> Reach {
        Reach {
            frames: self.frames || more.frames,
            streams: self.streams || more.streams,
            calls_of_all: self.calls_of_all || more.calls_of_all,
            chain: self.chain || more.chain,
            head_hashes: self.head_hashes || more.head_hashes,
            insights: self.insights || more.insights,
        }
    }
}

/// The first guess at what a command needs.
pub fn needs(context: &Context, command: &Command) -> Needs {
    let mut needs =
        Needs { actor: context.actor.clone(), pin: context.pin.clone(), ..Needs::default() };
    match command {
        Command::Scope { name, note } | Command::Goto { name, note } => {
            needs.scopes.push(name.clone());
            needs.for_note(note);
        }
        Command::Note { message } => needs.for_note(message),
        Command::Insight { message } => {
            needs.for_note(message);
            needs.reach.insights = true;
        }
        Command::Retract { item, .. } => {
            needs.selected.items.insert(*item);
            needs.reach.insights = true;
        }
        Command::Append { messages } => {
            for turn in messages {
                needs.texts.extend(turn.blocks.iter().map(|block| block.text.text.clone()));
                needs.texts.extend(turn.shape.iter().map(|shape| shape.text.clone()));
            }
        }
        Command::Rewind { to } => {
            needs.turn = Some(*to);
        }
        Command::Set { .. } | Command::Break => {}
        Command::Enter { scope } | Command::Leave { scope } | Command::Focus { scope } => {
            needs.scopes.push(scope.clone());
        }
        Command::Put(put) => {
            needs.objects.push(put.object.clone());
            needs.scopes.extend(put.scope.clone());
            needs.reach.frames = true;
            needs.texts.push(put.text.text.clone());
        }
        Command::Revert { backs, .. } => {
            needs.objects.extend(backs.iter().map(|back| back.object.clone()));
            needs.texts.extend(backs.iter().map(|back| back.text.text.clone()));
            needs.reach.frames = true;
        }
        Command::Visit { object, .. } => {
            needs.objects.extend(object.clone());
            needs.reach.frames = true;
        }
        Command::Place { object, scope, .. } => {
            needs.objects.push(object.clone());
            needs.scopes.push(scope.clone());
            needs.reach.frames = true;
        }
        Command::Fork { name, task, .. } => {
            needs.scopes.push(name.clone());
            needs.name = Some(name.clone());
            needs.for_note(task);
        }
        Command::Rejoin { child, note, .. } => {
            needs.kin = Some(child.clone().unwrap_or_else(|| context.actor.clone()));
            needs.reach.streams = true;
            if let Some(note) = note {
                needs.for_note(note);
            }
        }
        Command::Abandon { child, .. } => needs.kin = Some(child.clone()),
        Command::Tidy(_) => {}
        Command::Forget { what, .. } => needs.selected = what.clone(),
    }
    needs
}

impl Needs {
    /// Only who acts and where: enough for most reads.
    pub fn of(context: &Context) -> Self {
        Needs { actor: context.actor.clone(), pin: context.pin.clone(), ..Needs::default() }
    }

    fn for_note(&mut self, text: &Counted) {
        self.reach = Reach { frames: true, head_hashes: true, ..self.reach };
        self.texts.push(text.text.clone());
    }
}
