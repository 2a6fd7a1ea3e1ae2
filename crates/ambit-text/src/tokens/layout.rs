//! Layout of the tables that the build script writes and the counter reads.
//!
//! The build script includes this file, so keys, hashes and slots are defined once: if the two
//! sides disagreed, every look-up would silently miss.

/// Longest token of the vocabulary in bytes; longer spans need no look-up.
pub const MAX_TOKEN: usize = 128;
/// Longest token whose bytes fit into the key of a short slot together with their number.
pub const MAX_SHORT: usize = 7;

/// Number of short slots as a power of two: tokens of 3 to 7 bytes fill less than half of them.
pub const SHORT_BITS: u32 = 18;
/// Number of long slots as a power of two: the tokens of 8 bytes and more fill half of them.
pub const LONG_BITS: u32 = 17;

/// The rank that means "not a token".
pub const NO_RANK: u32 = u32::MAX;

/// Widths of the fields of a long slot, from the low end: rank, offset into the blob, length.
/// The bits above them hold the tag, and a length of zero marks an empty slot.
const RANK_WIDTH: u32 = 18;
const OFFSET_WIDTH: u32 = 21;
const LENGTH_WIDTH: u32 = 8;
pub const OFFSET_SHIFT: u32 = RANK_WIDTH;
const LENGTH_SHIFT: u32 = OFFSET_SHIFT + OFFSET_WIDTH;
const TAG_SHIFT: u32 = LENGTH_SHIFT + LENGTH_WIDTH;

/// Odd multiplier with well-mixed bits (the golden ratio in 64-bit fixed point).
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// Classes of a character, as distinguished by the pre-tokenisation pattern.
pub mod class {
    /// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
    pub const UPPER: u8 = 1;
    /// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
    pub const LOWER: u8 = 2;
    /// `\p{N}`
    pub const NUMBER: u8 = 4;
    /// `\s`
    pub const SPACE: u8 = 8;
    /// `[\r\n]`, always together with `SPACE`
    pub const NEWLINE: u8 = 16;
    /// `[^\s\p{L}\p{N}]`; marks have this class in addition to `UPPER` and `LOWER`
    pub const SYMBOL: u8 = 32;
}

/// Characters per block of the two-stage class table.
pub const BLOCK: usize = 128;
/// Entries of its first stage, one byte each, which come before the blocks.
pub const STAGE: usize = 0x11_0000 / BLOCK;

/// Key of a token of 3 to 7 bytes: the bytes in the low end, their number in the top byte. Keys of
/// different lengths differ, and no key is zero, which marks an empty slot.
#[inline]
pub fn short_key(token: &[u8]) -> u64 {
    let len = token.len() as u64;
    let bytes = match (token.first_chunk::<4>(), token.last_chunk::<4>()) {
        // The two words overlap in equal bytes, so joining them by "or" is exact.
        (Some(head), Some(tail)) => {
            let (head, tail) = (u32::from_le_bytes(*head), u32::from_le_bytes(*tail));
            u64::from(head) | u64::from(tail) << (8 * (len - 4))
        }
        _ => token.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    bytes | len << 56
}

/// First slot to probe for a short key.
#[inline]
pub fn short_slot(key: u64) -> usize {
    let hash = (key ^ key >> 29).wrapping_mul(MIX);
    (hash >> (64 - SHORT_BITS)) as usize
}

/// Hash of a token of 8 bytes and more.
#[inline]
pub fn long_hash(token: &[u8]) -> u64 {
    let (words, _) = token.as_chunks::<8>();
    let mut hash = token.len() as u64;
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    // The bytes after the last whole word, read as part of the last eight bytes.
    match token.last_chunk::<8>() {
        Some(tail) if !token.len().is_multiple_of(8) => mix(hash, u64::from_le_bytes(*tail)),
        _ => hash,
    }
}

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    let product = (hash.rotate_left(25) ^ word).wrapping_mul(MIX);
    product ^ product >> 32
}

/// First slot to probe for a long hash.
#[inline]
pub fn long_slot(hash: u64) -> usize {
    (hash.wrapping_mul(MIX) >> (64 - LONG_BITS)) as usize
}

/// A slot of a long token; the bytes themselves are in the blob.
#[derive(Clone, Copy)]
pub struct Long(pub u64);

impl Long {
    /// The fields that a look-up knows before it reads the blob: length and tag.
    #[inline]
    pub fn head(hash: u64, len: usize) -> u64 {
        // The slot number comes from the hash multiplied again, so these bits are independent.
        let tag = hash & ((1 << (64 - TAG_SHIFT)) - 1);
        (tag << LENGTH_WIDTH | len as u64) << LENGTH_SHIFT
    }

    #[inline]
    pub fn matches(self, head: u64) -> bool {
        (self.0 ^ head) >> LENGTH_SHIFT == 0
    }

    #[inline]
    pub fn rank(self) -> u32 {
        (self.0 & ((1 << RANK_WIDTH) - 1)) as u32
    }

    #[inline]
    pub fn offset(self) -> usize {
        (self.0 >> OFFSET_SHIFT & ((1 << OFFSET_WIDTH) - 1)) as usize
    }
}
