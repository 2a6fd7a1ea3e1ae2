//! Parses messages from input: JSON lines, a JSON array or a whole request, in a provider's format
//! or as a transcript of an agent.

use ambit_core::CountedTurn;
use ambit_text::tokens;
use ambit_wire::json::{Json, Map, repair_surrogates};
use ambit_wire::transcripts::{self, Source};
use ambit_wire::{Format, Malformed, parse};
use serde_json::value::RawValue;

use crate::{InputRefusal, Result};

/// Parsed messages with their token counts, and warnings about repairs to the input.
#[derive(Debug, Default)]
pub struct MessageSource {
    pub(crate) turns: Vec<CountedTurn>,
    pub warnings: Vec<String>,
}

impl MessageSource {
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }
}

type Parsed<T> = std::result::Result<T, InputRefusal>;

/// Reads messages from bytes: a JSON array, one JSON object per line, or a request. Calls
/// `progress` with the number of bytes done.
pub fn parse_messages(
    bytes: &[u8],
    source: Source,
    progress: &dyn Fn(u64),
) -> Result<MessageSource> {
    let not_utf8 = |source| InputRefusal::NotUtf8 { source };
    let text = std::str::from_utf8(bytes).map_err(not_utf8)?;
    // Some editors begin a file with a byte order mark.
    let (text, repaired) = repair_surrogates(text.trim_start_matches('\u{FEFF}'));
    let mut reader = Reader { source, progress, waiting: Vec::new(), turns: Vec::new() };
    match (source, text.trim_start()) {
        (Source::Tau(run), _) => reader.run(&text, run)?,
        (Source::Wire(_), text) if text.starts_with('[') => reader.array(text)?,
        (Source::Wire(_), text) if reader.request(text)? => {}
        _ => reader.lines(&text)?,
    }
    reader.flush()?;
    let mut source = MessageSource { turns: reader.turns, warnings: Vec::new() };
    if repaired > 0 {
        let noun = if repaired == 1 { "lone surrogate" } else { "lone surrogates" };
        source.warnings.push(format!("replaced {repaired} {noun} with U+FFFD"));
    }
    Ok(source)
}

struct Reader<'a> {
    source: Source,
    progress: &'a dyn Fn(u64),
    /// Items that may belong to one turn, each with the name that errors use for it.
    waiting: Vec<(String, Json)>,
    turns: Vec<CountedTurn>,
}

impl Reader<'_> {
    fn array(&mut self, text: &str) -> Parsed<()> {
        let not_an_array = |source| InputRefusal::NotAnArray { source };
        self.all(serde_json::from_str(text).map_err(not_an_array)?)
    }

    fn all(&mut self, messages: Vec<&RawValue>) -> Parsed<()> {
        let mut done = 0;
        for (index, message) in messages.into_iter().enumerate() {
            self.one("message", index, message.get())?;
            done += message.get().len() as u64;
            (self.progress)(done);
        }
        Ok(())
    }

    fn lines(&mut self, text: &str) -> Parsed<()> {
        let mut done = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            done += line.len() as u64;
            let line = line.trim();
            if !line.is_empty() {
                self.one("line", index, line)?;
            }
            (self.progress)(done);
        }
        Ok(())
    }

    /// Reads a whole request: its instructions and its messages. Returns false when the text is
    /// not a request.
    fn request(&mut self, text: &str) -> Parsed<bool> {
        #[derive(serde::Deserialize)]
        struct Body<'a> {
            #[serde(borrow)]
            messages: Option<Vec<&'a RawValue>>,
            #[serde(borrow)]
            input: Option<Vec<&'a RawValue>>,
            #[serde(borrow)]
            system: Option<&'a RawValue>,
            #[serde(borrow)]
            instructions: Option<&'a RawValue>,
        }
        let Ok(body) = serde_json::from_str::<Body<'_>>(text) else {
            return Ok(false);
        };
        let Some(messages) = body.messages.or(body.input) else {
            return Ok(false);
        };
        if let Some(system) = body.system.or(body.instructions) {
            let content = ("content".to_string(), parse_json(system.get(), "the system prompt")?);
            let message = Json::Object(Map::from_iter([("role".into(), "system".into()), content]));
            self.take(vec![("the system prompt".into(), message)])?;
        }
        self.all(messages)?;
        Ok(true)
    }

    /// Reads one run of a file of runs.
    fn run(&mut self, text: &str, run: Option<usize>) -> Parsed<()> {
        let file = parse_json(text, "the file")?;
        let runs = match &file {
            Json::Array(runs) => runs.as_slice(),
            run => std::slice::from_ref(run),
        };
        let which = match (run, runs) {
            (None, [_]) => 1,
            (Some(number), _) if (1..=runs.len()).contains(&number) => number,
            _ => {
                return Err(InputRefusal::Runs { runs: runs.len() });
            }
        };
        let empty = InputRefusal::EmptyRun { run: which };
        let messages = transcripts::tau(&runs[which - 1]).ok_or(empty)?;
        for (index, message) in messages.into_iter().enumerate() {
            self.take(vec![(format!("message {}", index + 1), message)])?;
        }
        Ok(())
    }

    fn one(&mut self, what: &str, index: usize, text: &str) -> Parsed<()> {
        let name = format!("{what} {}", index + 1);
        let value = parse_json(text, &name)?;
        let value = match self.source {
            Source::Pi => transcripts::pi(&value),
            _ => Some(value),
        };
        match (value, self.source.format()) {
            (None, _) => Ok(()),
            (Some(value), Format::Responses) => {
                self.waiting.push((name, value));
                Ok(())
            }
            (Some(value), _) => self.take(vec![(name, value)]),
        }
    }

    fn flush(&mut self) -> Parsed<()> {
        let waiting = std::mem::take(&mut self.waiting);
        self.take(waiting)
    }

    fn take(&mut self, messages: Vec<(String, Json)>) -> Parsed<()> {
        let (names, messages): (Vec<_>, Vec<_>) = messages.into_iter().unzip();
        let error =
            |source: Malformed| InputRefusal::Malformed { at: names[source.index].clone(), source };
        let turns = parse(self.source.format(), messages).map_err(error)?;
        self.turns.extend(turns.into_iter().map(|turn| CountedTurn::of(turn, &count)));
        Ok(())
    }
}

/// Parses a JSON text. `at` names the text in errors.
fn parse_json(text: &str, at: &str) -> Parsed<Json> {
    Json::parse(text).map_err(|source| InputRefusal::NotJson { at: at.into(), source })
}

pub(crate) fn count(text: &str) -> i64 {
    i64::try_from(tokens::count(text)).unwrap_or(i64::MAX)
}
