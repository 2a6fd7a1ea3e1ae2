//! Stubs and handles: the text shown instead of a block that is too large, and the name to read it
//! back. Their bytes depend only on the block.

use super::Shown;
use crate::{Form, Hash, hex};

/// Returns a handle such as `812.0-3fa2`: a turn, a block, and four digits of its content's key.
pub fn handle(turn: i64, block: i64, key: &Hash) -> String {
    format!("{turn}.{block}-{}", hex(&key.0[..2]))
}

/// Returns the text that is shown instead of a block.
pub fn stub(row: &Shown) -> String {
    let handle = handle(row.turn, row.block, &row.key);
    let tokens = row.text_tokens;
    match row.form {
        // The arguments of a call must be JSON.
        Form::Call => format!("{{\"left_out\":\"{handle}\",\"tokens\":{tokens}}}"),
        _ => format!("[{tokens} tokens left out here; read {handle} gives them back]"),
    }
}
