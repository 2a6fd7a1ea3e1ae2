//! What an item is to Ambit: its kind, which decides how it is treated. One table,
//! [`ItemKind::policy`], holds every rule that goes by kind.

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
    ItemKind {
        Message = "message",
        Note = "note",
        /// A note of the whole vault.
        Insight = "insight",
        /// A version of an object: an artifact, a contact, whatever its type says.
        Object = "object",
    }
);

/// The part of a composition that shows an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Before the notes, in every scope.
    Insights,
    /// The names of what is in mind. The text of an item in this layer is never shown.
    Mind,
    /// Before the conversation, once folded.
    Notes,
    /// The conversation.
    Messages,
}

impl Layer {
    /// Returns the layer's name in a receipt.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Insights => "insights",
            Layer::Mind => "mind",
            Layer::Notes => "notes",
            Layer::Messages => "messages",
        }
    }
}

/// What an item is one of. This decides what names it and what it is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A block of a turn, named by the turn's event. It can be carried to another scope.
    Block,
    /// A note, named by its hash. It has one place.
    Note,
    /// A version of an object, named by the object. The places are those of the object.
    Version,
}

/// How items of a kind are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    pub layer: Layer,
    pub class: Class,
}

impl ItemKind {
    /// The only table of rules by kind: a new kind is one line here. Databases store what their
    /// statements need of it in columns of the row, written from this table.
    pub fn policy(self) -> Policy {
        let (layer, class) = match self {
            ItemKind::Message => (Layer::Messages, Class::Block),
            ItemKind::Note => (Layer::Notes, Class::Note),
            ItemKind::Insight => (Layer::Insights, Class::Note),
            ItemKind::Object => (Layer::Mind, Class::Version),
        };
        Policy { layer, class }
    }

    /// Whether its places are part of the conversation: what a window shows, and what rewinding,
    /// clearing and carrying close.
    pub fn in_window(self) -> bool {
        self.policy().layer == Layer::Messages
    }

    /// Whether its places are those of an object.
    pub fn of_object(self) -> bool {
        self.policy().class == Class::Version
    }

    /// Whether it belongs to the whole vault and not to a scope.
    pub fn of_vault(self) -> bool {
        self.policy().layer == Layer::Insights
    }
}
