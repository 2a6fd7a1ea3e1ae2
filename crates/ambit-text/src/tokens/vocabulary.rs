//! Looks up a token's rank in the tables made by the build script.
//!
//! The tables are read from the program image: nothing is unpacked or built at start-up, and only
//! the pages that are touched get loaded. Tokens of two bytes index a table directly, and tokens
//! of up to seven bytes are their own hash key. Longer ones are compared with their bytes in a
//! blob, after a tag in the slot has ruled out nearly all others.

use super::layout::{self, Long, MAX_SHORT, MAX_TOKEN, NO_RANK};

/// The bytes of a table as rows, aligned to a cache line so that no slot spans two lines.
macro_rules! rows {
    ($file:literal, $width:literal) => {{
        const BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/", $file));
        static ALIGNED: Aligned<{ BYTES.len() / $width }, $width> =
            Aligned(match BYTES.as_chunks::<$width>().0.first_chunk() {
                Some(rows) => *rows,
                None => unreachable!(),
            });
        &ALIGNED.0
    }};
}

#[repr(align(64))]
struct Aligned<const ROWS: usize, const WIDTH: usize>([[u8; WIDTH]; ROWS]);

static PAIRS: &[[u8; 4]; 1 << 16] = rows!("pairs.bin", 4);
static SHORT_KEYS: &[[u8; 8]; 1 << layout::SHORT_BITS] = rows!("short_keys.bin", 8);
static SHORT_RANKS: &[[u8; 4]; 1 << layout::SHORT_BITS] = rows!("short_ranks.bin", 4);
static LONG: &[[u8; 8]; 1 << layout::LONG_BITS] = rows!("long.bin", 8);
static BLOB: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/blob.bin"));

/// Returns the rank of a token of two bytes, or [`NO_RANK`].
#[inline]
pub fn pair_rank(first: u8, second: u8) -> u32 {
    u32::from_le_bytes(PAIRS[usize::from(u16::from_be_bytes([first, second]))])
}

/// Returns the rank of a token of three bytes or more, or [`NO_RANK`].
#[inline]
pub fn rank(span: &[u8]) -> u32 {
    if span.len() <= MAX_SHORT {
        short_slot(span).map_or(NO_RANK, |slot| u32::from_le_bytes(SHORT_RANKS[slot]))
    } else if span.len() <= MAX_TOKEN {
        long_slot(span).map_or(NO_RANK, Long::rank)
    } else {
        NO_RANK
    }
}

/// Returns whether a span is one token.
#[inline]
pub fn contains(span: &[u8]) -> bool {
    match span {
        [] => false,
        [_] => true,
        &[first, second] => pair_rank(first, second) != NO_RANK,
        _ if span.len() <= MAX_SHORT => short_slot(span).is_some(),
        _ => span.len() <= MAX_TOKEN && long_slot(span).is_some(),
    }
}

#[inline]
fn short_slot(span: &[u8]) -> Option<usize> {
    let key = layout::short_key(span);
    let mut slot = layout::short_slot(key);
    loop {
        match u64::from_le_bytes(SHORT_KEYS[slot]) {
            0 => return None,
            found if found == key => return Some(slot),
            _ => slot = (slot + 1) % SHORT_KEYS.len(),
        }
    }
}

#[inline]
fn long_slot(span: &[u8]) -> Option<Long> {
    let hash = layout::long_hash(span);
    let head = Long::head(hash, span.len());
    let mut slot = layout::long_slot(hash);
    loop {
        let found = Long(u64::from_le_bytes(LONG[slot]));
        if found.0 == 0 {
            return None;
        }
        let token = || BLOB.get(found.offset()..found.offset() + span.len());
        if found.matches(head) && token() == Some(span) {
            return Some(found);
        }
        slot = (slot + 1) % LONG.len();
    }
}
