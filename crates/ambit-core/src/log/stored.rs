//! Stored events: the exact bytes of the body, and the chain hash over them.

use crate::{ActorNo, Event, Hash, Millis, ViewNo};

/// An event with the exact bytes of its body and the chain hash over them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    pub event: Event,
    pub text: String,
    pub hash: Hash,
}

/// An event as a store reads it. Body and hash are unverified bytes, because either may be damaged.
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
    /// Parses the body. An error means that the log is damaged.
    pub fn parse(self) -> Result<Logged, serde_json::Error> {
        use serde::de::Error;
        let Stored { seq, time, actor, view, body, hash } = self;
        let text = String::from_utf8(body).map_err(serde_json::Error::custom)?;
        let body = serde_json::from_str(&text)?;
        let hash = hash.try_into().map_err(|_| serde_json::Error::custom("its hash is no hash"))?;
        Ok(Logged { event: Event { seq, time, actor, view, body }, text, hash: Hash(hash) })
    }
}
