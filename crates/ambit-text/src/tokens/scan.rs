//! Splits text into the pieces that are merged independently.
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
//! where a contraction is `(?i:'s|'t|'re|'ve|'m|'ll|'d)`. It is written by hand because a
//! linear-time expression engine has no look-ahead, and because an engine would have to be
//! compiled in every process before its first count. Every character begins some piece, and each
//! character is read only a few times.

use super::layout::{
    BLOCK, STAGE,
    class::{LOWER, NEWLINE, NUMBER, SPACE, SYMBOL, UPPER},
};

const CLASSES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.bin"));

/// Returns the end of the piece that begins at `start`, a character boundary before the end of the
/// text.
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
            // A mark can lead a word like any symbol, but it is also a word by itself, and that
            // match of the first alternative precedes the second alternative.
            let end = if lower || first & LOWER == 0 { end } else { after };
            contraction_end(text, start, end)
        }
        _ if first & LOWER != 0 => contraction_end(text, start, after),
        _ if first & SYMBOL != 0 => symbols_end(text, after),
        _ if text[start] == b' ' && next & SYMBOL != 0 => symbols_end(text, after),
        _ => space_end(text, start),
    }
}

/// Returns the class of the character at a boundary and the next boundary; no class at the end.
#[inline]
fn class_at(text: &[u8], at: usize) -> (u8, usize) {
    match text.get(at) {
        // The class table begins with the ASCII block, because the stage is filled in order.
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

/// Returns the code point of the multi-byte character at a boundary, and the next boundary.
fn wide_char_at(text: &[u8], at: usize) -> (usize, usize) {
    let low = |index: usize| usize::from(text[at + index] & 0x3F);
    let lead = usize::from(text[at]);
    match lead {
        ..0xE0 => ((lead & 0x1F) << 6 | low(1), at + 2),
        0xE0..0xF0 => ((lead & 0x0F) << 12 | low(1) << 6 | low(2), at + 3),
        _ => ((lead & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3), at + 4),
    }
}

/// Returns the end of the letters of a word, and whether they match the first alternative, which
/// requires a lower-case letter, and not the second. The character at `start` must be of the word
/// classes.
#[inline]
fn letters_end(text: &[u8], start: usize) -> (usize, bool) {
    let mut end = start;
    // The last cut of the upper run that ends with a character that is both upper and lower: the
    // greedy upper run backtracks until the lower run gets a character.
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

/// Returns the end of the contraction that follows the word from `start` to `end`, or `end`.
#[inline]
fn contraction_end(text: &[u8], start: usize, end: usize) -> usize {
    if text.get(end) != Some(&b'\'') {
        return end;
    }
    let lower = |index: usize| text.get(end + index).map_or(0, u8::to_ascii_lowercase);
    match (lower(1), lower(2)) {
        (b's' | b't' | b'm' | b'd', _) => end + 2,
        (b'r' | b'v', b'e') | (b'l', b'l') => end + 3,
        // U+017F, the long s, which case folding also maps to "s".
        (0xC5, 0xBF) if !takes_plain_s_only(&text[start..end]) => end + 3,
        _ => end,
    }
}

/// Returns whether the `tiktoken` crate would not join a long s to this word. It scans words of
/// ASCII and of common East Asian characters by hand and looks only for ASCII contractions there;
/// other words go to its regular expression. These counts must equal the crate's.
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

/// Returns the end of a number whose first digit ends at `end`: at most three digits.
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

/// Returns the end of a run of symbols and the line ends and slashes after it.
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

/// Returns the end of a piece of white space: after the last line end of the run. Without a line
/// end, the piece ends before the last character of the run, which then leads the next piece,
/// unless it is the only character or the text ends with it.
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
