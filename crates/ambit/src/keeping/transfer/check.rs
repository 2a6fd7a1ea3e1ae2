//! Checking an export from its first line to its last, before anything of it goes into a store.

use std::collections::HashMap;
use std::io::{Read, Seek};

use ambit_core::{Content, ContentNo, ContentRef, Hash, Logged, chain, key_of};
use ambit_store::Sound;
use serde_json::Value;

use super::line::{EventLine, FORMAT, Header, Line, Manifest, VERSION};
use super::lines::{Lines, bad_line};
use crate::Result;

/// Numbers in events stay below this: sums of them cannot overflow.
const NUMBER_MAX: i64 = 1 << 40;

/// How long an event's body may be.
const BODY_BYTES_MAX: usize = 256 << 20;

type Checked<T> = std::result::Result<T, String>;

/// An export that was found to be whole and sound.
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

/// Checks a whole export. `progress` is given how many bytes are done.
pub fn check_export(
    source: &mut (impl Read + Seek),
    progress: &dyn Fn(u64),
) -> Result<CheckedExport> {
    let mut lines = Lines::new(source)?;
    let mut check = Check::default();
    loop {
        let number = lines.number + 1;
        let Some(text) = lines.next()? else {
            return Err(bad_line(number, "the manifest is missing: the file is not whole"));
        };
        let last = check.line(text, number).map_err(|why| lines.bad(&why))?;
        progress(lines.bytes);
        if let Some(manifest) = last {
            check.whole().map_err(|(line, why)| bad_line(line.unwrap_or(number), &why))?;
            check.manifest(&manifest, lines.sha256()).map_err(|why| lines.bad(&why))?;
            let bytes = lines.bytes;
            return match lines.next()? {
                None => Ok(CheckedExport { manifest, bytes }),
                Some(_) => Err(lines.bad("nothing may follow the manifest")),
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
    /// Texts whose event is the next to come.
    waiting: Vec<Content>,
    named: HashMap<ContentNo, Named>,
}

struct Named {
    text: ContentRef,
    fate: Fate,
}

/// What becomes of a text that is named.
enum Fate {
    There,
    /// Since this line, and still to be forgotten.
    Missing(u64),
    Forgotten,
}

impl Check {
    /// Checks a line; gives the manifest where it is that.
    fn line(&mut self, text: &str, number: u64) -> Checked<Option<Manifest>> {
        let line = Line::read(text)?;
        match (number, line) {
            (1, Line::Header(Header { format, version })) => match (format.as_ref(), version) {
                (FORMAT, VERSION) => Ok(None),
                (FORMAT, _) => Err(format!("version {version} of the format is not known")),
                _ => Err("it is no export of Ambit's".into()),
            },
            (1, _) => Err("an export begins with its header".into()),
            (_, Line::Header(_)) => Err("the header comes once, and first".into()),
            (_, Line::Content(line)) => {
                let content = line.stored()?;
                if key_of(&content.salt, &content.text) != content.key {
                    return Err("the text does not fit its key".into());
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
            return Err(format!("event {seq} does not fit the chain"));
        }
        bounded(body.get())?;
        let logged = line.stored().parse().map_err(|error| format!("event {seq}: {error}"))?;
        self.texts(&logged, number)?;
        self.sound.follow(&logged).map_err(|why| format!("event {seq} cannot be: {why}"))?;
        (self.previous, self.events) = (hash, seq);
        Ok(())
    }

    /// The texts that stand before an event are those that it is the first to name.
    fn texts(&mut self, logged: &Logged, line: u64) -> Checked<()> {
        let mut waiting = std::mem::take(&mut self.waiting).into_iter().peekable();
        for text in logged.event.body.what.texts() {
            if text.content.0 <= 0 {
                return Err("a text's number is none".into());
            }
            if let Some(named) = self.named.get(&text.content) {
                // Once forgotten it cannot be named again: equal texts are stored again.
                match named.fate {
                    Fate::There | Fate::Missing(_) if named.text == *text => continue,
                    _ => return Err("a text is named otherwise than before".into()),
                }
            }
            let here = waiting.next_if(|it| it.content == text.content);
            if here.as_ref().is_some_and(|it| (it.key, it.tokens) != (text.key, text.tokens)) {
                return Err("the text before it is not the one it names".into());
            }
            let fate = here.map_or(Fate::Missing(line), |_| Fate::There);
            self.named.insert(text.content, Named { text: text.clone(), fate });
        }
        if waiting.next().is_some() {
            return Err("the text before it is none that it is the first to name".into());
        }
        for content in logged.event.body.what.forgets() {
            match self.named.get_mut(content) {
                Some(Named { fate: fate @ Fate::Missing(_), .. }) => *fate = Fate::Forgotten,
                _ => return Err("it forgets a text that is there, or never was".into()),
            }
            self.forgotten += 1;
        }
        Ok(())
    }

    /// Nothing is left over, and nothing is missing; else what, and in which line.
    fn whole(&self) -> std::result::Result<(), (Option<u64>, String)> {
        if !self.waiting.is_empty() {
            return Err((None, "the last texts are named by no event".into()));
        }
        let missing = self.named.values().filter_map(|named| match named.fate {
            Fate::Missing(line) => Some(line),
            Fate::There | Fate::Forgotten => None,
        });
        match missing.min() {
            Some(line) => Err((Some(line), "a text that it names is missing".into())),
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
            true => Err("there is no event".into()),
            false => Err("the manifest does not fit the lines before it".into()),
        }
    }
}

/// No number is so large, and no body so long, that adding up could go wrong.
fn bounded(body: &str) -> Checked<()> {
    fn within(value: &Value) -> bool {
        match value {
            Value::Number(number) => {
                number.as_i64().is_some_and(|it| (-NUMBER_MAX..=NUMBER_MAX).contains(&it))
            }
            Value::Array(list) => list.iter().all(within),
            // A call's id is a hash.
            Value::Object(fields) => fields.iter().all(|(name, it)| match name.as_str() {
                "call_id" | "open" => it.is_null() || it.as_i64().is_some(),
                _ => within(it),
            }),
            Value::Null | Value::Bool(_) | Value::String(_) => true,
        }
    }
    if body.len() > BODY_BYTES_MAX {
        return Err(format!("the event has more than {BODY_BYTES_MAX} bytes"));
    }
    let value: Value = serde_json::from_str(body).map_err(|error| error.to_string())?;
    match within(&value) {
        true => Ok(()),
        false => Err("a number in the event is out of range".into()),
    }
}
