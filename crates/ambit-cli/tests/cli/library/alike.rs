//! Whether two answers are alike: the same data, with the same names for what has another name in
//! every run.

use std::collections::HashMap;

use serde_json::Value;

use crate::place::Place;

/// What was seen in one place, in the order in which it was: ids, hashes, handles and moments. The
/// first of them is the first in the other place too, so what refers to it has to agree.
pub struct Names {
    /// Where the store lies, and what stands for it.
    places: Vec<(String, &'static str)>,
    seen: HashMap<String, usize>,
}

impl Names {
    pub fn of(place: &Place) -> Names {
        let folder = place.path().canonicalize().unwrap();
        let mut places: Vec<_> =
            [place.path(), &folder].map(|path| (format!("{}/", path.display()), "")).to_vec();
        places.extend(place.server().map(|server| {
            let location = ambit::Location::parse(server).unwrap();
            (location.to_string(), "the server")
        }));
        Names { places, seen: HashMap::new() }
    }

    fn named(&mut self, sort: &str, name: &str) -> String {
        let next = self.seen.len();
        format!("<{sort} {}>", self.seen.entry(name.to_string()).or_insert(next))
    }

    /// A text with its own names for what has another one in every run.
    fn text(&mut self, text: &str) -> String {
        let mut text = text.to_string();
        for (place, name) in &self.places {
            text = text.replace(place, name);
        }
        let mut out = String::new();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let word = rest.find(|c| !part_of_a_name(c)).unwrap_or(rest.len());
            out += &match sort(&rest[..word]) {
                // The digits by which people call a note are the first of its hash.
                Some("hash") => self.named("hash", &rest[..SHORT]) + &word.to_string(),
                Some(sort) => self.named(sort, &rest[..word]),
                None => rest[..word].to_string(),
            };
            let gap = rest[word..].find(part_of_a_name).map_or(rest.len(), |gap| word + gap);
            out += &rest[word..gap];
            rest = &rest[gap..];
        }
        out
    }

    /// Goes over all texts of an answer, in their order.
    fn go_over(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.go_over(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.go_over(field)),
            _ => {}
        }
    }
}

/// How many digits of a hash a note is called by.
const SHORT: usize = 7;

fn part_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-.:".contains(c)
}

/// What a word is, where it is another one in every run.
fn sort(word: &str) -> Option<&'static str> {
    let hex = |word: &str| word.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
    let digits = |word: &str| !word.is_empty() && word.bytes().all(|c| c.is_ascii_digit());
    if hex(word) && [SHORT, 32, 64].contains(&word.len()) {
        return Some("hash");
    }
    if word.len() == 24 && word.ends_with('Z') && word.as_bytes()[10] == b'T' {
        return Some("moment");
    }
    if let Some((kind, id)) = word.split_once('_')
        && (kind.len(), id.len()) == (3, 36)
    {
        return Some("id");
    }
    let (block, key) = word.split_once('-')?;
    let (turn, number) = block.split_once('.')?;
    (digits(turn) && digits(number) && key.len() == 4 && hex(key)).then_some("handle")
}

/// Numbers that hang on the digits of the notes' hashes, which are shown to a model and counted.
const COUNTED: [&str; 6] = ["tokens", "shown", "sum", "stable_prefix_tokens", "cached", "uncached"];

/// By how much they may differ for each note: seven digits are one token at least and seven at
/// most, and what is written to a prompt cache costs a quarter more.
const TOKENS_PER_NOTE: i64 = 8;

/// Fails where two answers differ in what does not differ from run to run. So many notes were
/// written before them.
pub fn check(
    names: &mut (Names, Names),
    (mut here, mut there): (Value, Value),
    notes: i64,
    at: &str,
) {
    names.0.go_over(&mut here);
    names.1.go_over(&mut there);
    if let Some(what) = difference(&here, &there, notes * TOKENS_PER_NOTE) {
        panic!("{at}: the program and the library differ at {what}\nin {here}\nand {there}");
    }
}

/// The first place where two answers differ, and how.
fn difference(here: &Value, there: &Value, slack: i64) -> Option<String> {
    match (here, there) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().zip(b.values()).find_map(|((name, here), there)| {
                if let (Some(a), Some(b)) = (here.as_i64(), there.as_i64())
                    && COUNTED.contains(&name.as_str())
                    && (a - b).abs() <= slack
                {
                    return None;
                }
                difference(here, there, slack).map(|what| format!(".{name}{what}"))
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            (0..).zip(a.iter().zip(b)).find_map(|(index, (here, there)): (usize, _)| {
                difference(here, there, slack).map(|what| format!(".{index}{what}"))
            })
        }
        _ => (here != there).then(|| format!(": {here} and {there}")),
    }
}
