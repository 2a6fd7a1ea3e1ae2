//! A turn as a provider would be sent it, without what composing adds. Fuzzing uses it too.

use ambit_core::Hash;
use ambit_core::wire::{CallKind, Format, Given, Handle, Message, Sheet, Turn, Written};

/// With its calls and replies under their own ids, or without.
pub fn write(turn: &Turn, format: Format, calls: bool) -> Written {
    let key = Hash::default();
    let mut blocks = Vec::new();
    for (block, at) in turn.blocks.iter().zip(0..) {
        blocks.push(Given {
            form: block.form,
            text: block.text.as_str().into(),
            instead: None,
            id: block.call_id.clone().or_else(|| block.reply_to.clone()).filter(|_| calls),
            answers: CallKind::Function,
            handle: Handle { turn: 7, block: at, key: &key },
        });
    }
    let message = Message { role: turn.role, shape: turn.shape.as_deref(), blocks, bare: false };
    let mut sheet = Sheet::new(format);
    sheet.write(&|| "7".into(), &message);
    sheet.finish()
}
