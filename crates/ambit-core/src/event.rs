//! Events: what happened, in the order it happened. The log is the only truth; every row follows
//! from it. A body is serialised once, when it is decided, and those bytes are what is hashed.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::{
    ActorKind, ActorNo, ContentNo, ContentRef, Form, ItemNo, Millis, Role, ScopeNo, Via, ViewNo,
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
            What::Noted { item, text, .. } => item.0.max(text.content.0),
            What::Entered { .. }
            | What::Left { .. }
            | What::Focused { .. }
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

/// An event as it is stored: the body's very bytes, and the chain's hash over them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    pub event: Event,
    pub text: String,
    pub hash: Hash,
}

impl Logged {
    /// Which items it made.
    pub fn items(&self) -> Vec<ItemNo> {
        match &self.event.body.what {
            What::Appended { blocks, .. } => blocks.iter().map(|block| block.item).collect(),
            What::Noted { item, .. } => vec![*item],
            _ => Vec::new(),
        }
    }

    /// Which texts it takes out.
    pub fn forgets(&self) -> &[ContentNo] {
        match &self.event.body.what {
            What::Forgotten { contents, .. } => contents,
            _ => &[],
        }
    }
}

/// An event as a store gives it back, neither its body nor its hash judged yet: damage is for
/// whoever looks to find, so these are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub seq: i64,
    pub time: Millis,
    pub actor: ActorNo,
    pub view: Option<ViewNo>,
    pub body: Vec<u8>,
    pub hash: Vec<u8>,
}

impl Stored {
    /// Understands the body. A text that is no body of ours is damage.
    pub fn parse(self) -> Result<Logged, serde_json::Error> {
        use serde::de::Error;
        let Stored { seq, time, actor, view, body, hash } = self;
        let text = String::from_utf8(body).map_err(serde_json::Error::custom)?;
        let body = serde_json::from_str(&text)?;
        let hash = hash.try_into().map_err(|_| serde_json::Error::custom("its hash is no hash"))?;
        Ok(Logged { event: Event { seq, time, actor, view, body }, text, hash: Hash(hash) })
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
    },
    Left {
        scope: ScopeNo,
    },
    Focused {
        scope: ScopeNo,
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
    /// The texts that it names.
    pub fn texts(&self) -> Vec<&ContentRef> {
        match self {
            What::Appended { blocks, shape, .. } => {
                blocks.iter().map(|block| &block.text).chain(shape).collect()
            }
            What::Noted { text, .. } => vec![text],
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

/// A visit's effect on one frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameChange {
    pub frame: ScopeNo,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evicted: Vec<ItemNo>,
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

/// A SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    pub fn to_hex(&self) -> String {
        hex(&self.0)
    }

    /// As people are shown it.
    pub fn short(&self) -> String {
        hex(&self.0[..4])[..7].to_string()
    }
}

impl std::fmt::Debug for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_hex())
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_hex())
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        unhex(&text)
            .and_then(|bytes| bytes.try_into().ok())
            .map(Hash)
            .ok_or_else(|| serde::de::Error::custom("a hash is 64 hexadecimal digits"))
    }
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)] as char);
        out.push(DIGITS[usize::from(byte & 15)] as char);
    }
    out
}

/// The bytes that hexadecimal digits stand for.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| (c as char).to_digit(16).map(|d| d as u8);
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    bytes.chunks(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

/// The chain's next hash: over the previous one, sequence, time, actor, view and the body's bytes.
/// No vault name, so that a vault moves between stores unchanged.
pub fn chain(
    previous: &Hash,
    seq: i64,
    time: Millis,
    actor: ActorNo,
    view: Option<ViewNo>,
    body: impl AsRef<[u8]>,
) -> Hash {
    let mut hash = Sha256::new();
    hash.update(previous.0);
    for number in [seq, time, actor.0, view.map_or(0, |v| v.0)] {
        hash.update(number.to_be_bytes());
    }
    hash.update(body.as_ref());
    Hash(hash.finalize().into())
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
