//! Snippets: the part of a text with most of the query's words, shown with a search result.

use std::collections::BTreeSet;
use std::ops::Range;

use ambit_text::terms::{Term, runs, words};

use super::find::Query;

/// The number of bytes of a text that are searched, because every result needs a snippet at once.
const LOOK_MAX: usize = 32 << 10;

/// The number of characters shown before the first word that was found.
const LEAD: usize = 24;

/// A part of a text in one line, and the ranges of bytes in it that are words of the query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    pub marks: Vec<Range<usize>>,
}

/// Returns a snippet of a text with about `chars` characters.
pub fn snippet(text: &str, query: &Query, chars: usize) -> Snippet {
    let look = &text[..text.floor_char_boundary(LOOK_MAX)];
    let found = found(look, query);
    let start = best(look, query, &found, chars);
    let mut out = Snippet::default();
    if start > 0 {
        out.text.push('…');
    }
    let mut length = 0;
    let mut marks = found.iter().skip_while(|it| it.place.end <= start).peekable();
    let mut from = None;
    for (at, c) in text[start..].char_indices() {
        let at = start + at;
        while let Some(mark) = marks.next_if(|it| it.place.end <= at) {
            let _ = mark;
            out.marks.extend(from.take().map(|from| from..out.text.len()));
        }
        if length == chars {
            out.marks.extend(from.take().map(|from| from..out.text.len()));
            out.text.push('…');
            return out;
        }
        if marks.peek().is_some_and(|it| it.place.start == at) {
            from = Some(out.text.len());
        }
        // The snippet is one line without runs of spaces.
        let space = c.is_whitespace() || c == '\0';
        if !(space && (out.text.is_empty() || out.text.ends_with([' ', '…']))) {
            out.text.push(if space { ' ' } else { c });
            length += 1;
        }
    }
    out.marks.extend(from.map(|from| from..out.text.len()));
    out.text.truncate(out.text.trim_end().len());
    out
}

struct Found {
    place: Range<usize>,
    words: BTreeSet<usize>,
}

/// Returns the positions of the query's words.
fn found(text: &str, query: &Query) -> Vec<Found> {
    let mut all = Vec::new();
    for (start, run) in runs(text) {
        let mut here = BTreeSet::new();
        words(run.as_bytes(), &mut |word| {
            let term = Term::from(word);
            here.extend(query.words.iter().position(|it| it.term == term));
        });
        if !here.is_empty() {
            all.push(Found { place: start..start + run.len(), words: here });
        }
    }
    all
}

/// The weight of a word relative to a stop word.
const WORD: usize = 8;

/// Returns the start of a snippet with the most words of the query.
fn best(text: &str, query: &Query, found: &[Found], chars: usize) -> usize {
    let worth = |word: &usize| if query.words[*word].is_stop_word() { 1 } else { WORD };
    // Some of the characters are used before the first word.
    let room = chars.saturating_sub(LEAD);
    let mut best = (0, 0);
    for (at, first) in found.iter().enumerate() {
        let near = found[at..].iter().take_while(|it| it.place.end - first.place.start <= room);
        let words: BTreeSet<_> = near.flat_map(|it| it.words.iter().copied()).collect();
        let worth = words.iter().map(worth).sum();
        if worth > best.0 {
            best = (worth, first.place.start);
        }
    }
    let before = text[..best.1].char_indices().rev().take(LEAD);
    let start = before.last().map_or(0, |(at, _)| at);
    // Starts at the beginning of a word if one is near.
    match text[start..best.1].find(char::is_whitespace) {
        Some(space) if start > 0 => start + space + 1,
        _ => start,
    }
}

#[cfg(test)]
mod tests {
    use super::snippet;
    use crate::search::Query;

    fn shown(text: &str, query: &str, chars: usize) -> String {
        let found = snippet(text, &Query::of(query), chars);
        let mut out = found.text.clone();
        for mark in found.marks.iter().rev() {
            out.insert(mark.end, ']');
            out.insert(mark.start, '[');
        }
        out
    }

    #[test]
    fn the_piece_with_most_words_is_shown_and_they_are_marked() {
        let filler = "nothing of note here. ".repeat(20);
        let table = [
            ("a short text", "text", "a short [text]"),
            ("two\n\n lines\u{0}of it", "lines", "two [lines] of it"),
            ("no word of it", "absent", "no word of it"),
            ("", "x", ""),
            ("see src/lib.rs:42 now", "lib.rs", "see [src/lib.rs:42] now"),
        ];
        for (text, query, expected) in table {
            assert_eq!(shown(text, query, 60), expected);
        }
        let long = format!("session {filler} the session ttl is one {filler}");
        let piece = shown(&long, "ttl of the session", 40);
        assert!(piece.contains("[session] [ttl]"), "{piece}");
        assert!(piece.starts_with('…') && piece.ends_with('…'), "{piece}");
        let wide = format!("{}é", "漢字".repeat(200));
        assert!(shown(&wide, "é", 20).chars().count() < 60);
    }

    #[test]
    fn long_texts_cost_little() {
        let long = "word ".repeat(1 << 20);
        assert!(snippet(&long, &Query::of("word"), 100).text.chars().count() <= 102);
    }
}
