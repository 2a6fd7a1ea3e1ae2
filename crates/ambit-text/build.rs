//! Builds the tables of the token counter (`src/tokens`).
//!
//! The vocabulary comes from the `tiktoken` crate and the character classes from `regex-syntax`,
//! so counts equal those of a tokeniser built on them. Neither crate is needed at run time: the
//! counter reads the tables in place, without work at start-up.

// A build script reports errors by panicking.
#![allow(clippy::expect_used)]

#[expect(dead_code, reason = "the other half is used at run time")]
#[path = "src/tokens/layout.rs"]
mod layout;

use std::path::{Path, PathBuf};
use std::{env, fs};

use layout::{Long, class};
use regex_syntax::hir::{Class, HirKind};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/tokens/layout.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    write_vocabulary(&out);
    write_classes(&out);
}

/// Writes the ranks of two-byte tokens, the table of short tokens (keys and ranks apart, since
/// most look-ups end without needing a rank), the table of long ones and their bytes.
fn write_vocabulary(out: &Path) {
    let mut pairs = vec![layout::NO_RANK; 1 << 16];
    let mut keys = vec![0_u64; 1 << layout::SHORT_BITS];
    let mut ranks = vec![0_u32; 1 << layout::SHORT_BITS];
    let mut long = vec![0_u64; 1 << layout::LONG_BITS];
    let mut blob = Vec::new();
    let mut single = [false; 256];

    let vocabulary = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    let size = u32::try_from(vocabulary.vocab_size()).expect("ranks are 32 bits wide");
    for rank in 0..size {
        let token = vocabulary.decode(&[rank]);
        match token.len() {
            0 => panic!("rank {rank} has no token"),
            1 => single[usize::from(token[0])] = true,
            2 => pairs[usize::from(u16::from_be_bytes([token[0], token[1]]))] = rank,
            3..=layout::MAX_SHORT => {
                let key = layout::short_key(&token);
                let slot = free_slot(&keys, layout::short_slot(key));
                (keys[slot], ranks[slot]) = (key, rank);
            }
            _ => {
                let slot = long_slot_of(&token, rank, blob.len());
                let free = free_slot(&long, layout::long_slot(layout::long_hash(&token)));
                long[free] = slot;
                blob.extend_from_slice(&token);
            }
        }
    }
    assert!(
        single.iter().all(|&known| known),
        "every byte must be a token, for the counter takes that as given"
    );

    write(out, "pairs.bin", &bytes_of(&pairs, u32::to_le_bytes));
    write(out, "short_keys.bin", &bytes_of(&keys, u64::to_le_bytes));
    write(out, "short_ranks.bin", &bytes_of(&ranks, u32::to_le_bytes));
    write(out, "long.bin", &bytes_of(&long, u64::to_le_bytes));
    write(out, "blob.bin", &blob);
}

/// Returns the first empty slot at or after `slot`, wrapping around at the end.
fn free_slot(table: &[u64], mut slot: usize) -> usize {
    while table[slot] != 0 {
        slot = (slot + 1) % table.len();
    }
    slot
}

fn long_slot_of(token: &[u8], rank: u32, offset: usize) -> u64 {
    assert!(token.len() <= layout::MAX_TOKEN, "token of rank {rank} is too long");
    let head = Long::head(layout::long_hash(token), token.len());
    let slot = Long(head | (offset as u64) << layout::OFFSET_SHIFT | u64::from(rank));
    let fits = slot.rank() == rank && slot.offset() == offset;
    assert!(fits, "rank {rank} or offset {offset} is too wide for its field");
    slot.0
}

/// Writes the class of every character: a first stage with the number of a block per
/// [`layout::BLOCK`] characters, then the blocks, one byte per character.
fn write_classes(out: &Path) {
    let mut classes = vec![class::SYMBOL; 0x11_0000];
    let mut add = |pattern: &str, flags: u8, keep: u8| {
        for (first, last) in ranges(pattern) {
            for class in &mut classes[first as usize..=last as usize] {
                *class = *class & keep | flags;
            }
        }
    };
    add(r"\p{L}", 0, 0);
    add(r"\p{N}", class::NUMBER, 0);
    add(r"\s", class::SPACE, 0);
    add(r"[\r\n]", class::NEWLINE, u8::MAX);
    add(r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", class::UPPER, u8::MAX);
    add(r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", class::LOWER, u8::MAX);

    let mut stage = Vec::with_capacity(layout::STAGE);
    let mut blocks: Vec<&[u8]> = Vec::new();
    for block in classes.chunks(layout::BLOCK) {
        let number = blocks.iter().position(|known| *known == block);
        let number = number.unwrap_or_else(|| {
            blocks.push(block);
            blocks.len() - 1
        });
        stage.push(u8::try_from(number).expect("block numbers fit a byte"));
    }
    stage.extend(blocks.concat());
    write(out, "classes.bin", &stage);
}

/// Returns the character ranges of a class pattern according to `regex-syntax`.
fn ranges(pattern: &str) -> Vec<(char, char)> {
    let hir = regex_syntax::parse(pattern).expect("the pattern is well-formed");
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().map(|range| (range.start(), range.end())).collect()
        }
        other => panic!("{pattern} is no class but {other:?}"),
    }
}

fn bytes_of<T: Copy, const N: usize>(words: &[T], bytes: fn(T) -> [u8; N]) -> Vec<u8> {
    words.iter().flat_map(|&word| bytes(word)).collect()
}

fn write(out: &Path, name: &str, bytes: &[u8]) {
    fs::write(out.join(name), bytes).expect("OUT_DIR can be written");
}
