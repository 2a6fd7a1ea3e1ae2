//! Redaction: replaces secrets of a known shape with a mark that names the kind, before a text is
//! counted, hashed or stored.
//!
//! One pass from left to right. Each shape is decided by a bounded look-ahead, or by a run that no
//! other candidate reads again, so the time is linear for every text. Each search treats earlier
//! finds as already replaced by their marks, and requires no less than it replaces, so redacting
//! twice changes nothing.

mod find;
mod pem;
mod shapes;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use shapes::CONFIGURED;

/// The redaction settings of a vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    pub on: bool,
    /// Prefixes configured for the vault, separated by commas.
    pub also: Arc<str>,
}

impl Default for Redaction {
    fn default() -> Self {
        Redaction { on: true, also: "".into() }
    }
}

/// A text with its secrets replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    pub text: String,
    /// The kind of each secret, in order.
    pub found: Vec<&'static str>,
}

/// A secret in a text.
struct Found {
    at: Range<usize>,
    what: &'static str,
}

impl Redaction {
    /// Returns the text with marks instead of secrets, or None if there are none: then nothing is
    /// copied.
    pub fn redact(&self, text: &str) -> Option<Redacted> {
        if !self.on {
            return None;
        }
        let known = replace(text, known(text));
        if self.also.is_empty() {
            return known;
        }
        let own = self.own(known.as_ref().map_or(text, |known| &known.text));
        match (known, own) {
            (Some(known), Some(own)) => {
                Some(Redacted { text: own.text, found: [known.found, own.found].concat() })
            }
            (known, own) => own.or(known),
        }
    }

    /// Replaces secrets that begin with a configured prefix.
    fn own(&self, text: &str) -> Option<Redacted> {
        let prefixes: Vec<&[u8]> = self.also.split(',').map(str::as_bytes).collect();
        let mut begins = [false; 256];
        prefixes
            .iter()
            .filter_map(|prefix| prefix.first())
            .for_each(|b| begins[*b as usize] = true);
        let bytes = text.as_bytes();
        let (mut at, mut done, mut found) = (0, 0, Vec::new());
        while at < bytes.len() {
            let end = if begins[bytes[at] as usize] && find::begins_word(bytes, at, done) {
                prefixes.iter().find_map(|prefix| find::own(bytes, at, prefix))
            } else {
                None
            };
            if let Some(end) = end {
                found.push(Found { at: at..end, what: CONFIGURED });
                done = end;
            }
            at = end.unwrap_or(at + 1);
        }
        replace(text, found)
    }
}

/// The largest number of prefixes of a vault, and the bounds of their length.
const PREFIXES_MAX: usize = 32;
const PREFIX_BYTES: std::ops::RangeInclusive<usize> = 3..=64;

/// Why a list of prefixes is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrefixError {
    /// The first prefix that is too short, too long or has invalid characters.
    Malformed(String),
    TooMany(usize),
}

impl fmt::Display for PrefixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrefixError::Malformed(prefix) => write!(f, "invalid prefix of a secret {prefix:?}"),
            PrefixError::TooMany(count) => {
                write!(f, "{count} prefixes are more than {PREFIXES_MAX}")
            }
        }
    }
}

impl std::error::Error for PrefixError {}

/// Checks a comma-separated list of prefixes.
pub fn check_prefixes(list: &str) -> Result<(), PrefixError> {
    let good = |prefix: &str| {
        PREFIX_BYTES.contains(&prefix.len())
            && prefix.starts_with(|c: char| c.is_ascii_alphanumeric())
            && prefix.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
    };
    let count = list.split(',').count();
    match list.split(',').find(|prefix| !good(prefix)) {
        Some(prefix) => Err(PrefixError::Malformed(prefix.to_string())),
        None if count > PREFIXES_MAX => Err(PrefixError::TooMany(count)),
        None => Ok(()),
    }
}

/// Returns the secrets of known shapes in a text, in order, without overlaps.
fn known(text: &str) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut found: Vec<Found> = Vec::new();
    // A URL's password is found before its user, which may also contain a secret.
    let mut password: Option<Range<usize>> = None;
    let (mut at, mut done) = (0, 0);
    while let Some(next) = bytes[at..].iter().position(|byte| shapes::is_trigger(*byte)) {
        at += next;
        if let Some(range) = password.take_if(|range| range.start <= at) {
            (at, done) = (range.end, range.end);
            found.push(Found { at: range, what: shapes::PASSWORD });
            continue;
        }
        if bytes[at] == b':' && password.is_none() {
            password = find::password(bytes, at);
        }
        let Some(mut secret) = find::secret(bytes, at, done) else {
            at += 1;
            continue;
        };
        if let Some(range) = password.take_if(|range| range.start < secret.at.end) {
            secret.at.end = secret.at.end.max(range.end);
        }
        (at, done) = (secret.at.end, secret.at.end);
        found.push(secret);
    }
    found.extend(password.map(|at| Found { at, what: shapes::PASSWORD }));
    found
}

/// Replaces each find with its mark.
fn replace(text: &str, found: Vec<Found>) -> Option<Redacted> {
    if found.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    for secret in &found {
        out.push_str(&text[kept..secret.at.start]);
        out.push_str("[redacted: ");
        out.push_str(secret.what);
        out.push(']');
        kept = secret.at.end;
    }
    out.push_str(&text[kept..]);
    Some(Redacted { text: out, found: found.into_iter().map(|secret| secret.what).collect() })
}

/// Describes what was redacted: `a GitHub token was redacted`, `2 JWTs were redacted`.
pub fn in_words(found: &[&'static str]) -> Vec<String> {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for what in found {
        match kinds.iter_mut().find(|(known, _)| known == what) {
            Some((_, count)) => *count += 1,
            None => kinds.push((what, 1)),
        }
    }
    let sound = |what: &str| what.starts_with(['A', 'O', 'a', 'o']) || what.starts_with("npm");
    let words = |(what, count): (&str, usize)| match count {
        1 if sound(what) => format!("an {what} was redacted"),
        1 => format!("a {what} was redacted"),
        _ => format!("{count} {what}s were redacted"),
    };
    kinds.into_iter().map(words).collect()
}
