//! Needs: the part of the State that must be read before a command can be decided. The first
//! estimate is made from the command alone; `decide` may ask for more.

use std::sync::Arc;

use crate::{Command, Context, Counted, ForgetSelection};

/// The part of a vault to read. The acting actor, its primary and active scopes, `main`, and the
/// settings of the vault and of these scopes are always read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Needs {
    pub actor: String,
    pub pin: Option<String>,
    pub scopes: Vec<String>,
    /// All scopes, to list them.
    pub all_scopes: bool,
    /// A turn of the working scope, to find its place.
    pub turn: Option<i64>,
    pub reach: Reach,
    /// Texts that may be stored already.
    pub texts: Vec<Arc<str>>,
    /// The items and turns to be forgotten or retracted.
    pub selected: ForgetSelection,
    /// Objects, by id or name.
    pub objects: Vec<String>,
    /// A subagent by its name or id, with those that descend from it.
    pub subagent: Option<String>,
    /// Names that a row of a table may have already, each with the table's name.
    pub names: Vec<(&'static str, String)>,
}

/// What is read for each scope. `decide` may ask for more of it.
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
    /// The vault's own scope, which holds the insights.
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

/// Returns the first estimate of what a command needs.
pub fn needs(context: &Context, command: &Command) -> Needs {
    let mut needs =
        Needs { actor: context.actor.clone(), pin: context.pin.clone(), ..Needs::default() };
    command.verb().needs(context, &mut needs);
    needs
}

impl Needs {
    /// Returns the needs of most reads: only the acting actor and its scopes.
    pub fn of(context: &Context) -> Self {
        Needs { actor: context.actor.clone(), pin: context.pin.clone(), ..Needs::default() }
    }

    pub(crate) fn for_note(&mut self, text: &Counted) {
        self.reach = Reach { frames: true, head_hashes: true, ..self.reach };
        self.texts.push(text.text.clone());
    }
}
