//! The kinds of items, actors and interfaces. One table, [`ItemKind::policy`], holds every rule
//! that depends on the kind of an item.

use ambit_wire::words;

words!(
    /// The kind of an actor. Only a fork creates subagents.
    ActorKind { Operator = "operator", Agent = "agent", Subagent = "subagent" }
);

words!(
    /// The interface that an event came through: the library itself, the command line, or MCP.
    Via { Library = "library", Cli = "cli", Mcp = "mcp" }
);

words!(
    /// How a subagent ended.
    Fate { Rejoined = "rejoined", Abandoned = "abandoned" }
);

words!(
    /// What a scope inherits of the scope it came from.
    Inherit {
        None = "none",
        /// The notes of that scope, and the notes that it inherits itself.
        Notes = "notes",
        /// Its messages too, as they were at the fork.
        Full = "full",
    }
);

words!(
    /// The kind of an item.
    ItemKind {
        Message = "message",
        Note = "note",
        /// A note of the whole vault.
        Insight = "insight",
        /// A version of an object of any type, such as an artifact or a contact.
        Object = "object",
    }
);

/// The part of a composition that shows an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Before the notes, in every scope.
    Insights,
    /// The names of the items in the frame. The text of an item in this layer is never shown.
    Mind,
    /// Before the conversation, for notes before the fold.
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

/// The class of an item: it decides how the item is named and counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A block of a turn, named by the turn's event. It can be carried to another scope.
    Block,
    /// A note, named by its hash. It has one place.
    Note,
    /// A version of an object, named by the object. The places are those of the object.
    Version,
}

/// The rules for the items of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    pub layer: Layer,
    pub class: Class,
}

impl ItemKind {
    /// Returns the rules for a kind. This is the only such table: a new kind is one line here.
    /// Databases store the rules that their statements need in columns, written from this table.
    pub fn policy(self) -> Policy {
        let (layer, class) = match self {
            ItemKind::Message => (Layer::Messages, Class::Block),
            ItemKind::Note => (Layer::Notes, Class::Note),
            ItemKind::Insight => (Layer::Insights, Class::Note),
            ItemKind::Object => (Layer::Mind, Class::Version),
        };
        Policy { layer, class }
    }

    /// Whether its places are part of the conversation, which the window shows and which rewinding,
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
