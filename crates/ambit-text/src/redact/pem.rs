//! Private keys in PEM format: with line feeds or escaped ones, concatenated in code, as a JSON
//! list of lines, or truncated.

use super::Found;
use super::find::{near, run, until};
use super::shapes::{ENCODED, PRIVATE_KEY};

/// Finds the key whose first line ends with the dashes at `at`.
pub(super) fn private_key(bytes: &[u8], at: usize, done: usize) -> Option<Found> {
    const LABEL_MAX: usize = 48;
    let start = at.checked_sub(4).filter(|start| *start >= done)?;
    let label = at + 1;
    if !bytes[label..].starts_with(b"BEGIN ") || &bytes[start..label] != b"-----" {
        return None;
    }
    let ends = |byte: u8| !byte.is_ascii_uppercase() && !byte.is_ascii_digit() && byte != b' ';
    let end = until(near(bytes, label, LABEL_MAX), label, ends);
    let label = &bytes[label..end];
    let private = label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK");
    if !private || !bytes[end..].starts_with(b"-----") {
        return None;
    }
    let end = lines(bytes, end + 5)?;
    Some(Found { at: start..end, what: PRIVATE_KEY })
}

/// Returns where a key's lines end, or None if no key follows, as in prose about keys.
fn lines(bytes: &[u8], from: usize) -> Option<usize> {
    /// The minimum length of a key's line, except the last.
    const LINE_MIN: usize = 16;
    /// The maximum number of shorter words in a key's header.
    const WORDS_MAX: usize = 24;
    let (mut at, mut end) = (from, None);
    let (mut any, mut short, mut quoted, mut bare) = (false, 0, false, false);
    loop {
        let gap = gap(bytes, at);
        at = gap.end;
        quoted |= gap.quote;
        bare |= gap.bare;
        if gap.quote && gap.colon {
            // This gap separates a name from its value: not a list of lines.
            return end;
        }
        if bytes[at..].starts_with(b"-----END") {
            let ends = |byte: u8| !byte.is_ascii_alphanumeric() && byte != b' ';
            let label = until(near(bytes, at, 64), at + 5, ends);
            let whole = bytes[label..].starts_with(b"-----");
            let good = whole && any && (!bare || ends_a_value(bytes, label + 5));
            return if good { Some(label + 5) } else { end };
        }
        let word = run(bytes, at, ENCODED);
        match word - at {
            0 => return end,
            1..LINE_MIN if short == WORDS_MAX => return end,
            1..LINE_MIN => short += 1,
            _ => {
                any = true;
                // After a quote, only the key's last line proves that the key continues.
                end = if quoted { end } else { Some(word) };
            }
        }
        at = word;
    }
}

/// What separates two words of a key.
struct Gap {
    end: usize,
    quote: bool,
    /// A double quote without a backslash: in JSON, the end of a string.
    bare: bool,
    colon: bool,
}

fn gap(bytes: &[u8], from: usize) -> Gap {
    let mut gap = Gap { end: from, quote: false, bare: false, colon: false };
    while let Some(byte) = bytes.get(gap.end) {
        gap.end += match (byte, bytes.get(gap.end + 1)) {
            (b'-', _) if bytes[gap.end..].starts_with(b"-----") => return gap,
            (b'\\', Some(b'n' | b'r' | b't' | b'\\')) => 2,
            (b'"' | b'\'' | b'`', _) => {
                gap.quote = true;
                gap.bare |= *byte == b'"';
                1
            }
            (b'\\', Some(b'"')) => {
                gap.quote = true;
                2
            }
            (b':', _) => {
                gap.colon = true;
                1
            }
            (b'\\' | b'-' | b',' | b'.' | b'(' | b')', _) => 1,
            _ if byte.is_ascii_whitespace() => 1,
            _ => return gap,
        };
    }
    gap
}

/// Returns whether a JSON string ends here and is not a name. Only then can the list items before
/// it be removed without breaking the JSON.
fn ends_a_value(bytes: &[u8], from: usize) -> bool {
    const NEAR: usize = 32;
    let near = near(bytes, from, NEAR);
    let blank = |byte: u8| byte.is_ascii_whitespace();
    let quote = until(near, from, |byte| !blank(byte) && !matches!(byte, b'\\' | b'n' | b'r'));
    let after = until(near, quote + 1, |byte| !blank(byte));
    near.get(quote) == Some(&b'"')
        && near[quote - 1] != b'\\'
        && after < from + NEAR
        && near.get(after) != Some(&b':')
}
