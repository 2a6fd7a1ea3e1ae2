//! Checks an export from its first line to its last before any of it is written to a store.

use std::collections::HashMap;
use std::io::{Read, Seek};

use ambit_core::{Content, ContentNo, ContentRef, Hash, Logged, chain, key_of};
use ambit_store::Sound;
use serde_json::Value;

use super::line::{EventLine, FORMAT, Header, Line, Manifest, VERSION};
use super::lines::{Lines, bad_line};
use crate::Result;

/// The exclusive upper bound of numbers in events: sums of them cannot overflow.
const NUMBER_MAX: i64 = 1 << 40;

/// The largest body of an event, in bytes.
const BODY_BYTES_MAX: usize = 256 << 20;

type Checked<T> = std::result::Result<T, String>;

/// An export that passed all checks.
#[derive(Clone, Debug)]
pub struct CheckedExport {
    pub(super) manifest: Manifest,
    pub bytes: u64,
}

impl CheckedExport {
    pub fn events(&self) -> i64 {
        self.manifest.events
    }
}

/// Checks a whole export. Calls `progress` with the number of bytes done.
pub fn check_export(
    source: &mut (impl Read + Seek),
    progress: &dyn Fn(u64),
) -> Result<CheckedExport> {
    let mut lines = Lines::new(source)?;
    let mut check = Check::default();
    loop {
        let number = lines.number + 1;
        let Some(text) = lines.next()? else {
            return Err(bad_line(number, "the manifest is missing: the file is incomplete"));
        };
        let last = check.line(text, number).map_err(|why| lines.bad(&why))?;
        progress(lines.bytes);
        if let Some(manifest) = last {
            check.whole().map_err(|(line, why)| bad_line(line.unwrap_or(number), &why))?;
            check.manifest(&manifest, lines.sha256()).map_err(|why| lines.bad(&why))?;
            let bytes = lines.bytes;
            return match lines.next()? {
                None => Ok(CheckedExport { manifest, bytes }),
                Some(_) => Err(lines.bad("unexpected line after the manifest")),
            };
        }
    }
}

#[derive(Default)]
struct Check {
    sound: Sound,
    previous: Hash,
    events: i64,
    contents: i64,
    forgotten: i64,
    /// Texts whose event has not been read yet.
    waiting: Vec<Content>,
    named: HashMap<ContentNo, Named>,
}

struct Named {
    text: ContentRef,
    fate: Fate,
}

/// The state of a referenced text.
enum Fate {
    There,
    /// Referenced since this line; an event must still forget it.
    Missing(u64),
    Forgotten,
}

impl Check {
    /// Checks a line. Returns the manifest if the line is one.
    fn line(&mut self, text: &str, number: u64) -> Checked<Option<Manifest>> {
        let line = Line::read(text)?;
        match (number, line) {
            (1, Line::Header(Header { format, version })) => match (format.as_ref(), version) {
                (FORMAT, VERSION) => Ok(None),
                (FORMAT, _) => Err(format!("unknown version {version} of the export format")),
                _ => Err("this is not an Ambit export".into()),
            },
            (1, _) => Err("the header is missing".into()),
            (_, Line::Header(_)) => Err("unexpected second header".into()),
            (_, Line::Content(line)) => {
                let content = line.stored()?;
                if key_of(&content.salt, &content.text) != content.key {
                    return Err("the text does not match its key".into());
                }
                self.contents += 1;
                self.waiting.push(content);
                Ok(None)
            }
            (_, Line::Event(line)) => self.event(&line, number).map(|()| None),
            (_, Line::Manifest(manifest)) => Ok(Some(manifest)),
        }
    }

    fn event(&mut self, line: &EventLine<'_>, number: u64) -> Checked<()> {
        let EventLine { seq, time, actor, view, body, .. } = *line;
        if seq != self.events + 1 {
            return Err(format!("event {} is missing", self.events + 1));
        }
        let hash = chain(&self.previous, seq, time, actor, view, body.get());
        if hash != line.hash || view.is_some_and(|view| view.0 == 0) {
            return Err(format!("event {seq} does not match the hash chain"));
        }
        bounded(body.get())?;
        let logged = line.stored().parse().map_err(|error| format!("event {seq}: {error}"))?;
        self.texts(&logged, number)?;
        self.sound.follow(&logged).map_err(|why| format!("event {seq} is invalid: {why}"))?;
        (self.previous, self.events) = (hash, seq);
        Ok(())
    }

    /// Checks that the texts before an event are exactly those that the event is the first to
    /// reference.
    fn texts(&mut self, logged: &Logged, line: u64) -> Checked<()> {
        let mut waiting = std::mem::take(&mut self.waiting).into_iter().peekable();
        for text in logged.event.body.what.texts() {
            if text.content.0 <= 0 {
                return Err("invalid text number".into());
            }
            if let Some(named) = self.named.get(&text.content) {
                // A forgotten text cannot be referenced again: an equal text is stored as a new
                // one.
                match named.fate {
                    Fate::There | Fate::Missing(_) if named.text == *text => continue,
                    _ => return Err("an earlier event references this text differently".into()),
                }
            }
            let here = waiting.next_if(|it| it.content == text.content);
            if here.as_ref().is_some_and(|it| (it.key, it.tokens) != (text.key, text.tokens)) {
                return Err("the text before the event is not the one it references".into());
            }
            let fate = here.map_or(Fate::Missing(line), |_| Fate::There);
            self.named.insert(text.content, Named { text: text.clone(), fate });
        }
        if waiting.next().is_some() {
            return Err("the event is not the first to reference the text before it".into());
        }
        for content in logged.event.body.what.forgets() {
            match self.named.get_mut(content) {
                Some(Named { fate: fate @ Fate::Missing(_), .. }) => *fate = Fate::Forgotten,
                _ => {
                    return Err(
                        "the event forgets a text that is present or was never referenced".into()
                    );
                }
            }
            self.forgotten += 1;
        }
        Ok(())
    }

    /// Checks that no text is left over or missing. The error names the line, if known.
    fn whole(&self) -> std::result::Result<(), (Option<u64>, String)> {
        if !self.waiting.is_empty() {
            return Err((None, "no event references the last texts".into()));
        }
        let missing = self.named.values().filter_map(|named| match named.fate {
            Fate::Missing(line) => Some(line),
            Fate::There | Fate::Forgotten => None,
        });
        match missing.min() {
            Some(line) => Err((Some(line), "a text that the event references is missing".into())),
            None => Ok(()),
        }
    }

    fn manifest(&self, manifest: &Manifest, sha256: Hash) -> Checked<()> {
        let found = Manifest {
            events: self.events,
            contents: self.contents,
            forgotten: self.forgotten,
            head: self.previous,
            sha256,
        };
        match *manifest == found {
            true if found.events > 0 => Ok(()),
            true => Err("the export has no events".into()),
            false => Err("the manifest does not match the lines before it".into()),
        }
    }
}

/// Checks that numbers and the body's length are bounded, so that sums cannot overflow.
fn bounded(body: &str) -> Checked<()> {
    fn is_bounded(value: &Value) -> bool {
        match value {
            Value::Number(number) => {
                number.as_i64().is_some_and(|it| (-NUMBER_MAX..=NUMBER_MAX).contains(&it))
            }
            Value::Array(list) => list.iter().all(is_bounded),
            // A call's id is a hash and may be larger.
            Value::Object(fields) => fields.iter().all(|(name, it)| match name.as_str() {
                "call_id" | "open" => it.is_null() || it.as_i64().is_some(),
                _ => is_bounded(it),
            }),
            Value::Null | Value::Bool(_) | Value::String(_) => true,
        }
    }
    if body.len() > BODY_BYTES_MAX {
        return Err(format!("the event has more than {BODY_BYTES_MAX} bytes"));
    }
    let value: Value = serde_json::from_str(body).map_err(|error| error.to_string())?;
    match is_bounded(&value) {
        true => Ok(()),
        false => Err("a number in the event is out of range".into()),
    }
}
