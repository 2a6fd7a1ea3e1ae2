//! The data of the model: plain lists.

use std::collections::BTreeMap;

use ambit::ActorKind;
use serde_json::Value;

pub struct Actor {
    pub name: String,
    pub kind: ActorKind,
    pub primary: usize,
    /// Whether it has acted: its first step is an event, whatever else it does.
    pub registered: bool,
    /// Keys given so far, with the command each stands for.
    pub keys: BTreeMap<String, String>,
}

/// One wire message.
pub struct Turn {
    pub seq: i64,
    pub author: usize,
    pub message: Value,
    /// Its other fields were forgotten.
    pub shapeless: bool,
    /// For a reply: its batch, and which of the batch's calls it answers.
    pub answers: Option<(usize, usize)>,
}

/// An assistant's calls, and their state.
pub struct Batch {
    pub author: usize,
    pub turn: usize,
    pub scope: usize,
    /// The place of the calls.
    pub root: usize,
    pub ids: Vec<String>,
    pub replies: Vec<Option<usize>>,
    /// Given up, or hidden.
    pub over: bool,
}

impl Batch {
    pub fn is_whole(&self) -> bool {
        self.replies.iter().all(Option::is_some)
    }

    pub fn is_open(&self) -> bool {
        !self.over && !self.is_whole()
    }
}

pub enum What {
    /// A note's line in the layer.
    Note(String),
    Turn(usize),
}

pub struct Place {
    pub what: What,
    /// Where its turn or batch begins.
    pub root: usize,
    pub shown: bool,
}

/// An actor's relation to a scope.
#[derive(Clone, Default)]
pub struct Standing {
    pub last: Option<i64>,
    pub boundary: u64,
    /// Where the composition ended that the epoch's first own assistant turn answered, and when.
    pub fold: (usize, u64),
    pub answered: (usize, u64),
}

pub struct Scope {
    pub name: String,
    pub inherited: Vec<String>,
    pub places: Vec<Place>,
    pub boundary: u64,
    pub standing: Vec<Standing>,
    pub settings: BTreeMap<String, String>,
}
