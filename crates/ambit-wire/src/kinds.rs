//! The roles of messages and the forms of blocks.

/// Defines an enum whose variants are single words in JSON and in tables.
#[macro_export]
macro_rules! words {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$about:meta])* $variant:ident = $word:literal),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$about])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

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
    /// The form of a block in a message.
    Form {
        Text = "text",
        /// A model's own thinking, often signed or encrypted: sent whole or not at all.
        Reasoning = "reasoning",
        Call = "call",
        Reply = "reply",
        Media = "media",
        Other = "other",
    }
);

words!(
    /// The role of a message's author, as providers name it.
    Role {
        System = "system",
        Developer = "developer",
        User = "user",
        Assistant = "assistant",
        Tool = "tool",
    }
);

impl Role {
    /// Returns whether the role gives instructions, which precede the conversation.
    pub fn is_system(self) -> bool {
        matches!(self, Role::System | Role::Developer)
    }
}
