//! Cuts text into the pieces that are merged on their own.
//!
//! The pieces are those of the vocabulary's pre-tokenisation pattern (alternatives in order,
//! the first that matches wins):
//!
//! ```text
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(contraction)?
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(contraction)?
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```
//!
//! where a contraction is `(?i:'s|'t|'re|'ve|'m|'ll|'d)`. It is written out by hand because
//! the look-ahead is beyond a linear-time expression engine, and because an engine would have
//! to be compiled in every process before its first count. Every character begins some piece,
//! and no character is looked at more than a few times.

use super::layout::{
    BLOCK, STAGE,
    class::{LOWER, NEWLINE, NUMBER, SPACE, SYMBOL, UPPER},
};

const CLASSES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.bin"));

/// End of the piece that begins at `start`, a character boundary before the end of the text.
#[inline]
pub fn piece_end(text: &[u8], start: usize) -> usize {
    let (first, after) = class_at(text, start);
    let (next, _) = class_at(text, after);
    match first {
        _ if first & (UPPER | LOWER) != 0 && first & SYMBOL == 0 => {
            contraction_end(text, start, letters_end(text, start).0)
        }
        NUMBER => number_end(text, after),
        _ if first & NEWLINE == 0 && next & (UPPER | LOWER) != 0 => {
            let (end, lower) = letters_end(text, after);
            // A mark leads a word as any symbol does, but it is also a word by itself, and
            // that match of the first alternative comes before the second alternative.
            let end = if lower || first & LOWER == 0 { end } else { after };
            contraction_end(text, start, end)
        }
        _ if first & LOWER != 0 => contraction_end(text, start, after),
        _ if first & SYMBOL != 0 => symbols_end(text, after),
        _ if text[start] == b' ' && next & SYMBOL != 0 => symbols_end(text, after),
        _ => space_end(text, start),
    }
}

/// Class of the character at a boundary and the boundary after it; no class at the end.
#[inline]
fn class_at(text: &[u8], at: usize) -> (u8, usize) {
    match text.get(at) {
        // The class table begins with the block of ASCII, for the stage is filled in order.
        Some(&byte) if byte < 0x80 => (CLASSES[STAGE + usize::from(byte)], at + 1),
        Some(_) => wide_class_at(text, at),
        None => (0, at),
    }
}

fn wide_class_at(text: &[u8], at: usize) -> (u8, usize) {
    let (code, after) = wide_char_at(text, at);
    let block = usize::from(CLASSES[code / BLOCK]);
    (CLASSES[STAGE + block * BLOCK + code % BLOCK], after)
}

/// Number of the character of several bytes at a boundary, and the boundary after it.
fn wide_char_at(text: &[u8], at: usize) -> (usize, usize) {
    let low = |index: usize| usize::from(text[at + index] & 0x3F);
    let lead = usize::from(text[at]);
    match lead {
        ..0xE0 => ((lead & 0x1F) << 6 | low(1), at + 2),
        0xE0..0xF0 => ((lead & 0x0F) << 12 | low(1) << 6 | low(2), at + 3),
        _ => ((lead & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3), at + 4),
    }
}

/// End of the letters of a word, and whether they match the first alternative (which wants a
/// lower one) rather than the second. The character at `start` must be of the word classes.
#[inline]
fn letters_end(text: &[u8], start: usize) -> (usize, bool) {
    let mut end = start;
    // Where the upper run can be cut so that a character that is both upper and lower is last:
    // the greedy upper run gives characters back until the lower run gets one.
    let mut cut = None;
    loop {
        let (class, after) = class_at(text, end);
        if class & UPPER == 0 {
            if class & LOWER != 0 {
                return (lower_end(text, after), true);
            }
            return (cut.unwrap_or(end), cut.is_some());
        }
        end = after;
        if class & LOWER != 0 {
            cut = Some(end);
        }
    }
}

#[inline]
fn lower_end(text: &[u8], mut end: usize) -> usize {
    loop {
        let (class, after) = class_at(text, end);
        if class & LOWER == 0 {
            return end;
        }
        end = after;
    }
}

/// End of the contraction that follows the word from `start` to `end`, else `end` again.
#[inline]
fn contraction_end(text: &[u8], start: usize, end: usize) -> usize {
    if text.get(end) != Some(&b'\'') {
        return end;
    }
    let lower = |index: usize| text.get(end + index).map_or(0, u8::to_ascii_lowercase);
    match (lower(1), lower(2)) {
        (b's' | b't' | b'm' | b'd', _) => end + 2,
        (b'r' | b'v', b'e') | (b'l', b'l') => end + 3,
        // U+017F, the long s, whose other case is "s" too.
        (0xC5, 0xBF) if !takes_plain_s_only(&text[start..end]) => end + 3,
        _ => end,
    }
}

/// Whether the `tiktoken` crate, which these counts are to equal, joins no long s to a word:
/// it scans words of ASCII and of the common East Asian characters by hand, and looks for the
/// ASCII contractions alone there, while any other word goes to its regular expression.
#[cold]
fn takes_plain_s_only(word: &[u8]) -> bool {
    let mut at = 0;
    while at < word.len() {
        let (code, after) = match word[at] {
            byte if byte < 0x80 => (usize::from(byte), at + 1),
            _ => wide_char_at(word, at),
        };
        let by_hand = matches!(code,
            ..0x80
            | 0x2014 | 0x2018..=0x201D | 0x2025..=0x2026
            | 0x3000..=0x3004 | 0x3008..=0x3020 | 0x3030 | 0x3036 | 0x303D
            | 0x3041..=0x3096 | 0x309D..=0x30FF
            | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3
            | 0xFF01..=0xFF0F | 0xFF1A..=0xFF9F);
        if !by_hand {
            return false;
        }
        at = after;
    }
    true
}

/// End of a number whose first digit ends at `end`: it has three digits at most.
#[inline]
fn number_end(text: &[u8], mut end: usize) -> usize {
    for _ in 0..2 {
        let (class, after) = class_at(text, end);
        if class & NUMBER == 0 {
            break;
        }
        end = after;
    }
    end
}

/// End of a run of symbols and the line ends and slashes after it.
#[inline]
fn symbols_end(text: &[u8], mut end: usize) -> usize {
    loop {
        let (class, after) = class_at(text, end);
        if class & SYMBOL == 0 {
            break;
        }
        end = after;
    }
    while let Some(b'\r' | b'\n' | b'/') = text.get(end) {
        end += 1;
    }
    end
}

/// End of a piece of white space: after the last line end of the run; if there is none, before
/// the last character of the run, which then leads the next piece, unless it is the only one
/// or the text ends with it.
#[inline]
fn space_end(text: &[u8], start: usize) -> usize {
    let mut line_end = None;
    let mut last = start;
    let mut end = start;
    loop {
        let (class, after) = class_at(text, end);
        if class & SPACE == 0 {
            break;
        }
        (last, end) = (end, after);
        if class & NEWLINE != 0 {
            line_end = Some(end);
        }
    }
    match line_end {
        Some(line_end) => line_end,
        None if last == start || end == text.len() => end,
        None => last,
    }
}
