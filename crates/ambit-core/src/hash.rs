//! Hashes: SHA-256 as data and as text, and the chain of a log.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::{ActorNo, Millis, ViewNo};

/// A SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    pub fn to_hex(&self) -> String {
        hex(&self.0)
    }

    /// Returns the first seven digits, for display.
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

/// Returns bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)] as char);
        out.push(DIGITS[usize::from(byte & 15)] as char);
    }
    out
}

/// Parses hexadecimal digits into bytes.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| (c as char).to_digit(16).map(|d| d as u8);
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    bytes.chunks(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

/// Returns the next hash of the chain: over the previous one, sequence, time, actor, view and the
/// body's bytes. The vault's name is not included, so a vault can move between stores unchanged.
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
