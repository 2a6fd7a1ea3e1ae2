//! Events as a log holds them: the body's very bytes, and the hash over them.

use crate::{ActorNo, Event, Hash, Millis, ViewNo};

/// An event as it is stored: the body's very bytes, and the chain's hash over them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    pub event: Event,
    pub text: String,
    pub hash: Hash,
}

/// An event as a store gives it back, neither its body nor its hash judged yet: damage is for
/// whoever looks to find, so these are bytes.
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
    /// Understands the body. A text that is no body of ours is damage.
    pub fn parse(self) -> Result<Logged, serde_json::Error> {
        use serde::de::Error;
        let Stored { seq, time, actor, view, body, hash } = self;
        let text = String::from_utf8(body).map_err(serde_json::Error::custom)?;
        let body = serde_json::from_str(&text)?;
        let hash = hash.try_into().map_err(|_| serde_json::Error::custom("its hash is no hash"))?;
        Ok(Logged { event: Event { seq, time, actor, view, body }, text, hash: Hash(hash) })
    }
}
