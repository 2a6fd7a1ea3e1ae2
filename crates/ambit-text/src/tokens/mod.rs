//! Counts the tokens of a text in OpenAI's `o200k_base` vocabulary.
//!
//! Special tokens count as ordinary text, and the result equals that of the `tiktoken` crate. That
//! crate is not used at run time because it unpacks its vocabulary and compiles an expression in
//! every process, which takes many times longer than counting a command's few texts. Here the
//! build script does this work, and a count reads tables that are part of the program.

mod bpe;
mod layout;
mod scan;
mod vocabulary;

/// Returns the number of `o200k_base` tokens of a text.
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
