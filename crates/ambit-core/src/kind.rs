//! What an item is to Ambit: its kind, which decides how it is treated. One table, [`Kind::policy`],
//! holds every rule that goes by kind.

use ambit_wire::words;

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
