//! The stored form of the index. Each text has a term vector ([`Bag`]). Once a run of texts is
//! complete, its term vectors are inverted into the rows of a segment: each row holds the postings
//! of the terms that share their first bits. All stores keep the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use ambit_text::terms::{TAIL, Term, terms_of};

use crate::ContentNo;

/// The number of texts that a segment spans.
pub const SPAN: i64 = 1 << 12;

/// The number of rows of terms in a segment.
pub const PARTS: i64 = 1 << 8;

/// The row of a segment that holds the lengths of its texts.
pub const HEADER: i64 = -1;

/// Returns the segment that a text belongs to.
pub fn segment_of(content: ContentNo) -> i64 {
    content.0.div_euclid(SPAN)
}

/// Returns the least number of a text in a segment.
pub fn first_of(segment: i64) -> ContentNo {
    ContentNo(segment.saturating_mul(SPAN))
}

/// The term vector of a text: its terms in order, with their counts and whether each is near the
/// text's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bag(Vec<u8>);

/// Bytes before the terms: the number of terms of the text, including repeated ones.
const LENGTH: usize = 4;
const ENTRY: usize = 5;
const LAST: u8 = 0x80;

impl Bag {
    pub fn of(text: &[u8]) -> Bag {
        let mut terms = terms_of(text);
        let length = terms.len();
        let mut tail = terms[length.saturating_sub(TAIL)..].to_vec();
        tail.sort_unstable();
        terms.sort_unstable();
        let mut bytes = Vec::with_capacity(LENGTH + terms.len() * ENTRY);
        bytes.extend_from_slice(&(length as u32).to_be_bytes());
        for same in terms.chunk_by(|a, b| a == b) {
            let last = if tail.binary_search(&same[0]).is_ok() { LAST } else { 0 };
            bytes.extend_from_slice(&same[0].0.to_be_bytes());
            bytes.push(same.len().min(usize::from(LAST) - 1) as u8 | last);
        }
        Bag(bytes)
    }

    pub fn from_bytes(bytes: Vec<u8>) -> Bag {
        Bag(bytes)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    pub fn length(&self) -> u32 {
        self.0.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes))
    }

    fn entries(&self) -> &[[u8; ENTRY]] {
        self.0.get(LENGTH..).unwrap_or_default().as_chunks().0
    }

    pub fn terms(&self) -> impl Iterator<Item = (Term, Count)> + '_ {
        self.entries().iter().map(read_entry)
    }

    /// Returns the rows of a segment that hold its terms.
    pub fn parts(&self) -> impl Iterator<Item = i64> + '_ {
        self.terms().map(|(term, _)| i64::from(term.0 >> 24))
    }

    pub fn count(&self, term: Term) -> Option<Count> {
        let entries = self.entries();
        let found = entries.binary_search_by_key(&term, |entry| read_entry(entry).0);
        found.ok().map(|at| read_entry(&entries[at]).1)
    }
}

fn read_entry(entry: &[u8; ENTRY]) -> (Term, Count) {
    let [a, b, c, d, count] = *entry;
    let term = Term(u32::from_be_bytes([a, b, c, d]));
    (term, Count { times: count & !LAST, last: count & LAST != 0 })
}

/// How often a text has a term, and whether the term is near the text's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub times: u8,
    pub last: bool,
}

/// The rows of a segment by their part; `HEADER` is one of them.
pub type PartRows = BTreeMap<i64, Vec<u8>>;

/// Inverts the term vectors of a segment's texts.
pub fn segment_rows(bags: &[(ContentNo, Bag)]) -> PartRows {
    let mut all: Vec<(u32, u16)> = Vec::new();
    let mut header = vec![0; SPAN as usize * 2];
    for (content, bag) in bags {
        let offset = content.0.rem_euclid(SPAN) as usize;
        let length = bag.length().min(u32::from(u16::MAX)) as u16;
        header[offset * 2..offset * 2 + 2].copy_from_slice(&length.to_be_bytes());
        all.extend(bag.terms().map(|(term, count)| (term.0, posting(offset as u16, count))));
    }
    all.sort_unstable();
    let mut rows = PartRows::from([(HEADER, header)]);
    for part in all.chunk_by(|a, b| a.0 >> 24 == b.0 >> 24) {
        let terms: Vec<_> = part.chunk_by(|a, b| a.0 == b.0).collect();
        let terms = terms.iter().map(|same| (same[0].0, same.iter().map(|it| it.1)));
        rows.insert(i64::from(part[0].0 >> 24), write_part(terms));
    }
    rows
}

/// A text of a segment and how often it has a term, in two bytes.
fn posting(offset: u16, count: Count) -> u16 {
    offset << 4 | u16::from(count.last) << 3 | u16::from(count.times.clamp(1, 8) - 1)
}

pub(super) fn read_posting(posting: &[u8; 2]) -> (u16, Count) {
    let posting = u16::from_be_bytes(*posting);
    let times = (posting & 7) as u8 + 1;
    (posting >> 4, Count { times, last: posting & 8 != 0 })
}

/// The texts of one term in a segment, in order.
pub(super) type Postings<'a> = &'a [[u8; 2]];

/// Bytes of a term in a part's list: the rest of its hash, and how many texts have it.
const LISTED: usize = 5;

fn write_part(
    terms: impl Iterator<Item = (u32, impl ExactSizeIterator<Item = u16>)> + Clone,
) -> Vec<u8> {
    let mut bytes = (terms.clone().count() as u32).to_be_bytes().to_vec();
    for (term, postings) in terms.clone() {
        bytes.extend_from_slice(&term.to_be_bytes()[1..]);
        bytes.extend_from_slice(&(postings.len() as u16).to_be_bytes());
    }
    for (_, postings) in terms {
        postings.for_each(|posting| bytes.extend_from_slice(&posting.to_be_bytes()));
    }
    bytes
}

/// Returns the terms of a part, each with its postings. Invalid bytes have none.
fn read_part(bytes: &[u8]) -> Vec<(u32, Postings<'_>)> {
    let Some((count, rest)) = bytes.split_first_chunk() else {
        return Vec::new();
    };
    let count = u32::from_be_bytes(*count) as usize;
    let Some((listed, postings)) = rest.split_at_checked(count.saturating_mul(LISTED)) else {
        return Vec::new();
    };
    let (mut postings, _) = postings.as_chunks();
    let mut terms = Vec::with_capacity(count);
    for [a, b, c, high, low] in listed.as_chunks().0 {
        let many = usize::from(u16::from_be_bytes([*high, *low]));
        let Some((own, others)) = postings.split_at_checked(many) else {
            break;
        };
        terms.push((u32::from_be_bytes([0, *a, *b, *c]), own));
        postings = others;
    }
    terms
}

/// Returns the postings of one term in a part's row; none if the bytes are invalid. Each search
/// calls it for every segment, so it does not allocate.
pub(super) fn postings_of(bytes: &[u8], term: Term) -> Postings<'_> {
    fn found(bytes: &[u8], term: Term) -> Option<Postings<'_>> {
        let (count, rest) = bytes.split_first_chunk()?;
        let count = u32::from_be_bytes(*count) as usize;
        let (listed, postings) = rest.split_at_checked(count.checked_mul(LISTED)?)?;
        let key = &term.0.to_be_bytes()[1..];
        let mut before = 0;
        for listed in listed.as_chunks::<LISTED>().0 {
            let many = usize::from(u16::from_be_bytes([listed[3], listed[4]]));
            if &listed[..3] == key {
                return postings.as_chunks().0.get(before..before + many);
            }
            before += many;
        }
        None
    }
    found(bytes, term).unwrap_or_default()
}

/// Returns how often one text of a segment has a term.
pub(super) fn posting_of(postings: Postings<'_>, offset: u16) -> Option<Count> {
    let at = postings.binary_search_by_key(&offset, |posting| read_posting(posting).0).ok()?;
    Some(read_posting(&postings[at]).1)
}

/// Returns the lengths of the texts of a segment, in order; 0 if there is no such text.
pub(super) fn lengths_in(header: &[u8]) -> impl Iterator<Item = u32> + '_ {
    header.as_chunks().0.iter().map(|bytes| u32::from(u16::from_be_bytes(*bytes)))
}

/// Returns the length of a text of a segment, if there is such a text.
pub(super) fn length_in(header: &[u8], offset: usize) -> Option<u32> {
    let bytes = header.get(offset * 2..offset * 2 + 2)?;
    Some(u32::from(u16::from_be_bytes([bytes[0], bytes[1]]))).filter(|length| *length > 0)
}

/// Removes some texts from a row of a segment. The row keeps its size, so its neighbours in the
/// store do not move.
pub fn without(part: i64, bytes: &[u8], gone: &BTreeSet<ContentNo>) -> Vec<u8> {
    let gone: BTreeSet<u16> = gone.iter().map(|it| it.0.rem_euclid(SPAN) as u16).collect();
    let mut kept = if part == HEADER {
        let mut header = bytes.to_vec();
        for offset in gone {
            if let Some(length) =
                header.get_mut(usize::from(offset) * 2..usize::from(offset) * 2 + 2)
            {
                length.fill(0);
            }
        }
        header
    } else {
        let mut terms = Vec::new();
        for (term, postings) in read_part(bytes) {
            let stays = |posting: &&[u8; 2]| !gone.contains(&read_posting(posting).0);
            let of = |posting: &[u8; 2]| u16::from_be_bytes(*posting);
            let postings: Vec<u16> = postings.iter().filter(stays).map(of).collect();
            if !postings.is_empty() {
                terms.push((term, postings));
            }
        }
        write_part(terms.iter().map(|(term, postings)| (*term, postings.iter().copied())))
    };
    kept.resize(bytes.len(), 0);
    kept
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Bag, HEADER, SPAN, length_in, posting_of, postings_of, segment_rows, without};
    use ambit_text::terms::Term;

    use crate::ContentNo;

    fn bags() -> Vec<(ContentNo, Bag)> {
        let text = |number: i64| format!("common word{number} {}", "twice ".repeat(2));
        let base = 7 * SPAN;
        (0..40).map(|it| (ContentNo(base + it * 3), Bag::of(text(it).as_bytes()))).collect()
    }

    #[test]
    fn a_bag_counts_terms_and_knows_the_last() {
        let bag = Bag::of(format!("first {} end end", "middle ".repeat(40)).as_bytes());
        let count = |word: &str| bag.count(Term::from(word.as_bytes())).unwrap();
        assert_eq!((count("first").times, count("first").last), (1, false));
        assert_eq!((count("middl").times, count("middl").last), (40, true));
        assert_eq!((count("end").times, count("end").last), (2, true));
        assert_eq!(bag.length(), 43);
        assert!(bag.count(Term::from(&b"other"[..])).is_none());
        assert!(Bag::of(b"...").is_empty());
        assert!(Bag::from_bytes(Vec::new()).is_empty());
    }

    #[test]
    fn a_segment_says_what_its_bags_say() {
        let bags = bags();
        let rows = segment_rows(&bags);
        for (content, bag) in &bags {
            let offset = content.0.rem_euclid(SPAN) as u16;
            assert_eq!(length_in(&rows[&HEADER], usize::from(offset)), Some(bag.length()));
            for (term, count) in bag.terms() {
                let row = &rows[&i64::from(term.0 >> 24)];
                assert_eq!(posting_of(postings_of(row, term), offset), Some(count));
            }
        }
        let common = Term::from(&b"common"[..]);
        assert_eq!(postings_of(&rows[&i64::from(common.0 >> 24)], common).len(), 40);
    }

    #[test]
    fn what_is_taken_out_of_a_segment_leaves_nothing_and_the_same_size() {
        let bags = bags();
        let rows = segment_rows(&bags);
        let gone: BTreeSet<_> = bags.iter().take(20).map(|(content, _)| *content).collect();
        let left = segment_rows(&bags[20..]);
        for (part, row) in &rows {
            let kept = without(*part, row, &gone);
            assert_eq!(kept.len(), row.len());
            // What is left is what would have been written, and nothing after it.
            let expected = left.get(part).cloned().unwrap_or_default();
            assert!(kept.starts_with(&expected), "part {part}");
            assert!(kept[expected.len()..].iter().all(|byte| *byte == 0), "part {part}");
        }
    }

    #[test]
    fn bytes_that_are_no_row_are_no_trouble() {
        for bytes in [&b""[..], b"\0", b"\xff\xff\xff\xff", b"\0\0\0\x02abc"] {
            let term = Term(0);
            assert_eq!(postings_of(bytes, term).len(), 0);
            assert_eq!(posting_of(postings_of(bytes, term), 1), None);
            assert_eq!(without(3, bytes, &BTreeSet::new()).len(), bytes.len());
            assert_eq!(length_in(bytes, 4_000), None);
        }
    }
}
