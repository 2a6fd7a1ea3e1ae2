//! Identities: integers per vault for rows, prefixed UUIDs for what people and programs name.

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
    /// A scope, or an actor's home scope: whatever can own a frame.
    ScopeNo
);

impl ScopeNo {
    /// The vault's own: what is set for all scopes, and where insights stand. Nobody enters it.
    pub const VAULT: ScopeNo = ScopeNo(0);
}
number!(
    /// An operator, an agent or a subagent. 0 is the system itself: it creates vaults.
    ActorNo
);

impl ActorNo {
    pub const SYSTEM: ActorNo = ActorNo(0);
}
number!(
    /// One block a model can be shown.
    ItemNo
);
number!(
    /// A stored text. What bore one that was forgotten holds the event's sequence instead, negated.
    ContentNo
);

impl ContentNo {
    /// What stands for a text that an event forgot.
    pub fn forgotten(seq: i64) -> ContentNo {
        ContentNo(-seq)
    }

    /// The event that forgot the text.
    pub fn forgotten_by(self) -> Option<i64> {
        (self.0 < 0).then(|| self.0.saturating_neg())
    }
}
number!(
    /// A group of an actor's events.
    ViewNo
);

/// Gives the ids and salts of one command, all derived from one seed that comes from outside, so
/// that deciding twice with the same seed gives the same bytes.
pub struct Fresh {
    seed: [u8; 32],
    now: Millis,
    given: u64,
}

impl Fresh {
    pub fn new(seed: [u8; 32], now: Millis) -> Self {
        Self { seed, now, given: 0 }
    }

    /// A prefixed UUIDv7, such as `scp_0192…`.
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

    /// Bytes nobody can guess from the text beside them.
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
