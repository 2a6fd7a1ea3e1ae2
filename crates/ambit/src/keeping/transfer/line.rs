//! The lines of an export: a header, texts and events in order, and a manifest. Each line is one
//! JSON object in canonical form, so equal vaults give equal bytes.

use std::borrow::Cow;

use ambit_core::{ActorNo, Content, ContentNo, Hash, Stored, ViewNo, hex, unhex};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The format's name, and the version that is written and read.
pub const FORMAT: &str = "ambit-export";
pub const VERSION: i64 = 1;

/// The longest line in bytes, with its line end.
pub const LINE_BYTES_MAX: u64 = 1 << 30;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line<'a> {
    Header(Header<'a>),
    #[serde(borrow)]
    Content(ContentLine<'a>),
    #[serde(borrow)]
    Event(EventLine<'a>),
    Manifest(Manifest),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header<'a> {
    #[serde(borrow)]
    pub format: Cow<'a, str>,
    pub version: i64,
}

/// A text. It precedes the first event that references it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContentLine<'a> {
    pub content: ContentNo,
    pub key: Hash,
    pub salt: Cow<'a, str>,
    pub tokens: i64,
    #[serde(borrow)]
    pub text: Cow<'a, str>,
}

/// An event. Its body is byte for byte as stored.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventLine<'a> {
    pub seq: i64,
    pub time: i64,
    pub actor: ActorNo,
    pub view: Option<ViewNo>,
    pub hash: Hash,
    #[serde(borrow)]
    pub body: &'a RawValue,
}

/// Counts and hashes that prove that the file is complete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub events: i64,
    pub contents: i64,
    /// Texts that events reference and later events forgot.
    pub forgotten: i64,
    /// The last event's hash.
    pub head: Hash,
    /// The hash of all bytes before this line.
    pub sha256: Hash,
}

impl Line<'_> {
    /// Returns the line as written, without its line end.
    pub fn write(&self) -> String {
        // Plain data always serialises.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Parses a line. Refuses a line that is not in the form that `write` produces.
    pub fn read(text: &str) -> Result<Line<'_>, String> {
        let line: Line<'_> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match line.write() == text {
            true => Ok(line),
            false => Err("the line is not in canonical form".into()),
        }
    }
}

impl<'a> ContentLine<'a> {
    /// Returns the line of a stored text, or None if the content is not valid UTF-8.
    pub fn of(content: &'a Content) -> Option<ContentLine<'a>> {
        Some(ContentLine {
            content: content.content,
            key: content.key,
            salt: hex(&content.salt).into(),
            tokens: content.tokens,
            text: std::str::from_utf8(&content.text).ok()?.into(),
        })
    }

    pub fn stored(self) -> Result<Content, String> {
        let salt = unhex(&self.salt).and_then(|salt| salt.try_into().ok());
        let text = self.text.into_owned().into_bytes();
        Ok(Content {
            content: self.content,
            key: self.key,
            salt: salt.ok_or("invalid salt: expected 32 hexadecimal digits")?,
            digest: ambit_core::digest(&text),
            tokens: self.tokens,
            text,
        })
    }
}

impl EventLine<'_> {
    pub fn stored(&self) -> Stored {
        Stored {
            seq: self.seq,
            time: self.time,
            actor: self.actor,
            view: self.view,
            body: self.body.get().as_bytes().to_vec(),
            hash: self.hash.0.to_vec(),
        }
    }
}
