//! Events: what happened, in the order it happened. The log is the only truth; every row follows
//! from it. A body is serialised once, when it is decided, and those bytes are what is hashed.

use serde::{Deserialize, Serialize};

use crate::{
    ActorKind, ActorNo, Child, ContentNo, ContentRef, Delta, Form, Fossil, FrameChange, Hash,
    Inherit, ItemNo, Merge, Millis, Named, NewPlace, Role, ScopeNo, Stands, Via, ViewEnded, ViewNo,
};

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub seq: i64,
    /// Never before the time of the event before it. Order is `seq` alone.
    pub time: Millis,
    pub actor: ActorNo,
    /// None only for a vault's creation and an actor's registration.
    pub view: Option<ViewNo>,
    pub body: Body,
}

impl Event {
    /// The highest integer that this event allots, so that replay knows which are taken.
    pub fn highest_number(&self) -> i64 {
        let view = self.body.opens.as_ref().map_or(0, |opens| opens.view.0);
        let what = match &self.body.what {
            What::VaultCreated { main, .. } => main.0,
            What::Registered { actor, home, .. } => actor.0.max(home.0),
            What::ScopeCreated { scope, .. } => scope.0,
            What::Appended { blocks, shape, .. } => {
                let of = |block: &Block| block.item.0.max(block.text.content.0);
                let shape = shape.as_ref().map_or(0, |shape| shape.content.0);
                blocks.iter().map(of).max().unwrap_or(0).max(shape)
            }
            What::Noted { item, text, .. } | What::Put { item, text, .. } => {
                item.0.max(text.content.0)
            }
            What::Forked { child, scope, .. } => child.actor.0.max(child.home.0).max(scope.0),
            What::Rejoined { merge, .. } => merge.view.0,
            What::Entered { .. }
            | What::Left { .. }
            | What::Focused { .. }
            | What::Broke
            | What::Visited { .. }
            | What::Placed { .. }
            | What::Displaced { .. }
            | What::Abandoned { .. }
            | What::Tidied { .. }
            | What::Carried { .. }
            | What::Rewound { .. }
            | What::Cleared { .. }
            | What::Set { .. }
            | What::Retracted { .. }
            | What::Forgotten { .. } => 0,
        };
        view.max(what)
    }
}

/// What an event says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    pub what: What,
    /// The view that this event opens, with the streams it will stand in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens: Option<ViewOpened>,
    /// This event is its view's last.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ends_view: bool,
    /// What it means for its actor's standing in the scopes it touches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub here: Vec<Here>,
    /// For a change that visits nothing: the frames in whose streams it stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told_in: Vec<ScopeNo>,
    /// The interface it came through. None for a vault's creation, and in old logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Via>,
}

/// The closed list of what can happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum What {
    VaultCreated {
        id: String,
        main: ScopeNo,
        main_id: String,
    },
    Registered {
        actor: ActorNo,
        id: String,
        name: String,
        kind: ActorKind,
        home: ScopeNo,
        home_id: String,
        /// Active and focused from the start.
        main: ScopeNo,
    },
    ScopeCreated {
        scope: ScopeNo,
        id: String,
        name: String,
        parent: ScopeNo,
        /// The parent's last note: what is shown of the parent ends with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_note: Option<Hash>,
    },
    Entered {
        scope: ScopeNo,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stands: Option<Stands>,
    },
    Left {
        scope: ScopeNo,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stands: Option<Stands>,
    },
    Focused {
        scope: ScopeNo,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stands: Option<Stands>,
    },
    /// A new chapter: what was in mind before is captured no more.
    Broke,
    /// An object, or its next version.
    Put {
        object: ItemNo,
        /// What bears this version's text: for the first version, the object itself.
        item: ItemNo,
        version: i64,
        text: ContentRef,
        /// Set where the object is new.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        named: Option<Named>,
        /// Where a new object is put.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<NewPlace>,
        /// The event that brought the version before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<i64>,
        /// The change that this one takes back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reverts: Option<i64>,
        delta: Delta,
    },
    /// An object or a note was looked at.
    Visited {
        item: ItemNo,
        visited: Vec<FrameChange>,
    },
    /// An object joins a scope.
    Placed {
        object: ItemNo,
        place: NewPlace,
        delta: Delta,
    },
    /// An object belongs to a scope no more.
    Displaced {
        object: ItemNo,
        scope: ScopeNo,
        position: i64,
        delta: Delta,
    },
    /// A subagent, with its frame and its one scope.
    Forked {
        child: Child,
        scope: ScopeNo,
        scope_id: String,
        name: String,
        /// The scope it was forked from.
        from: ScopeNo,
        inherit: Inherit,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_note: Option<Hash>,
    },
    /// A subagent's stream ends in a merge, its scope is closed and its frame goes.
    Rejoined {
        child: ActorNo,
        home: ScopeNo,
        scope: ScopeNo,
        into: ScopeNo,
        merge: Merge,
        /// The open views that end with it, beside its own.
        ended: Vec<ViewEnded>,
        /// The other scopes where it was active or waited for replies.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        elsewhere: Vec<ScopeNo>,
    },
    /// A subagent is given up. Its frame goes with the next tidying.
    Abandoned {
        child: ActorNo,
        scope: ScopeNo,
        ended: Vec<ViewEnded>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        elsewhere: Vec<ScopeNo>,
    },
    /// What nobody has to ask for: idle views end, frames of abandoned subagents go, and old views
    /// are kept as summaries.
    Tidied {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        ended: Vec<ViewEnded>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        frames: Vec<ScopeNo>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fossils: Vec<Fossil>,
    },
    /// One wire message. Its sequence is the turn's name.
    Appended {
        scope: ScopeNo,
        role: Role,
        /// The first block's place; the others follow it.
        position: i64,
        /// The place its batch begins at: its own, or its call's for a reply.
        anchor: i64,
        blocks: Vec<Block>,
        /// The rest of the message; none where it is just a role and a text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shape: Option<ContentRef>,
        /// The tokens shown in the scope, this turn included.
        sum: i64,
    },
    /// A note in a scope, or an insight in the vault's own.
    Noted {
        scope: ScopeNo,
        item: ItemNo,
        position: i64,
        sum: i64,
        text: ContentRef,
        /// Tokens as shown in a place of its own.
        shown: i64,
        hash: Hash,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<Hash>,
        /// The scope's head before the command: with it, the places then shown are the snapshot.
        snapshot: i64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        way: Option<Way>,
        visited: Vec<FrameChange>,
        /// What was in mind before this change, most recent first.
        context: Vec<ItemNo>,
        context_frame: ScopeNo,
    },
    /// A pending chain moves with its author.
    Carried {
        from: ScopeNo,
        to: ScopeNo,
        /// Where the chain stood and where it stands now.
        from_anchor: i64,
        to_anchor: i64,
        moves: Vec<Move>,
        /// The tokens now shown in either scope.
        from_sum: i64,
        to_sum: i64,
    },
    /// Hides all messages whose batch begins after a place.
    Rewound {
        scope: ScopeNo,
        turn: i64,
        after: i64,
        hidden_turns: i64,
        sum: i64,
    },
    /// Hides all messages but the pending chains, named by their anchors.
    Cleared {
        scope: ScopeNo,
        kept: Vec<i64>,
        hidden_turns: i64,
        sum: i64,
    },
    /// A setting of the vault, or of a scope. No value: back to the default.
    Set {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<ScopeNo>,
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// Whether compositions change by it.
        boundary: bool,
    },
    /// An insight is shown no more.
    Retracted {
        item: ItemNo,
        position: i64,
        /// Its tokens, and those still shown.
        shown: i64,
        sum: i64,
    },
    /// Texts are gone. What bore them stays, with a mark in its place.
    Forgotten {
        items: Vec<ItemNo>,
        /// The turns whose rest is gone.
        shapes: Vec<i64>,
        /// The texts that nothing bears any more.
        contents: Vec<ContentNo>,
        /// The open places that show a mark now.
        marks: Vec<Mark>,
        /// What the scopes of those places show now.
        scopes: Vec<Remains>,
        /// A note is among them: scopes that inherit it are shown the mark too.
        #[serde(default, skip_serializing_if = "is_false")]
        everywhere: bool,
    },
}

/// An open place that shows a mark instead of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    pub scope: ScopeNo,
    pub position: i64,
    pub shown: i64,
}

/// What a scope shows after some of its texts are gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remains {
    pub scope: ScopeNo,
    /// The places after this one are summed up anew.
    pub after: i64,
    pub sum: i64,
    /// By how much its notes cost more or less.
    pub note_tokens: i64,
}

impl What {
    /// What happened, in a word.
    pub fn word(&self) -> &'static str {
        match self {
            What::VaultCreated { .. } => "vault_created",
            What::Registered { .. } => "registered",
            What::ScopeCreated { .. } => "scope_created",
            What::Entered { .. } => "entered",
            What::Left { .. } => "left",
            What::Focused { .. } => "focused",
            What::Broke => "broke",
            What::Put { .. } => "put",
            What::Visited { .. } => "visited",
            What::Placed { .. } => "placed",
            What::Displaced { .. } => "displaced",
            What::Forked { .. } => "forked",
            What::Rejoined { .. } => "rejoined",
            What::Abandoned { .. } => "abandoned",
            What::Tidied { .. } => "tidied",
            What::Appended { .. } => "appended",
            What::Noted { .. } => "noted",
            What::Carried { .. } => "carried",
            What::Rewound { .. } => "rewound",
            What::Cleared { .. } => "cleared",
            What::Set { .. } => "set",
            What::Retracted { .. } => "retracted",
            What::Forgotten { .. } => "forgotten",
        }
    }

    /// For a change of something substantive: what was in mind, and in which frame.
    pub fn capture(&self) -> Option<(&[ItemNo], ScopeNo)> {
        match self {
            What::Noted { context, context_frame, .. } => Some((context, *context_frame)),
            What::Put { delta, .. }
            | What::Placed { delta, .. }
            | What::Displaced { delta, .. } => Some((&delta.context, delta.context_frame)),
            _ => None,
        }
    }

    /// What it visits, and what that does to the frames in mind.
    pub fn visit(&self) -> Option<(ItemNo, &[FrameChange])> {
        let (item, visited) = match self {
            What::Noted { item, visited, .. } | What::Visited { item, visited } => (item, visited),
            What::Put { object, delta, .. }
            | What::Placed { object, delta, .. }
            | What::Displaced { object, delta, .. } => (object, &delta.visited),
            _ => return None,
        };
        (!visited.is_empty()).then_some((*item, visited))
    }

    /// The texts that it names.
    pub fn texts(&self) -> Vec<&ContentRef> {
        match self {
            What::Appended { blocks, shape, .. } => {
                blocks.iter().map(|block| &block.text).chain(shape).collect()
            }
            What::Noted { text, .. } | What::Put { text, .. } => vec![text],
            _ => Vec::new(),
        }
    }
}

/// One block of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    pub item: ItemNo,
    pub form: Form,
    pub text: ContentRef,
    /// Tokens as shown: the first block bears the message's own.
    pub shown: i64,
    /// For a call, a short hash of the provider's id, so that its reply finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<i64>,
    /// For a reply, the call it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<ItemNo>,
}

/// One item of a carried chain, in its new place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    pub item: ItemNo,
    pub position: i64,
    pub shown: i64,
    pub sum: i64,
    /// Still without a reply: the call's id hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<i64>,
    /// Whether it begins a turn, for the count of messages.
    pub first: bool,
}

/// A note written on leaving for a scope, or on arriving from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    To(ScopeNo),
    From(ScopeNo),
}

/// A view opens: its streams are fixed from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewOpened {
    pub view: ViewNo,
    pub id: String,
    /// The actor's view before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<ViewNo>,
    /// The scope that `--scope` named, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<ScopeNo>,
    pub streams: Vec<StreamEntry>,
}

/// A view's place in one stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamEntry {
    pub frame: ScopeNo,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<ViewNo>,
}

/// What an event means for its actor's standing in one scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Here {
    pub scope: ScopeNo,
    /// The actor comes back after a silence: its epoch begins anew.
    #[serde(default, skip_serializing_if = "is_false")]
    pub boundary: bool,
    /// The actor's open calls here are given up.
    #[serde(default, skip_serializing_if = "is_false")]
    pub gives_up: bool,
    /// An assistant turn: where the composition ended that it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<i64>,
    /// It is the epoch's first: that end is the fold.
    #[serde(default, skip_serializing_if = "is_false")]
    pub folds: bool,
}

fn is_false(b: &bool) -> bool {
    !*b
}

#[cfg(test)]
mod tests {
    use super::{Body, Via};

    #[test]
    fn a_body_tells_where_it_came_from_or_was_written_before_they_did() {
        let old = r#"{"what":{"entered":{"scope":1}}}"#;
        let mut body: Body = serde_json::from_str(old).unwrap();
        assert_eq!(body.via, None);
        assert_eq!(serde_json::to_string(&body).unwrap(), old);
        body.via = Some(Via::Cli);
        let new = r#"{"what":{"entered":{"scope":1}},"via":"cli"}"#;
        assert_eq!(serde_json::to_string(&body).unwrap(), new);
        assert_eq!(serde_json::from_str::<Body>(new).unwrap(), body);
        assert!(serde_json::from_str::<Body>(&new.replace("cli", "elsewhere")).is_err());
    }
}
