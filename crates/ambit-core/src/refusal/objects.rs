//! Refused objects and forks.

use super::{Code, listed};
use crate::Fate;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObjectRefusal {
    #[error("there is no object {named:?}")]
    Missing { named: String },
    #[error("cannot put {name:?} as type {asked:?}: its type is {of_type:?}")]
    OtherType { name: String, of_type: String, asked: String },
    #[error("cannot choose a scope for {name:?}: a version goes where its object is")]
    ScopeGiven { name: String },
    #[error("cannot put {name:?}: version {version} has the same text")]
    Unchanged { name: String, version: i64 },
    #[error("cannot put the text: it has {bytes} bytes; object_bytes_max is {max}")]
    TooLarge { bytes: usize, max: i64 },
    #[error("cannot visit: neither an object nor a note is named")]
    Unnamed,
    #[error("cannot place {name:?}: it is in scope {scope:?} already")]
    Placed { name: String, scope: String },
    #[error("cannot take {name:?} out of scope {scope:?}: it is not there")]
    NotPlaced { name: String, scope: String },
}

impl ObjectRefusal {
    pub fn code(&self) -> Code {
        use ObjectRefusal::*;
        match self {
            Missing { .. } => Code::NotFound,
            ScopeGiven { .. } | Unnamed => Code::Usage,
            TooLarge { .. } => Code::Refused,
            OtherType { .. } | Unchanged { .. } | Placed { .. } | NotPlaced { .. } => {
                Code::Conflict
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForkRefusal {
    #[error("cannot fork {name:?} at depth {depth}: fork_depth_max is {max}")]
    TooDeep { name: String, depth: i64, max: i64 },
    /// A caller without the right to end a subagent does not learn whether it exists.
    #[error("there is no subagent {name:?} that you can end")]
    Missing { name: String },
    #[error("the subagent {name:?} has ended: {}", .fate.as_str())]
    Ended { name: String, fate: Fate },
    #[error("cannot abandon {name:?}: a subagent does not abandon itself")]
    Itself { name: String },
    #[error("cannot end {name:?}: its own subagents are still at work: {}", listed(.below))]
    StillAtWork { name: String, below: Vec<String> },
}

impl ForkRefusal {
    pub fn code(&self) -> Code {
        use ForkRefusal::*;
        match self {
            Missing { .. } => Code::NotFound,
            TooDeep { .. } | Ended { .. } | Itself { .. } | StillAtWork { .. } => Code::Refused,
        }
    }
}
