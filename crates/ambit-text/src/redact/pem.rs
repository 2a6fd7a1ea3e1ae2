//! Private keys as PEM has them: their lines ended by line feeds or by the escapes of those, joined
//! as code joins them, listed as JSON lists them, or cut off.

use super::Found;
use super::find::{near, run, until};
use super::shapes::{ENCODED, PRIVATE_KEY};

/// The key whose first line's dashes end here.
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

/// Where a key's lines end. None where there are none: somebody only writes about keys.
fn lines(bytes: &[u8], from: usize) -> Option<usize> {
    /// So long is a line of a key at least, but for its last.
    const LINE_MIN: usize = 16;
    /// So many shorter words may stand in a key's head.
    const WORDS_MAX: usize = 24;
    let (mut at, mut end) = (from, None);
    let (mut any, mut short, mut quoted, mut bare) = (false, 0, false, false);
    loop {
        let gap = gap(bytes, at);
        at = gap.end;
        quoted |= gap.quote;
        bare |= gap.bare;
        if gap.quote && gap.colon {
            // From a name to its value: no list of lines.
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
                // Behind a quote only the key's last line tells that this is still the key.
                end = if quoted { end } else { Some(word) };
            }
        }
        at = word;
    }
}

/// What lies between two words of a key.
struct Gap {
    end: usize,
    quote: bool,
    /// A double quote without a backslash: where the text is JSON, one of its strings ends.
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

/// Whether a string of JSON ends here and is no name: only then can what stands before it be taken
/// out of a list, and JSON stays JSON.
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
