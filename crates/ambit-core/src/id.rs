//! Identifiers: integers per vault for rows, and prefixed UUIDs for use outside the store.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::Millis;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize,
            Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number!(
    /// The number of a scope, or of an actor's home scope. Each of them owns a frame.
    ScopeNo
);

impl ScopeNo {
    /// The vault's own scope: it holds the vault-wide settings and the insights. Nobody enters it.
    pub const VAULT: ScopeNo = ScopeNo(0);
}
number!(
    /// The number of an operator, an agent or a subagent. 0 is the system, which creates vaults.
    ActorNo
);

impl ActorNo {
    pub const SYSTEM: ActorNo = ActorNo(0);
}
number!(
    /// The number of an item: a block that a model can be shown.
    ItemNo
);
number!(
    /// The number of a stored text. An item or turn whose text was forgotten holds the negated
    /// sequence of the event that forgot it.
    ContentNo
);

impl ContentNo {
    /// Returns the number that replaces a text forgotten by an event.
    pub fn forgotten(seq: i64) -> ContentNo {
        ContentNo(-seq)
    }

    /// Returns the event that forgot the text.
    pub fn forgotten_by(self) -> Option<i64> {
        (self.0 < 0).then(|| self.0.saturating_neg())
    }
}
number!(
    /// The number of a view: a group of an actor's events.
    ViewNo
);

/// Generates the ids and salts of one command from a seed of the caller: deciding twice with the
/// same seed gives the same bytes.
pub struct Fresh {
    seed: [u8; 32],
    now: Millis,
    given: u64,
}

impl Fresh {
    pub fn new(seed: [u8; 32], now: Millis) -> Self {
        Self { seed, now, given: 0 }
    }

    /// Returns a prefixed UUIDv7, such as `scp_0192…`.
    pub fn id(&mut self, prefix: &str) -> String {
        let mut bytes = [0u8; 16];
        bytes.copy_from_slice(&self.next()[..16]);
        bytes[..6].copy_from_slice(&self.now.to_be_bytes()[2..]);
        bytes[6] = (bytes[6] & 0x0f) | 0x70;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        let hex = crate::hex(&bytes);
        let (a, b, c, d, e) = (&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]);
        format!("{prefix}_{a}-{b}-{c}-{d}-{e}")
    }

    /// Returns a salt that cannot be derived from the text stored with it.
    pub fn salt(&mut self) -> [u8; 16] {
        let mut salt = [0u8; 16];
        salt.copy_from_slice(&self.next()[..16]);
        salt
    }

    fn next(&mut self) -> [u8; 32] {
        self.given += 1;
        Sha256::new()
            .chain_update(self.seed)
            .chain_update(self.given.to_be_bytes())
            .finalize()
            .into()
    }
}
