//! Writes an export. The log is checked while it is read, so every complete export can be
//! imported.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use ambit_core::{Content, ContentNo, ContentRef, Hash, Logged, Needs, Stored, chain, key_of};
use ambit_store::{Error as StoreError, Snapshot};
use serde::Serialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::line::{
    ContentLine, EventLine, FORMAT, Header, LINE_BYTES_MAX, Line, Manifest, VERSION,
};
use crate::{Caller, Engine, Error, Result};

/// The number of events, and of texts, read at a time: texts may be long.
const EVENTS_PAGE: i64 = 1_000;
const CONTENTS_PAGE: i64 = 64;

/// Answer of `export`.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ExportAnswer {
    pub vault: String,
    pub events: i64,
    pub contents: i64,
    pub forgotten: i64,
    pub head: String,
    /// The hash of all bytes before the manifest.
    pub sha256: String,
    pub bytes: u64,
}

type Read<T> = ambit_store::Result<T>;

impl Engine {
    /// Writes a vault as JSON lines. Calls `progress` with the number of events done and the
    /// total. Refuses a damaged vault; the output then has no manifest and cannot be imported.
    pub fn export(
        &self,
        caller: &Caller,
        out: &mut dyn Write,
        progress: &dyn Fn(i64, i64),
    ) -> Result<ExportAnswer> {
        let mut failed = None;
        let answer = self.read(caller, &mut |snapshot| {
            let out = Out { out: &mut *out, failed: &mut failed, hash: Sha256::new(), bytes: 0 };
            let mut export = Export::new(out);
            let manifest = export.run(snapshot, progress)?;
            Ok(ExportAnswer {
                vault: caller.vault.clone(),
                events: manifest.events,
                contents: manifest.contents,
                forgotten: manifest.forgotten,
                head: manifest.head.to_hex(),
                sha256: manifest.sha256.to_hex(),
                bytes: export.out.bytes,
            })
        });
        match failed {
            Some(error) => Err(Error::io("cannot write the export", error)),
            None => answer,
        }
    }
}

/// The output, with the hash of everything written to it.
struct Out<'a> {
    out: &'a mut dyn Write,
    /// The error that stopped the output.
    failed: &'a mut Option<std::io::Error>,
    hash: Sha256,
    bytes: u64,
}

impl Out<'_> {
    fn line(&mut self, line: &Line<'_>) -> Read<()> {
        let text = line.write() + "\n";
        if text.len() as u64 > LINE_BYTES_MAX {
            return Err(StoreError::Damaged(format!(
                "a text is too long for an export line: more than {LINE_BYTES_MAX} bytes"
            )));
        }
        self.hash.update(&text);
        self.bytes += text.len() as u64;
        self.out.write_all(text.as_bytes()).map_err(|error| {
            *self.failed = Some(error);
            StoreError::Damaged("cannot write the export".into())
        })
    }
}

struct Export<'a> {
    out: Out<'a>,
    /// Texts that were read and not yet referenced; `read_to` is the last one read.
    ahead: BTreeMap<ContentNo, Content>,
    read_to: ContentNo,
    /// The texts that events reference, and among them the missing and the forgotten ones.
    named: BTreeMap<ContentNo, (ContentRef, i64)>,
    missing: BTreeSet<ContentNo>,
    forgotten: BTreeSet<ContentNo>,
    previous: Hash,
    events: i64,
    contents: i64,
}

fn damaged<T>(problem: String) -> Read<T> {
    Err(StoreError::Damaged(problem))
}

impl<'a> Export<'a> {
    fn new(out: Out<'a>) -> Self {
        Export {
            out,
            ahead: BTreeMap::new(),
            read_to: ContentNo(i64::MIN),
            named: BTreeMap::new(),
            missing: BTreeSet::new(),
            forgotten: BTreeSet::new(),
            previous: Hash::default(),
            events: 0,
            contents: 0,
        }
    }

    fn run(&mut self, snapshot: &mut dyn Snapshot, progress: &dyn Fn(i64, i64)) -> Read<Manifest> {
        let vault = snapshot.state(&Needs::default())?.vault;
        self.out.line(&Line::Header(Header { format: FORMAT.into(), version: VERSION }))?;
        loop {
            let page = snapshot.events(self.events, EVENTS_PAGE)?;
            if page.is_empty() {
                break;
            }
            for stored in page {
                self.event(snapshot, stored)?;
            }
            progress(self.events, vault.head_seq);
        }
        if (self.events, self.previous) != (vault.head_seq, vault.head_hash) {
            return damaged(format!("the log ends with event {}", self.events));
        }
        self.whole(snapshot)?;
        let sha256 = Hash(self.out.hash.clone().finalize().into());
        let manifest = Manifest {
            events: self.events,
            contents: self.contents,
            forgotten: self.forgotten.len() as i64,
            head: self.previous,
            sha256,
        };
        self.out.line(&Line::Manifest(manifest.clone()))?;
        Ok(manifest)
    }

    fn event(&mut self, snapshot: &mut dyn Snapshot, stored: Stored) -> Read<()> {
        let seq = self.events + 1;
        if stored.seq != seq {
            return damaged(format!("event {seq} is missing"));
        }
        let Stored { time, actor, view, .. } = stored;
        let hash = chain(&self.previous, seq, time, actor, view, &stored.body);
        if view.is_some_and(|view| view.0 == 0) || hash.0.as_slice() != stored.hash {
            return damaged(format!("event {seq} does not match the hash chain"));
        }
        let unfit = |error| StoreError::Damaged(format!("event {seq}: {error}"));
        let logged = stored.parse().map_err(unfit)?;
        self.texts(snapshot, &logged)?;
        let body: &RawValue = serde_json::from_str(&logged.text).map_err(unfit)?;
        if body.get() != logged.text || logged.text.contains('\n') {
            return damaged(format!("event {seq} is not in canonical form"));
        }
        self.out.line(&Line::Event(EventLine { seq, time, actor, view, hash, body }))?;
        (self.previous, self.events) = (hash, seq);
        Ok(())
    }

    /// Writes the texts that an event is the first to reference.
    fn texts(&mut self, snapshot: &mut dyn Snapshot, logged: &Logged) -> Read<()> {
        let seq = logged.event.seq;
        for text in logged.event.body.what.texts() {
            match self.named.get(&text.content) {
                Some((first, _)) if first == text => continue,
                Some(_) => {
                    return damaged(format!(
                        "event {seq} references a text differently than an earlier event"
                    ));
                }
                None => {}
            }
            self.named.insert(text.content, (text.clone(), seq));
            match self.take(snapshot, text.content)? {
                Some(content) => self.text(seq, text, &content)?,
                None => drop(self.missing.insert(text.content)),
            }
        }
        for content in logged.event.body.what.forgets() {
            if !self.missing.contains(content) {
                return damaged(format!("a text that event {seq} forgot is still there"));
            }
            self.forgotten.insert(*content);
        }
        Ok(())
    }

    fn text(&mut self, seq: i64, named: &ContentRef, content: &Content) -> Read<()> {
        let key = key_of(&content.salt, &content.text);
        let line = ContentLine::of(content)
            .filter(|_| content.key == key && named.key == key && named.tokens == content.tokens);
        let Some(line) = line else {
            return damaged(format!("the text that event {seq} references was altered"));
        };
        self.contents += 1;
        self.out.line(&Line::Content(line))
    }

    /// Returns a text by its number. Texts are read in order, slightly ahead of the events.
    fn take(&mut self, snapshot: &mut dyn Snapshot, content: ContentNo) -> Read<Option<Content>> {
        while self.read_to < content {
            let page = snapshot.contents(self.read_to, CONTENTS_PAGE)?;
            let Some(last) = page.last() else {
                self.read_to = ContentNo(i64::MAX);
                break;
            };
            self.read_to = last.content;
            self.ahead.extend(page.into_iter().map(|it| (it.content, it)));
        }
        Ok(self.ahead.remove(&content))
    }

    /// Checks that every referenced text exists or is forgotten, and that no other text exists.
    fn whole(&mut self, snapshot: &mut dyn Snapshot) -> Read<()> {
        if let Some(content) = self.missing.difference(&self.forgotten).next() {
            let seq = self.named.get(content).map_or(0, |(_, seq)| *seq);
            return damaged(format!("the text that event {seq} references is missing"));
        }
        self.take(snapshot, ContentNo(i64::MAX))?;
        match self.ahead.keys().next() {
            Some(content) => damaged(format!("content {content} has no event")),
            None => Ok(()),
        }
    }
}
