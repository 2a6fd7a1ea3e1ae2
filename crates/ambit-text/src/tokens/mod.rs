//! Counts the tokens of a text in OpenAI's `o200k_base` vocabulary.
//!
//! Special tokens count as the ordinary text they are spelt with, and the result equals that
//! of the `tiktoken` crate. It is not used itself because it unpacks its vocabulary and compiles
//! an expression in every process, which takes many times longer than the counting of a
//! command's few texts; here all of that is done by the build script, and a count reads tables
//! that are part of the program.

mod bpe;
mod layout;
mod scan;
mod vocabulary;

/// Number of `o200k_base` tokens of a text.
pub fn count(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut total = 0;
    let mut start = 0;
    while start < bytes.len() {
        let end = scan::piece_end(bytes, start);
        total += bpe::count(&bytes[start..end]);
        start = end;
    }
    total
}
