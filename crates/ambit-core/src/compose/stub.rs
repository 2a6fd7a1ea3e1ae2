//! Stubs and handles: what stands in the place of something too large to show, and how it is read
//! back. Their bytes derive from their source alone.

use super::Shown;
use crate::{Form, Hash, hex};

/// `812.0-3fa2`: a turn, a block, and four digits of its content's key.
pub fn handle(turn: i64, block: i64, key: &Hash) -> String {
    format!("{turn}.{block}-{}", hex(&key.0[..2]))
}

/// What is shown instead of a block.
pub fn stub(row: &Shown) -> String {
    let handle = handle(row.turn, row.block, &row.key);
    let tokens = row.text_tokens;
    match row.form {
        // A call's arguments have to stay JSON.
        Form::Call => format!("{{\"left_out\":\"{handle}\",\"tokens\":{tokens}}}"),
        _ => format!("[{tokens} tokens left out here; read {handle} gives them back]"),
    }
}
