//! What State must hold before a command can be decided: the first guess, made from the command
//! alone. `decide` asks for more where what it finds calls for it.

use std::sync::Arc;

use crate::{Bearers, Command, Context, Counted};

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
    command.verb().needs(context, &mut needs);
    needs
}

impl Needs {
    /// Only who acts and where: enough for most reads.
    pub fn of(context: &Context) -> Self {
        Needs { actor: context.actor.clone(), pin: context.pin.clone(), ..Needs::default() }
    }

    pub(crate) fn for_note(&mut self, text: &Counted) {
        self.reach = Reach { frames: true, head_hashes: true, ..self.reach };
        self.texts.push(text.text.clone());
    }
}
