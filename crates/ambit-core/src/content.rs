//! Stored text. All user text is content, named by a key that reveals nothing once text and salt
//! are deleted: the SHA-256 of both.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::search::Bag;
use crate::{ContentNo, Hash};

/// A text with its token count and its term vector. Both are computed before a transaction begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    pub text: Arc<str>,
    pub tokens: i64,
    pub bag: Arc<Bag>,
}

impl Counted {
    pub fn new(text: impl Into<Arc<str>>, tokens: i64) -> Self {
        let text = text.into();
        let bag = Arc::new(Bag::of(text.as_bytes()));
        Self { text, tokens, bag }
    }
}

/// A reference to a text, as events hold it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentRef {
    pub content: ContentNo,
    pub key: Hash,
    pub tokens: i64,
}

/// A stored text as its row holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    pub content: ContentNo,
    pub key: Hash,
    pub salt: [u8; 16],
    /// The key of the deduplication index. It is deleted with the text.
    pub digest: i64,
    pub tokens: i64,
    pub text: Vec<u8>,
}

/// Returns the key of a text under its salt.
pub fn key_of(salt: &[u8], text: &[u8]) -> Hash {
    Hash(Sha256::new().chain_update(salt).chain_update(text).finalize().into())
}

/// Returns a text's key in the deduplication index: a short hash, so texts with equal keys are
/// compared in full.
pub fn digest(text: &[u8]) -> i64 {
    let hash = Sha256::digest(text);
    let mut first = [0u8; 8];
    first.copy_from_slice(&hash[..8]);
    i64::from_be_bytes(first)
}
