//! A turn as a provider would be sent it, without what composing adds. Fuzzing uses it too.

use ambit_wire::{CallKind, Format, RequestWriter, ShownBlock, ShownTurn, Turn, Written};

/// With its calls and replies under their own ids, or without.
pub fn write(turn: &Turn, format: Format, calls: bool) -> Written {
    let mut blocks = Vec::new();
    for block in &turn.blocks {
        blocks.push(ShownBlock {
            form: block.form,
            text: block.text.as_str().into(),
            instead: None,
            id: block.call_id.clone().or_else(|| block.reply_to.clone()).filter(|_| calls),
            answers: CallKind::Function,
        });
    }
    let (role, shape) = (turn.role, turn.shape.as_deref());
    let handle = &|at: usize| format!("7.{at}-0000");
    let shown = ShownTurn { role, shape, blocks, bare: false, handle };
    let mut writer = RequestWriter::new(format);
    writer.write(&|| "7".into(), &shown);
    writer.finish()
}
