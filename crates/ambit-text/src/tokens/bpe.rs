//! Counts the tokens of one piece by byte-pair merging, lowest rank first.
//!
//! A piece starts as single bytes. The neighbours whose union has the lowest rank (the leftmost of
//! equals) are joined until no union is a token. Only the number of remaining parts is needed, so
//! each join is a decrement. Short pieces, which are nearly all, search a small array for the
//! lowest rank. Long pieces, which hostile input can make of any size, keep the unions in buckets
//! by rank to avoid quadratic time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::layout::NO_RANK;
use super::vocabulary::{contains, pair_rank, rank};

/// Pieces below this length are merged in arrays of this size: most pieces are, and small arrays
/// are quick to fill.
const SMALL: usize = 32;
/// Pieces below this length are merged by searching, which is faster than buckets up to here.
const SEARCHED: usize = 256;

/// Returns the number of tokens of a piece.
#[inline]
pub fn count(piece: &[u8]) -> u64 {
    if contains(piece) {
        return 1;
    }
    match piece.len() {
        len @ 0..3 => len as u64,
        3..SMALL => count_by_search::<SMALL>(piece),
        SMALL..SEARCHED => count_by_search::<SEARCHED>(piece),
        // The list stores 32-bit starts. For a piece of more than 4 GiB an approximate count is
        // enough.
        _ => piece.chunks(u32::MAX as usize).map(count_by_rank).sum(),
    }
}

/// Merges with the parts side by side in arrays: part `i` begins at `starts[i]`, and
/// `ranks[i]` is the rank of its union with part `i + 1`.
fn count_by_search<const SIZE: usize>(piece: &[u8]) -> u64 {
    let mut starts = [0_u8; SIZE];
    let mut ranks = [NO_RANK; SIZE];
    for (index, start) in starts.iter_mut().enumerate() {
        *start = index as u8;
    }
    for (rank, pair) in ranks.iter_mut().zip(piece.windows(2)) {
        *rank = pair_rank(pair[0], pair[1]);
    }

    let mut parts = piece.len();
    loop {
        let mut lowest = NO_RANK;
        let mut at = 0;
        for (index, &rank) in ranks[..parts].iter().enumerate() {
            if rank < lowest {
                (lowest, at) = (rank, index);
            }
        }
        if lowest == NO_RANK {
            return parts as u64;
        }
        // The union replaces its left part; the end of the piece moves along.
        starts.copy_within(at + 2..=parts, at + 1);
        ranks.copy_within(at + 2..=parts, at + 1);
        parts -= 1;
        let union = |index: usize| match index + 2 <= parts {
            true => rank(&piece[usize::from(starts[index])..usize::from(starts[index + 2])]),
            false => NO_RANK,
        };
        ranks[at] = union(at);
        if at > 0 {
            ranks[at - 1] = union(at - 1);
        }
    }
}

/// A part of a long piece, kept at the index of its first byte.
#[derive(Clone, Copy)]
struct Part {
    /// Start of the part before; out of bounds for the first.
    before: u32,
    /// Start of the part after, which is the end of this one.
    after: u32,
    /// Rank of the union with the part after.
    union: u32,
}

/// Starts of the left parts of all unions of one rank.
#[derive(Default)]
struct Bucket {
    /// After sorting, the leftmost is last, where it can be popped.
    starts: Vec<u32>,
    sorted: bool,
}

/// Unions by rank. An entry is stale if the list has another rank for its start.
type Unions = BTreeMap<u32, Bucket>;

/// Merges with the parts as a linked list and their unions in one bucket per rank.
///
/// A union made by a join is longer than the token just joined, so a bucket gets no new starts
/// while it is being emptied, and each start is sorted once. The whole takes `n log n`; long runs
/// of the same few characters, which fill few buckets, take nearly linear time.
fn count_by_rank(piece: &[u8]) -> u64 {
    let mut unions = Unions::new();
    let mut list = Vec::with_capacity(piece.len());
    for start in 0..piece.len() {
        let union = match piece.get(start + 1) {
            Some(&next) => pair_rank(piece[start], next),
            None => NO_RANK,
        };
        let start = start as u32;
        list.push(Part { before: start.wrapping_sub(1), after: start + 1, union });
        add(&mut unions, union, start);
    }

    let mut parts = piece.len();
    while let Some((rank, mut bucket)) = unions.pop_first() {
        if !bucket.sorted {
            bucket.starts.sort_by_key(|&start| Reverse(start));
            bucket.sorted = true;
        }
        while let Some(start) = bucket.starts.pop() {
            if list[start as usize].union != rank {
                continue;
            }
            parts -= 1;
            if join(piece, &mut list, &mut unions, start) < rank {
                // The join created a union that precedes the rest of this bucket.
                unions.insert(rank, bucket);
                break;
            }
        }
    }
    parts as u64
}

/// Joins the part at `start` with the one after it; returns the lower rank of its new unions.
fn join(piece: &[u8], list: &mut [Part], unions: &mut Unions, start: u32) -> u32 {
    let Part { before, after: absorbed, .. } = list[start as usize];
    let after = list[absorbed as usize].after;
    list[absorbed as usize].union = NO_RANK;
    list[start as usize].after = after;
    if let Some(part) = list.get_mut(after as usize) {
        part.before = start;
    }
    let mut lowest = NO_RANK;
    for left in [before, start] {
        let Some(part) = list.get(left as usize) else { continue };
        let union = match list.get(part.after as usize) {
            Some(right) => rank(&piece[left as usize..right.after as usize]),
            None => NO_RANK,
        };
        list[left as usize].union = union;
        add(unions, union, left);
        lowest = lowest.min(union);
    }
    lowest
}

fn add(unions: &mut Unions, union: u32, start: u32) {
    if union != NO_RANK {
        let bucket = unions.entry(union).or_default();
        bucket.starts.push(start);
        bucket.sorted = false;
    }
}
