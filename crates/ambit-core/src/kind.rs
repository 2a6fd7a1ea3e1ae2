//! What an item is: its form on the wire, its role in a conversation, and its kind, which decides
//! how it is treated. One table, [`Kind::policy`], holds every rule that goes by kind.

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$about:meta])* $variant:ident = $word:literal),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name { $($(#[$about])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words!(
    /// What a block is on the wire.
    Form {
        Text = "text",
        /// A model's own thinking, often signed or encrypted: whole or not at all.
        Reasoning = "reasoning",
        Call = "call",
        Reply = "reply",
        Media = "media",
        Other = "other",
    }
);

words!(
    /// Who speaks, as providers name it.
    Role {
        System = "system",
        Developer = "developer",
        User = "user",
        Assistant = "assistant",
        Tool = "tool",
    }
);

words!(
    /// Who acts. Only a fork makes subagents.
    ActorKind { Operator = "operator", Agent = "agent", Subagent = "subagent" }
);

words!(
    /// Through which interface something came: the library itself, the command line, or MCP.
    Via { Library = "library", Cli = "cli", Mcp = "mcp" }
);

words!(
    /// How a subagent came to its end.
    Fate { Rejoined = "rejoined", Abandoned = "abandoned" }
);

words!(
    /// What a subagent's scope shows of the scope it was forked from.
    Inherit {
        None = "none",
        /// Its notes, and what it inherits itself.
        Notes = "notes",
        /// Its messages too, as they stood at the fork.
        Full = "full",
    }
);

words!(
    /// What an item is to Ambit.
    Kind {
        Message = "message",
        Note = "note",
        /// A note of the whole vault.
        Insight = "insight",
        /// A version of an object: an artifact, a contact, whatever its type says.
        Object = "object",
    }
);

/// Where an item of a kind stands in a composition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Before the notes, in every scope.
    Insights,
    /// Before the conversation, once folded.
    Notes,
    /// In the conversation.
    Messages,
    /// Beside it: named where it is in mind, never shown whole.
    Objects,
}

impl Layer {
    /// As receipts name it.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Insights => "insights",
            Layer::Notes => "notes",
            Layer::Messages => "messages",
            Layer::Objects => "objects",
        }
    }
}

/// What clearing and compaction may do with an item of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    Preserve,
    Clear,
}

/// How items of a kind are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    pub layer: Layer,
    /// Whether touching it is a visit, and changing it a delta with a capture.
    pub substantive: bool,
    pub when_full: WhenFull,
}

impl Kind {
    /// The one table of rules by kind. A new kind is one line here.
    pub fn policy(self) -> Policy {
        use {Layer as L, WhenFull as W};
        let (layer, substantive, when_full) = match self {
            Kind::Message => (L::Messages, false, W::Clear),
            Kind::Note => (L::Notes, true, W::Preserve),
            Kind::Insight => (L::Insights, true, W::Preserve),
            Kind::Object => (L::Objects, true, W::Preserve),
        };
        Policy { layer, substantive, when_full }
    }
}

impl Role {
    /// Instructions, which stand before the conversation they govern.
    pub fn is_system(self) -> bool {
        matches!(self, Role::System | Role::Developer)
    }
}
