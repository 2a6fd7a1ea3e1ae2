//! Reads back a part of a text: a range of bytes, some lines, or the lines that match a pattern.
//! Each answer has at most `read_tokens_max` tokens and names the next part.

use ambit_core::{Key, Needs, ScopeNo, Via};
use regex::RegexBuilder;
use serde::Serialize;

use crate::conversation::messages::count;
use crate::conversation::reading::find;
use crate::engine::{Caller, read_state};
use crate::{Engine, PartRefusal, ReadAnswer, Result};

/// A part of a text. Byte ranges count from 0 and exclude their end; line ranges count from 1 and
/// include it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Part {
    #[default]
    Start,
    Bytes {
        from: usize,
        to: Option<usize>,
    },
    Lines {
        from: usize,
        to: Option<usize>,
    },
    /// Lines that match the pattern, starting at line `from`.
    Grep {
        pattern: String,
        from: usize,
    },
}

/// Describes the part of a text that was read.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct PartAnswer {
    pub id: String,
    pub handle: String,
    /// The size of the whole text.
    pub bytes: i64,
    pub lines: i64,
    pub tokens: i64,
    /// The part, as the arguments of `read` name it.
    pub part: String,
    pub text: String,
    /// The next part to request; null at the end.
    pub next: Option<String>,
}

/// The size limit of a compiled pattern.
const PATTERN_BYTES_MAX: usize = 1 << 20;

impl Part {
    /// Parses `A..B`, `A..` or `..B`.
    pub fn bytes(text: &str) -> Result<Part> {
        let (from, to) = range(text, || PartRefusal::Bytes { text: text.into() })?;
        Ok(Part::Bytes { from: from.unwrap_or(0), to })
    }

    /// Parses `A..B`, `A..`, `..B`, or one line number.
    pub fn lines(text: &str) -> Result<Part> {
        if let Ok(line) = text.parse() {
            return Ok(Part::Lines { from: line, to: Some(line) });
        }
        let (from, to) = range(text, || PartRefusal::Lines { text: text.into() })?;
        Ok(Part::Lines { from: from.unwrap_or(1), to })
    }
}

fn range(text: &str, bad: impl Fn() -> PartRefusal) -> Result<(Option<usize>, Option<usize>)> {
    let number = |word: &str| match word.trim() {
        "" => Ok(None),
        word => word.parse().map(Some).map_err(|_| bad()),
    };
    let (from, to) = text.split_once("..").ok_or_else(&bad)?;
    let (from, to) = (number(from)?, number(to)?);
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(bad().into()),
        range => Ok(range),
    }
}

impl Engine {
    /// Reads a handle, a block, a turn or a note, at most `read_tokens_max` tokens. Returns the
    /// whole text if it fits and no part was requested.
    pub fn read_part(&self, caller: &Caller, handle: &str, part: &Part) -> Result<ReadAnswer> {
        let needs = Needs::of(&self.context(caller));
        let (whole, cap) = self.read(caller, &mut |snapshot| {
            let state = read_state(snapshot, &needs)?;
            let cap = state.settings.get(ScopeNo::VAULT, Key::ReadTokensMax);
            Ok((find(snapshot, handle)?, cap))
        })?;
        let (id, handle, text, tokens) = match &whole {
            ReadAnswer::Block(it) => (&it.id, &it.handle, it.text.as_str(), it.tokens),
            ReadAnswer::Note(it) => (&it.hash, &it.hash, it.message.as_str(), count(&it.message)),
            ReadAnswer::Turn { id, message } => (id, id, message.get(), count(message.get())),
            ReadAnswer::Snapshot(_) | ReadAnswer::Part(_) => return Ok(whole),
        };
        if *part == Part::Start && tokens <= cap {
            return Ok(whole);
        }
        let Cut { part, text: cut, next } = match part {
            Part::Start => bytes(text, 0, None, cap)?,
            Part::Bytes { from, to } => bytes(text, *from, *to, cap)?,
            Part::Lines { from, to } => lines(text, *from, *to, cap)?,
            Part::Grep { pattern, from } => grep(text, pattern, *from, cap)?,
        };
        // Tools have arguments without dashes.
        let named = |part: String| match caller.via {
            Via::Mcp => part.replace("--", ""),
            Via::Cli | Via::Library => part,
        };
        Ok(ReadAnswer::Part(PartAnswer {
            id: id.clone(),
            handle: handle.clone(),
            bytes: text.len() as i64,
            lines: text.lines().count() as i64,
            tokens,
            part: named(part),
            text: cut,
            next: next.map(named),
        }))
    }
}

struct Cut {
    part: String,
    text: String,
    next: Option<String>,
}

fn bytes(text: &str, from: usize, to: Option<usize>, cap: i64) -> Result<Cut> {
    let size = text.len();
    if from > size || (from == size && from > 0) {
        return Err(PartRefusal::PastBytes { byte: from, bytes: size }.into());
    }
    let to = to.unwrap_or(size).min(size);
    for at in [from, to] {
        if !text.is_char_boundary(at) {
            let begin = text.floor_char_boundary(at);
            return Err(PartRefusal::InsideCharacter { byte: at, begin }.into());
        }
    }
    let end = from + fitting(&text[from..to], cap);
    Ok(Cut {
        part: format!("--range {from}..{end}"),
        text: text[from..end].to_string(),
        next: (end < to).then(|| format!("--range {end}..{to}")),
    })
}

/// Returns how many bytes of a text fit into `cap` tokens: at least one character.
fn fitting(text: &str, cap: i64) -> usize {
    if count(text) <= cap {
        return text.len();
    }
    // The token count is almost monotonic in the length, so bisection finds a cut that fits.
    let (mut fits, mut over) = (0, text.len());
    while over - fits > 16 {
        let middle = text.floor_char_boundary(fits + (over - fits) / 2);
        if middle <= fits {
            break;
        }
        match count(&text[..middle]) <= cap {
            true => fits = middle,
            false => over = middle,
        }
    }
    fits.max(text.ceil_char_boundary(1))
}

/// Returns where each line begins, and the text's end.
fn starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    if starts.last() != Some(&text.len()) {
        starts.push(text.len());
    }
    starts
}

fn lines(text: &str, from: usize, to: Option<usize>, cap: i64) -> Result<Cut> {
    let starts = starts(text);
    let count_of = starts.len() - 1;
    if from == 0 || from > count_of {
        return Err(PartRefusal::PastLines { line: from, lines: count_of }.into());
    }
    let to = to.unwrap_or(count_of).min(count_of);
    let whole = &text[starts[from - 1]..starts[to]];
    let fits = fitting(whole, cap);
    if fits == whole.len() {
        let part = format!("--lines {from}..{to}");
        return Ok(Cut { part, text: whole.to_string(), next: None });
    }
    // Lines stay whole. A single line over the cap is cut by bytes.
    let end = starts[from - 1] + fits;
    let last = starts.partition_point(|start| *start <= end) - 1;
    if last < from {
        return bytes(text, starts[from - 1], Some(starts[from]), cap);
    }
    Ok(Cut {
        part: format!("--lines {from}..{last}"),
        text: text[starts[from - 1]..starts[last]].to_string(),
        next: Some(format!("--lines {}..{to}", last + 1)),
    })
}

fn grep(text: &str, pattern: &str, from: usize, cap: i64) -> Result<Cut> {
    let matches = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build();
    let bad = |source| PartRefusal::Pattern { pattern: pattern.into(), source };
    let matches = matches.map_err(bad)?;
    let mut out = String::new();
    let mut left = cap;
    for (number, line) in (1..).zip(text.lines()).skip(from.saturating_sub(1)) {
        if !matches.is_match(line) {
            continue;
        }
        let shown = format!("{number}: {}\n", &line[..fitting(line, cap)]);
        left -= count(&shown);
        if left < 0 && !out.is_empty() {
            let part = format!("--grep from line {from}");
            let next = Some(format!("--grep … --lines {number}.."));
            return Ok(Cut { part, text: out, next });
        }
        out += &shown;
    }
    Ok(Cut { part: format!("--grep from line {from}"), text: out, next: None })
}
