//! The log: the events of a vault, in order. It is the only source of truth: every row is derived
//! from it. A body is serialised once, when it is decided, and those bytes are hashed.

mod change;
mod fact;
mod stored;
#[cfg(test)]
mod tests;

pub(crate) use change::Changes;
pub use change::{Change, changes};
pub use fact::Target;
pub(crate) use fact::{Capture, Fact};
pub use stored::{Logged, Stored};

use serde::{Deserialize, Serialize};

use crate::actor::Registered;
use crate::forget::Forgotten;
use crate::fork::{Abandoned, Forked, Rejoined};
use crate::frame::{Broke, Visited};
use crate::message::{Appended, Carried, Cleared, Rewound};
use crate::note::{Noted, Retracted};
use crate::object::{Displaced, ObjectPut, Placed};
use crate::scope::{Entered, Focused, Left, ScopeCreated};
use crate::setting::SettingSet;
use crate::vault::VaultCreated;
use crate::view::Tidied;
use crate::{
    ActorNo, ContentNo, ContentRef, FrameChange, ItemNo, Millis, PresenceChange, ScopeNo,
    VaultState, Via, ViewNo, ViewOpened,
};

/// One event of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub seq: i64,
    /// Never less than the time of the previous event. Only `seq` defines the order.
    pub time: Millis,
    pub actor: ActorNo,
    /// None only for a vault's creation and an actor's registration.
    pub view: Option<ViewNo>,
    pub body: Body,
}

impl Event {
    /// Returns the highest integer that this event allots. Replay continues after it.
    pub fn highest_number(&self) -> i64 {
        let view = self.body.opens.as_ref().map_or(0, |opens| opens.view.0);
        view.max(self.body.what.fact().highest_number())
    }
}

/// The body of an event: what the log stores as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    pub what: What,
    /// The view that this event opens, with its streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens: Option<ViewOpened>,
    /// This event is its view's last.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ends_view: bool,
    /// The changes of its actor's presence in the scopes it touches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub here: Vec<PresenceChange>,
    /// For a change that visits nothing: the frames whose streams include it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told_in: Vec<ScopeNo>,
    /// The interface it came through. None for a vault's creation, and in old logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Via>,
}

/// The kinds of events. Each variant is a struct in the folder of its noun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    VaultCreated(VaultCreated),
    Registered(Registered),
    ScopeCreated(ScopeCreated),
    Entered(Entered),
    Left(Left),
    Focused(Focused),
    /// A break: earlier visits are no longer captured. The log writes it as a bare string.
    Broke,
    Put(ObjectPut),
    Visited(Visited),
    Placed(Placed),
    Displaced(Displaced),
    Forked(Forked),
    Rejoined(Rejoined),
    Abandoned(Abandoned),
    Tidied(Tidied),
    Appended(Appended),
    Noted(Noted),
    Carried(Carried),
    Rewound(Rewound),
    Cleared(Cleared),
    Set(SettingSet),
    Retracted(Retracted),
    Forgotten(Forgotten),
}

impl What {
    pub(crate) fn fact(&self) -> &dyn Fact {
        match self {
            What::VaultCreated(it) => it,
            What::Registered(it) => it,
            What::ScopeCreated(it) => it,
            What::Entered(it) => it,
            What::Left(it) => it,
            What::Focused(it) => it,
            What::Broke => &Broke,
            What::Put(it) => it,
            What::Visited(it) => it,
            What::Placed(it) => it,
            What::Displaced(it) => it,
            What::Forked(it) => it,
            What::Rejoined(it) => it,
            What::Abandoned(it) => it,
            What::Tidied(it) => it,
            What::Appended(it) => it,
            What::Noted(it) => it,
            What::Carried(it) => it,
            What::Rewound(it) => it,
            What::Cleared(it) => it,
            What::Set(it) => it,
            What::Retracted(it) => it,
            What::Forgotten(it) => it,
        }
    }

    /// Returns the name of the kind in the log.
    pub fn word(&self) -> &'static str {
        self.fact().word()
    }

    /// Returns what the event applied to.
    pub fn target(&self) -> Target<'_> {
        self.fact().target()
    }

    /// Returns the capture of a change of a note or an object: the items, and their frame.
    pub fn capture(&self) -> Option<(&[ItemNo], ScopeNo)> {
        self.fact().capture().map(|it| (it.context, it.frame))
    }

    /// Returns the item that the event visits, with the changes of the frames; `None` if it changes
    /// no frame.
    pub fn visit(&self) -> Option<(ItemNo, &[FrameChange])> {
        self.fact().visit().filter(|(_, visited)| !visited.is_empty())
    }

    /// Returns the texts that the event references.
    pub fn texts(&self) -> Vec<&ContentRef> {
        self.fact().texts()
    }

    /// Returns the items that the event creates.
    pub fn items(&self) -> Vec<ItemNo> {
        self.fact().items()
    }

    /// Returns the texts that the event forgets.
    pub fn forgets(&self) -> &[ContentNo] {
        self.fact().forgets()
    }
}

impl VaultState {
    /// Updates the vault's row with an event.
    pub fn follow(&mut self, logged: &Logged) {
        let event = &logged.event;
        self.head_seq = event.seq;
        self.head_hash = logged.hash;
        self.time = event.time;
        self.next = self.next.max(event.highest_number() + 1);
        event.body.what.fact().vault(event.seq, self);
    }
}

pub(crate) fn is_false(b: &bool) -> bool {
    !*b
}
