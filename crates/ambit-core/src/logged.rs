//! Events as a log holds them: the body's very bytes, and the hash over them.

use crate::{ActorNo, ContentNo, Event, Hash, ItemNo, Millis, ViewNo, What};

/// An event as it is stored: the body's very bytes, and the chain's hash over them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    pub event: Event,
    pub text: String,
    pub hash: Hash,
}

impl Logged {
    /// Which items it made.
    pub fn items(&self) -> Vec<ItemNo> {
        match &self.event.body.what {
            What::Appended { blocks, .. } => blocks.iter().map(|block| block.item).collect(),
            What::Noted { item, .. } | What::Put { item, .. } => vec![*item],
            _ => Vec::new(),
        }
    }

    /// Which texts it takes out.
    pub fn forgets(&self) -> &[ContentNo] {
        match &self.event.body.what {
            What::Forgotten { contents, .. } => contents,
            _ => &[],
        }
    }
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
